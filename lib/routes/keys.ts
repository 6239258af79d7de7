import * as z from 'zod';
import { presetNames } from './key-presets.ts';
import { route } from './route.ts';
import { scopes } from './scopes.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  answerText,
  answerTextOrNull,
  integer,
  keyId,
  listOf,
  maxLength,
  pageQuery,
  text,
  time,
  timeOrNull,
  withText,
} from './wire.ts';

export const keyStates = ['invited', 'active', 'rotated', 'expired', 'revoked'] as const;
export type KeyState = (typeof keyStates)[number];

const scopesWords = 'must be an array of one or more scopes, each once';
const presetWords = `must be one of ${presetNames.join(', ')}`;
const hours = (min: number) => integer(min, 168);

const name = () =>
  text({ min: 1, max: maxLength.name }).describe(
    'The person or the object that has the key, 1 to 255 characters. Names need not differ.',
  );

const expiresAt = () =>
  timestamp()
    .optional()
    .describe('When the key ends, in the future. A key with `keys:write` must end within 366 days.');

/** As `withText`, for an array. */
const scopesGiven = { properties: { scopes: { type: 'array' } }, required: ['scopes'] };

const IssueKeyRequest = z
  .object({
    name: name(),
    preset: z
      .enum(presetNames, { error: presetWords })
      .optional()
      .describe('What the key is for, which gives it its scopes. Either this or `scopes`.'),
    scopes: z
      .array(z.enum(scopes, { error: `must be one of ${scopes.join(', ')}` }), { error: scopesWords })
      .max(scopes.length, { error: scopesWords })
      .meta({ minItems: 1, uniqueItems: true })
      .refine((some) => some.length > 0 && new Set(some).size === some.length, { error: scopesWords })
      .optional()
      .describe('What the key may do: one or more scopes, each once. Either this or `preset`.'),
    expiresAt: expiresAt(),
    inviteHours: hours(1)
      .optional()
      .describe('Makes an invitation, which can be accepted for this many hours, 1 to 168.'),
  })
  .check(
    acrossFields(({ preset, scopes: some }, report) => {
      if ((preset === undefined) === (some === undefined)) report(undefined, 'Send either preset or scopes.');
    }),
  )
  .meta({ id: 'IssueKeyRequest', allOf: [{ oneOf: [withText('preset', maxLength.label), scopesGiven] }] });

const RenameKeyRequest = z.object({ name: name() }).meta({ id: 'RenameKeyRequest' });

const RotateKeyRequest = z
  .object({
    overlapHours: hours(0)
      .default(24)
      .describe('How many hours the old key still works, 0 to 168. It ends earlier where its own end is earlier.'),
    expiresAt: expiresAt().describe(
      'When the new key ends, in the future. Left out: it lives as long as the old one was to live.',
    ),
  })
  .meta({ id: 'RotateKeyRequest' });

const KeyPreset = z.enum(presetNames).meta({ id: 'KeyPreset' });
const KeyScope = z.enum(scopes).meta({ id: 'KeyScope' });

const rights = {
  preset: KeyPreset.nullable().describe('The preset with exactly these scopes. Null: there is none.'),
  scopes: z.array(KeyScope).describe('What the key may do, in the fixed order of all scopes.'),
};

const answer = {
  id: answerText(maxLength.keyId).describe('Id of the key: the 12 characters after `sis_live_` or `sis_test_`.'),
  name: answerText(maxLength.name).describe('The person or the object that has the key.'),
  ...rights,
  state: z
    .enum(keyStates)
    .describe(
      '`invited`: nobody has accepted it yet. `rotated`: another key replaces it, and it works until it ends. An invitation whose issuer was revoked is `revoked`.',
    ),
  createdAt: time().describe('When it was issued.'),
  expiresAt: timeOrNull().describe('When it ends. Null: it does not.'),
  lastUsedAt: timeOrNull().describe('When it was last used, exact to the hour. Null: never.'),
  invitedUntil: timeOrNull().describe('Until when its invitation can or could be accepted. Null: it was none.'),
  endedAt: timeOrNull().describe('When it was revoked or, if it was not, when it expired. Null: neither.'),
  issuedBy: z
    .object({
      id: keyId().describe('Id of that key.'),
      name: answerText(maxLength.name).describe('Its present name.'),
    })
    .meta({ id: 'KeyIssuer' })
    .nullable()
    .describe('The key that has issued it. Null: the operator has.'),
  replaces: answerTextOrNull(maxLength.keyId).describe('Id of the key that it replaces after a rotation.'),
};

