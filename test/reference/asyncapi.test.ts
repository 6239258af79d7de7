import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventTypes } from '../../lib/routes/events.ts';
import { sentTypes } from '../../lib/routes/webhooks.ts';
import type { asyncDocument } from '../../reference/asyncapi.ts';

type Document = ReturnType<typeof asyncDocument>;

const { resolve } = createRequire(import.meta.url);
const specification = JSON.parse(readFileSync(resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json'), 'utf8'));
const document: Document = JSON.parse(readFileSync('docs/asyncapi.json', 'utf8'));
const openapi = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const { messages } = document.channels.webhook;

/** The faults of a document by the JSON schema of AsyncAPI 3.0. */
const faultsOf = (() => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(specification);
  return (value: object): unknown[] => (validate(value) ? [] : (validate.errors ?? []));
})();

test('the document is valid by the JSON schema of AsyncAPI 3.0, which refuses a broken one', () => {
  const broken = { ...document, operations: { sendEvent: { ...document.operations.sendEvent, action: 'emit' } } };

  expect(faultsOf(document)).toEqual([]);
  expect(faultsOf(broken)).not.toEqual([]);
});

test('each type of event that is sent has one message, whose data has the schema of the API', () => {
  const dataOf = Object.entries(messages).map(([name, { payload }]) => [name, payload.properties.data.$ref]);

  const refs = Object.entries(eventTypes).map(([type, { data }]) => [type, `#/components/schemas/${data.meta()?.id}`]);
  expect(dataOf).toEqual([...refs, ['webhook.ping', undefined]]);
  expect(document.operations.sendEvent.messages.map(({ $ref }) => $ref)).toEqual(
    refs.map(([type]) => `#/channels/webhook/messages/${type}`),
  );
  for (const [name, { properties, required }] of Object.entries(document.components.schemas)) {
    const ofApi = openapi.components.schemas[name];
    expect([Object.keys(properties ?? {}), required], name).toEqual([Object.keys(ofApi.properties), ofApi.required]);
  }
});

test.each(sentTypes)('the example of %s has the form of its message, and its signature', (type) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  const isOf = (pointer: string, value: unknown) => ajv.validate({ $ref: `document#${pointer}` }, value);
  const [example] = messages[type]?.examples ?? [];
  const { description } = document.components.messageTraits.StandardWebhook.headers.properties['webhook-signature'];
  const [secret = ''] = /whsec_[\w+/]+=/.exec(description) ?? [];
  const { headers, payload } = example as NonNullable<typeof example>;
  const signed = new Webhook(secret).sign(
    headers['webhook-id'],
    new Date(1000 * Number(headers['webhook-timestamp'])),
    JSON.stringify(payload),
  );

  expect(isOf(`/channels/webhook/messages/${type}/payload`, payload), ajv.errorsText()).toBe(true);
  expect(isOf('/components/messageTraits/StandardWebhook/headers', headers), ajv.errorsText()).toBe(true);
  expect(isOf(`/channels/webhook/messages/${type}/payload`, { ...payload, data: {} })).toBe(false);
  expect(headers['webhook-signature']).toBe(signed);
});
