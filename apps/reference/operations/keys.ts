import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';
const keyId = 'lyrm83UUb5ll';

const covers =
  'A key changes only keys that have no scope which it lacks: else 403, which names those scopes. It is asked again within ' +
  'the change itself, so a key that has ended since the gateway let it in gets 401, and nothing is changed. ';

const rate =
  'A store makes at most 20 keys and invitations in a clock hour, rotations included (429 with `Retry-After`), and 10,000 in all. ';

export const keyTexts: Record<string, OperationText> = {
  'keys/issue-key': {
    description:
      `${extension}Issues a key. With \`inviteHours\` it makes an invitation: a code that does nothing but make the key once, for ` +
      `whoever accepts it. The key or the code is in this answer alone, and in its repeats under the same Idempotency-Key. ${covers}${rate}` +
      'What a key may do never changes: issue another one.',
    request: { name: 'Web shop', preset: 'shop', expiresAt: '2027-11-21T00:00:00Z' },
    refused: { name: 'Web shop', preset: 'shop', scopes: ['products:read'] },
  },
  'keys/list-keys': {
    description: `${extension}The keys and invitations of the store, those that have ended too. No answer has the text of a key.`,
    parameters: { state: 'invited' },
  },
  'keys/get-key': { description: `${extension}One key, in any state.`, parameters: { keyId } },
  'keys/rename-key': {
    description: `${extension}Gives a key another name. ${covers}`.trim(),
    parameters: { keyId },
    request: { name: 'Box in Ahern, upstairs' },
  },
  'keys/rotate-key': {
    description:
      `${extension}Issues a key with the same name and scopes, which is to live as long as the old one was, and lets the old one end ` +
      `after the overlap. ${covers}${rate}`.trim(),
    parameters: { keyId },
    request: { overlapHours: 48 },
    refused: { overlapHours: 200 },
  },
  'keys/revoke-key': {
    description:
      `${extension}Ends a key or an invitation for ever. Repeated, it changes nothing. ${covers}A key cannot revoke itself (400): it ends by ` +
      '`POST /v1/store/key/actions/end`. Keys that the revoked one has issued stay, and their `issuedBy` names it; its open ' +
      'invitations are void. For up to 60 seconds other endpoints may still take it.',
    parameters: { keyId },
  },
  'own-key/get-invitation': {
    description:
      `${extension}What an invitation offers. Its code is sent as \`X-API-Key\`; any other key gets 403 here. This uses nothing up. 400 if ` +
      'it was used already, or if the key that made it was revoked; 401 after it ended.',
  },
  'own-key/accept-invitation': {
    description:
      `${extension}Makes the key of an invitation, whose code is sent as \`X-API-Key\`, with a secret that nobody has seen. It works once: ` +
      'the same Idempotency-Key gets the first answer again, any other request 400.',
  },
};
