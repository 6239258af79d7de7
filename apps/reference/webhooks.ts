import type * as z from 'zod';
import { signatureOf } from '../../lib/events/signature.ts';
import { type EventType, eventTypes } from '../../lib/routes/events.ts';
import { PingData, type SentEventType, sentTypes } from '../../lib/routes/webhooks.ts';
import { maxLength, time } from '../../lib/routes/wire.ts';
import { exampleOf } from './event-examples.ts';
import { examplesBegin, type Recordings } from './record.ts';
import { convert, type JsonSchema, refOf } from './schemas.ts';
import { exampleSecret } from './texts.ts';
import type { Parameter, WebhookRequest } from './types.ts';

/**
 * The messages that webhooks get, as webhooks in the OpenAPI document, made from the same types and schemas as the
 * payloads.
 */

/** The headers of Standard Webhooks. */
const headers: readonly { name: string; description: string; schema: JsonSchema }[] = [
  {
    name: 'webhook-id',
    description: 'UUID of the event. Repeats of it have the same one.',
    schema: { type: 'string', maxLength: maxLength.uuid },
  },
  {
    name: 'webhook-timestamp',
    description: 'When the message was sent, in seconds since 1970. Refuse one that is more than five minutes old.',
    schema: { type: 'string', maxLength: 20, pattern: '^\\d+$' },
  },
  {
    name: 'webhook-signature',
    description: 'One or two signatures, divided by a blank: for 24 hours after a rotation both secrets sign.',
    schema: {
      // Two signatures, and the blank between them.
      type: 'string',
      maxLength: 2 * 47 + 1,
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    },
  },
];

const isEvent = (type: SentEventType): type is EventType => type in eventTypes;

const schemaOf = (type: SentEventType): z.ZodType => (isEvent(type) ? eventTypes[type].data : PingData);

const exampleHeaders = (type: SentEventType, payload: object): Record<string, string> => {
  const id = `0b9df2a4-2c5e-8f10-9a33-${String(sentTypes.indexOf(type) + 1).padStart(12, '0')}`;
  const seconds = examplesBegin / 1000 + 1;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf({ id, seconds, body: JSON.stringify(payload) }, [exampleSecret]),
  };
};

const parametersOf = (examples: Record<string, string>): Parameter[] =>
  headers.map(({ name, description, schema }) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema,
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));

/** Only messages that `store trigger` makes have it. */
const sample: JsonSchema = {
  type: 'boolean',
  const: true,
  description:
    'Made up by the operator to try a receiver out: nothing of the kind has happened. Never book such an event.',
};

const payloadOf = (type: SentEventType): JsonSchema => ({
  type: 'object',
  properties: {
    type: { type: 'string', const: type, description: 'Type of the event.' },
    timestamp: { ...convert(time(), 'output'), description: 'When the change was made.' },
    ...(isEvent(type) && { sample }),
    data: isEvent(type) ? refOf(eventTypes[type].data, type) : convert(PingData, 'output'),
  },
  required: ['type', 'timestamp', 'data'],
});

const webhookExample = (type: SentEventType, recordings: Recordings | undefined): WebhookRequest => {
  const example = recordings && {
    type,
    timestamp: new Date(examplesBegin).toISOString(),
    data: schemaOf(type).parse(exampleOf(type, recordings)),
  };
  return {
    operationId: `${type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())}Webhook`,
    tags: ['Webhooks'],
    summary: isEvent(type) ? eventTypes[type].summary : 'A test that `actions/test` of a webhook has asked for.',
    security: [],
    parameters: parametersOf(example ? exampleHeaders(type, example) : {}),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: payloadOf(type), ...(example && { example }) } },
    },
    responses: {
      '2XX': { description: 'Taken. Anything else, redirects included, is tried again later.' },
      410: { description: 'Disables the webhook.' },
    },
  };
};

/**
 * A request for each type that is sent. Their examples are made from the API's recorded answers. Without recordings
 * there are none.
 */
export const webhooks = (recordings: Recordings | undefined): Record<string, { post: WebhookRequest }> =>
  Object.fromEntries(sentTypes.map((type) => [type, { post: webhookExample(type, recordings) }]));