/** The longest text of a key or code. */
const keyLength = 71;

export const KeyResponse = z.object(answer).meta({ id: 'KeyResponse' });

const secrets = {
  key: answerTextOrNull(keyLength).describe('The key itself: no other answer has it. Null for an invitation.'),
  code: answerTextOrNull(keyLength).describe('The code of an invitation: no other answer has it. Null for a key.'),
};

const KeySecretResponse = z.object({ ...answer, ...secrets }).meta({ id: 'KeySecretResponse' });

const InvitationResponse = z
  .object({
    store: z
      .object({
        id: answerText(64).describe('Id of the store.'),
        name: answerText(maxLength.label).describe('Name of the store.'),
      })
      .meta({ id: 'InvitingStore' })
      .describe('The store that the key is for.'),
    name: answer.name,
    ...rights,
    expiresAt: answer.expiresAt,
    invitedUntil: time().describe('Until when the invitation can be accepted.'),
  })
  .meta({ id: 'InvitationResponse' });

export type IssueKeyBody = z.output<typeof IssueKeyRequest>;
export type RotateKeyBody = z.output<typeof RotateKeyRequest>;
export type KeyAnswer = z.output<typeof KeyResponse>;
export type KeySecretAnswer = z.output<typeof KeySecretResponse>;
export type Invitation = z.output<typeof InvitationResponse>;

const reading = { extension: true, servedBy: 'keys', scope: 'keys:read', reads: ['KEY', 'KEYS'] } as const;

/** The rows that change keys look at the asking key and at the store in their own transaction. */
const writing = {
  extension: true,
  servedBy: 'keys',
  scope: 'keys:write',
  reads: ['STORE'],
  writes: ['KEY', 'LOG'],
} as const;
const making = {
  ...writing,
  status: 201,
  response: KeySecretResponse,
  writes: ['KEY', 'COUNT', 'LOG'],
  makes: ['KEY', 'KEYS'],
  showsSecret: true,
} as const;

export const listKeys = route('GET /v1/keys', {
  id: 'keys/list-keys',
  summary: 'List the API keys of the store',
  ...reading,
  query: z.object({
    ...pageQuery,
    state: z
      .enum(keyStates, { error: `must be one of ${keyStates.join(', ')}` })
      .optional()
      .describe('Only keys in this state.'),
  }),
  response: listOf('KeyListResponse', 'API keys, in the order of their ids', KeyResponse),
});

export const getKey = route('GET /v1/keys/{keyId}', {
  id: 'keys/get-key',
  summary: 'Read an API key',
  ...reading,
  response: KeyResponse,
});

export const issueKey = route('POST /v1/keys', {
  id: 'keys/issue-key',
  summary: 'Issue an API key, or invite a person',
  ...making,
  problems: [400],
  body: IssueKeyRequest,
});

export const renameKey = route('PUT /v1/keys/{keyId}', {
  id: 'keys/rename-key',
  summary: 'Rename an API key',
  ...writing,
  body: RenameKeyRequest,
  response: KeyResponse,
});

export const rotateKey = route('POST /v1/keys/{keyId}/actions/rotate', {
  id: 'keys/rotate-key',
  summary: 'Replace an API key by a new one',
  ...making,
  location: '/v1/keys',
  body: RotateKeyRequest,
  bodyOptional: true,
});

export const revokeKey = route('POST /v1/keys/{keyId}/actions/revoke', {
  id: 'keys/revoke-key',
  summary: 'Revoke an API key or an invitation',
  ...writing,
  response: KeyResponse,
});

/** The rows of an invitation's code. One function serves them and the end of a key: none of the three makes a key. */
const invited = { extension: true, servedBy: 'own-key', scope: null, byInvitation: true, problems: [400] } as const;

export const getInvitation = route('GET /v1/store/key/invitation', {
  id: 'own-key/get-invitation',
  summary: 'Read the invitation whose code asks',
  ...invited,
  response: InvitationResponse,
  reads: ['KEY', 'STORE'],
});

export const acceptInvitation = route('POST /v1/store/key/actions/accept', {
  id: 'own-key/accept-invitation',
  summary: 'Accept the invitation whose code asks',
  ...invited,
  response: KeySecretResponse,
  reads: ['STORE'],
  writes: ['KEY', 'LOG'],
  showsSecret: true,
});
