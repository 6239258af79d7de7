import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';
const id = '00000009-dede-4ede-8ede-000000000001';
const fields = { url: 'http://127.0.0.1:8080/hook', events: ['sale.completed', 'delivery.failed'] };

export const webhookTexts: Record<string, OperationText> = {
  'webhooks/create-webhook': {
    description:
      `${extension}Sends events of these types to an address from now on, as [Standard Webhooks](https://www.standardwebhooks.com) ` +
      'have it. Any 2xx is success, and no redirect is followed; else it is tried again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 ' +
      'and 24 h. An event may come more than once, under the same `webhook-id`, and in any order. A store has at most 20 webhooks. 403 names the ' +
      'scope where the key may not read one of the types: `credit.changed` asks for `credits:read` too, and so on; `store.*` for no more.',
    request: { ...fields, description: 'The shop’s own books' },
    refused: { ...fields, url: 'https://10.0.0.1/' },
  },
  'webhooks/list-webhooks': { description: `${extension}Webhooks, in the order of their creation.` },
  'webhooks/get-webhook': {
    description: `${extension}One webhook. No answer but that of its creation has its secret.`,
    parameters: { id },
  },
  'webhooks/update-webhook': {
    description:
      `${extension}Replaces a webhook. \`state\` \`active\` enables a disabled one: it gets the events that are noted from then on, ` +
      'and `GET /v1/events` has those that it missed. 403 for types that it did not have and that the key may not read; a new `url` ' +
      'asks for the scopes of all.',
    parameters: { id },
    request: { ...fields, description: 'The shop’s own books', state: 'disabled' },
  },
  'webhooks/rotate-webhook-secret': {
    description: `${extension}Gives a webhook another secret. For 24 hours its messages have a signature of each.`,
    parameters: { id },
  },
  'webhooks/test-webhook': {
    description:
      `${extension}Sends the event \`webhook.ping\`, which no list of events has, to this webhook, also to a disabled one. Its way is ` +
      'among the deliveries.',
    parameters: { id },
  },
  'webhooks/list-webhook-deliveries': {
    description: `${extension}The way of each event to a webhook, for 30 days, from the end of its first attempt on.`,
    parameters: { id, state: 'pending' },
  },
  'webhooks/delete-webhook': {
    description: `${extension}Deletes a webhook. Nothing is sent to it any more.`,
    parameters: { id },
  },
};
