import type * as z from 'zod';
import { signatureOf } from '../lib/events/signature.ts';
import { type EventType, eventNames, eventTypes } from '../lib/routes/events.ts';
import { PingData, type SentType, sentTypes } from '../lib/routes/webhooks.ts';
import { maxLength, time } from '../lib/routes/wire.ts';
import { exampleOf } from './event-examples.ts';
import { examplesBegin, type Recordings } from './record.ts';
import { convert, type JsonSchema, refOf, schemaComponents } from './schemas.ts';

/** The AsyncAPI 3.0 document of the messages that webhooks get, from the same types and schemas as the payloads. */

const introduction = `The events that the service sends to the webhooks of a store, signed as
[Standard Webhooks 1.0](https://www.standardwebhooks.com) have it. The OpenAPI document beside this one has the endpoints that create
webhooks and list events.

**Delivery.** Each message is a POST to the address of a webhook. An event arrives at least once, in no promised order. Its repeats have
the same \`webhook-id\`, which is also its \`id\` in \`GET /v1/events\`: remember the ids that you have handled.

**Answer** any 2xx within ten seconds. Anything else, redirects included, is tried again after 5 seconds, 5 minutes, 30 minutes, 2, 5, 10,
14, 20 and 24 hours, or later where \`Retry-After\` asks for it. 410 disables the webhook, as do five days of failure.

**Signature.** Compare one of the signatures in \`webhook-signature\` with your own, in constant time, before you trust a message.`;

/** The examples are signed with it. */
const exampleSecret = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`;

/** The headers of Standard Webhooks. */
const headersSchema = {
  type: 'object',
  properties: {
    'webhook-id': {
      ...{ type: 'string', maxLength: maxLength.uuid },
      description: 'UUID of the event. Repeats of it have the same one.',
    },
    'webhook-timestamp': {
      ...{ type: 'string', maxLength: 20 },
      pattern: '^\\d+$',
      description: 'When the message was sent, in seconds since 1970. Refuse one that is more than five minutes old.',
    },
    'webhook-signature': {
      // Two signatures, and the blank between them.
      ...{ type: 'string', maxLength: 2 * 47 + 1 },
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
      description:
        'One or two signatures, divided by a blank: for 24 hours after a rotation both secrets sign. Each is `v1,` and the Base64 of ' +
        'the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, with the body as it was received. The key is the Base64-decoded ' +
        `rest of the secret after \`whsec_\`. The examples here are written without blanks and signed with \`${exampleSecret}\`.`,
    },
  },
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
};

const isEvent = (type: SentType): type is EventType => type in eventTypes;

const schemaOf = (type: SentType): z.ZodType => (isEvent(type) ? eventTypes[type].data : PingData);

const exampleHeaders = (type: SentType, payload: object) => {
  const id = `0b9df2a4-2c5e-8f10-9a33-${String(sentTypes.indexOf(type) + 1).padStart(12, '0')}`;
  const seconds = examplesBegin / 1000 + 1;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf({ id, seconds, body: JSON.stringify(payload) }, [exampleSecret]),
  };
};

/** Only the messages that `store trigger` makes have it. */
const sample = {
  type: 'boolean',
  const: true,
  description:
    'Made up by the operator to try a receiver out: nothing of the kind has happened. Never book such an event.',
};

const messageOf = (type: SentType, recordings: Recordings | undefined) => {
  const summary = isEvent(type) ? eventTypes[type].summary : 'A test that `actions/test` of a webhook has asked for.';
  const payload = recordings && {
    type,
    timestamp: new Date(examplesBegin).toISOString(),
    data: schemaOf(type).parse(exampleOf(type, recordings)),
  };
  return {
    name: type,
    title: type,
    summary,
    traits: [{ $ref: '#/components/messageTraits/StandardWebhook' }],
    payload: {
      type: 'object',
      properties: {
        type: { type: 'string', const: type, description: 'Type of the event.' },
        timestamp: { ...convert(time(), 'output'), description: 'When the change was made.' },
        ...(isEvent(type) && { sample }),
        data: isEvent(type) ? refOf(eventTypes[type].data, type) : convert(PingData, 'output'),
      },
      required: ['type', 'timestamp', 'data'],
    },
    ...(payload && { examples: [{ name: 'example', headers: exampleHeaders(type, payload), payload }] }),
  };
};

const refsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = value as { $ref?: unknown };
  const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(.*)$/.exec($ref)?.[1] : undefined;
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(refsIn)];
};

/** AsyncAPI ignores members beside a reference. */
const besideRefs = (_: string, value: unknown): unknown => {
  const { $ref, ...rest } = (value ?? {}) as { $ref?: string };
  return $ref !== undefined && Object.keys(rest).length > 0 ? { ...rest, allOf: [{ $ref }] } : value;
};

/** The schemas that are referred to, by name. */
const schemasFor = (messages: object): Record<string, JsonSchema> => {
  const all = schemaComponents();
  const needed = new Set(refsIn(messages));
  // The loop over a set also reaches elements that it adds.
  for (const name of needed) for (const other of refsIn(all[name])) needed.add(other);
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => needed.has(name)));
  return JSON.parse(JSON.stringify(schemas), besideRefs);
};

const security = [{ $ref: '#/components/securitySchemes/signature' }];

const inChannel = (type: SentType) => ({ $ref: `#/channels/webhook/messages/${type}` });

/** The document. Its examples are made of the recorded answers of the API; without recordings it has none. */
export const asyncDocument = ({ version, recordings }: { version: string; recordings?: Recordings }) => {
  const messages = Object.fromEntries(sentTypes.map((type) => [type, messageOf(type, recordings)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Store Integration Service: events',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      receiver: {
        host: '{host}',
        protocol: 'https',
        description: 'Your receiver: the address of a webhook, on port 443 of a public host.',
        variables: { host: { default: 'shop.example.com', description: 'Host of the address of the webhook.' } },
      },
    },
    channels: {
      webhook: {
        title: 'Webhook',
        // A channel without an address has one that is known at runtime only.
        description:
          'The address of one webhook, which its owner has chosen. It gets the types of events that the webhook subscribes to.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages,
      },
    },
    operations: {
      sendEvent: {
        action: 'send',
        channel: { $ref: '#/channels/webhook' },
        summary: 'Sends an event to a webhook that subscribes to its type.',
        security,
        messages: eventNames.map(inChannel),
      },
      sendTest: {
        action: 'send',
        channel: { $ref: '#/channels/webhook' },
        summary: 'Sends a test to a webhook, which need not subscribe to it.',
        security,
        messages: [inChannel('webhook.ping')],
      },
    },
    components: {
      schemas: schemasFor(messages),
      securitySchemes: {
        signature: {
          type: 'httpApiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'The signature of Standard Webhooks, made with the secret of the webhook.',
        },
      },
      messageTraits: { StandardWebhook: { contentType: 'application/json', headers: headersSchema } },
    },
  };
};
