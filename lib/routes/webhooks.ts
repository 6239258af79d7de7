import * as z from 'zod';
import { trimmed } from '../normalise.ts';
import { eventNames } from './events.ts';
import { route } from './route.ts';
import { answerText, answerTextOrNull, listOf, maxLength, pageQuery, text, timeOrNull, uuid } from './wire.ts';

const urlWords = 'must be an https address of at most 500 characters';
const url = () =>
  z
    .string({ error: urlWords })
    .overwrite(trimmed)
    .refine((value) => [...value].length <= maxLength.url, { error: urlWords })
    .meta({ maxLength: maxLength.url })
    .describe('Where events are sent: `https` on port 443 of a public host, at most 500 characters.');

const eventsWords = `must be an array of one or more of ${eventNames.join(', ')}, each once`;
const events = () =>
  z
    .array(z.enum(eventNames, { error: `must be one of ${eventNames.join(', ')}` }), { error: eventsWords })
    .max(eventNames.length, { error: eventsWords })
    .meta({ minItems: 1, uniqueItems: true })
    .refine((names) => names.length > 0 && new Set(names).size === names.length, { error: eventsWords })
    .describe('The types of events that are sent: one or more, each once.');

const formats = ['standard', 'discord'] as const;
const states = ['active', 'disabled'] as const;

const fields = {
  url: url(),
  events: events(),
  description: text({ min: 0, max: 200 })
    .default('')
    .describe('A text for people: at most 200 characters. Left out: empty.'),
  format: z
    .enum(formats, { error: 'must be standard or discord' })
    .default('standard')
    .describe('`standard`: as Standard Webhooks have it, signed. `discord`: a message for a Discord channel.'),
};

const CreateWebhookRequest = z.object(fields).meta({ id: 'CreateWebhookRequest' });

const UpdateWebhookRequest = z
  .object({
    ...fields,
    state: z
      .enum(states, { error: 'must be active or disabled' })
      .optional()
      .describe('`active` enables it again. Left out: stays as it is.'),
  })
  .meta({ id: 'UpdateWebhookRequest' });

const answer = {
  id: uuid().describe('UUID of the webhook, in lower case.'),
  url: answerText(maxLength.url).describe('Where events are sent.'),
  events: z.array(z.enum(eventNames)).describe('The types of events that are sent.'),
  description: answerText(200).describe('A text for people.'),
  format: z.enum(formats).describe('`standard` or `discord`.'),
  state: z
    .enum(states)
    .describe('`disabled`: nothing is sent. An answer 410 and five days of failure disable it as well.'),
};

const secret = answerText(50).describe(
  'The key of its signatures: `whsec_` and the Base64 of 32 bytes. Keep it: no other answer has it.',
);

const WebhookResponse = z.object(answer).meta({ id: 'WebhookResponse' });
const WebhookSecretResponse = z.object({ ...answer, secret }).meta({ id: 'WebhookSecretResponse' });

const TestedWebhookResponse = z
  .object({ eventId: uuid().describe('UUID of the event `webhook.ping` that is sent.') })
  .meta({ id: 'TestedWebhookResponse' });

export const sendingStates = ['pending', 'delivered', 'failed'] as const;
export type SendingState = (typeof sendingStates)[number];

/** The data of the event that only a test sends. */
export const PingData = z.object({ webhookId: uuid().describe('UUID of the webhook that is tested.') });

/** The types of events, and the type that only a test sends. */
export const sentTypes = [...eventNames, 'webhook.ping'] as const;
export type SentEventType = (typeof sentTypes)[number];

const WebhookDeliveryResponse = z
  .object({
    id: uuid().describe('UUID of the delivery: that of its event.'),
    eventId: uuid().describe('UUID of the event, which the header `webhook-id` has.'),
    type: z.enum(sentTypes).describe('Type of the event.'),
    state: z.enum(sendingStates).describe('`pending`: it will be tried again. `delivered` and `failed`: it has ended.'),
    attempts: z.int().describe('Number of attempts so far.'),
    status: z.int().nullable().describe('Status of the last answer; null: there was none.'),
    lastError: answerTextOrNull(maxLength.failure).describe(
      'Why the last attempt failed, with the beginning of the answer; null: none has failed, or it is delivered.',
    ),
    nextAt: timeOrNull().describe('When it is tried next; null: it has ended.'),
  })
  .meta({ id: 'WebhookDeliveryResponse' });

export type WebhookFields = z.output<typeof CreateWebhookRequest>;
export type WebhookChange = z.output<typeof UpdateWebhookRequest>;
export type Webhook = z.output<typeof WebhookResponse>;
export type WebhookDelivery = z.output<typeof WebhookDeliveryResponse>;

const common = { scope: 'webhooks:write', extension: true, servedBy: 'webhooks' } as const;

export const createWebhook = route('POST /v1/webhooks', {
  id: 'webhooks/create-webhook',
  summary: 'Create a webhook',
  ...common,
  status: 201,
  problems: [400],
  body: CreateWebhookRequest,
  response: WebhookSecretResponse,
  writes: ['WEBHOOK', 'COUNT'],
});

export const listWebhooks = route('GET /v1/webhooks', {
  id: 'webhooks/list-webhooks',
  summary: 'List webhooks',
  ...common,
  query: z.object(pageQuery),
  response: listOf('WebhookListResponse', 'Webhooks, in the order of their creation', WebhookResponse),
  reads: ['WEBHOOK'],
});

export const getWebhook = route('GET /v1/webhooks/{id}', {
  id: 'webhooks/get-webhook',
  summary: 'Read a webhook',
  ...common,
  response: WebhookResponse,
  reads: ['WEBHOOK'],
});

export const updateWebhook = route('PUT /v1/webhooks/{id}', {
  id: 'webhooks/update-webhook',
  summary: 'Replace a webhook',
  ...common,
  body: UpdateWebhookRequest,
  response: WebhookResponse,
  writes: ['WEBHOOK'],
});

export const deleteWebhook = route('DELETE /v1/webhooks/{id}', {
  id: 'webhooks/delete-webhook',
  summary: 'Delete a webhook',
  ...common,
  writes: ['WEBHOOK'],
  makes: ['REMOVED'],
});

export const rotateWebhookSecret = route('POST /v1/webhooks/{id}/actions/rotate-secret', {
  id: 'webhooks/rotate-webhook-secret',
  summary: 'Give a webhook another secret',
  ...common,
  response: WebhookSecretResponse,
  writes: ['WEBHOOK'],
});

export const testWebhook = route('POST /v1/webhooks/{id}/actions/test', {
  id: 'webhooks/test-webhook',
  summary: 'Send a test event to a webhook',
  ...common,
  status: 202,
  response: TestedWebhookResponse,
  reads: ['WEBHOOK'],
  queue: true,
});

const filters = {
  state: z
    .enum(sendingStates, { error: 'must be pending, delivered or failed' })
    .optional()
    .describe('Only deliveries in this state.'),
};

export const listWebhookDeliveries = route('GET /v1/webhooks/{id}/deliveries', {
  id: 'webhooks/list-webhook-deliveries',
  summary: 'List the deliveries of a webhook',
  ...common,
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('WebhookDeliveryListResponse', 'Deliveries of events, the newest first', WebhookDeliveryResponse),
  reads: ['WEBHOOK'],
});
