import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventTypes } from '../../../lib/routes/events.ts';
import { sentTypes } from '../../../lib/routes/webhooks.ts';
import type { OpenApiDocument } from '../types.ts';

const { webhooks, components, info }: OpenApiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

const bodyOf = (type: string) => webhooks[type]?.post.requestBody.content['application/json'];

test('each type of event that is sent has one message, whose data has the schema of the API', () => {
  const dataOf = sentTypes.map((type) => [
    type,
    (bodyOf(type)?.schema.properties?.data as { $ref?: string } | undefined)?.$ref,
  ]);

  const refs = Object.entries(eventTypes).map(([type, { data }]) => [type, `#/components/schemas/${data.meta()?.id}`]);
  expect(Object.keys(webhooks)).toEqual(sentTypes);
  expect(dataOf).toEqual([...refs, ['webhook.ping', undefined]]);
  for (const [, ref = ''] of refs) expect(components.schemas).toHaveProperty([ref.split('/').at(-1) ?? '']);
});

test.each(sentTypes)('the example of %s has the form of its message, and its signature', (type) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components, webhooks });
  const inMessage = `document#/webhooks/${type}/post`;
  const isBody = (value: unknown) =>
    ajv.validate({ $ref: `${inMessage}/requestBody/content/application~1json/schema` }, value);
  const [secret = ''] = /whsec_[\w+/]+=/.exec(String(info.description)) ?? [];
  const payload = bodyOf(type)?.example as object;
  const parameters = webhooks[type]?.post.parameters ?? [];
  const headers = Object.fromEntries(parameters.map(({ name, example }) => [name, String(example)]));

  const signed = new Webhook(secret).sign(
    headers['webhook-id'] ?? '',
    new Date(1000 * Number(headers['webhook-timestamp'])),
    JSON.stringify(payload),
  );

  expect(isBody(payload), ajv.errorsText()).toBe(true);
  expect(isBody({ ...payload, data: {} })).toBe(false);
  expect(parameters.map((one) => [one.name, one.in, one.required])).toEqual(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, 'header', true]),
  );
  for (const [index, { name }] of parameters.entries())
    expect(ajv.validate({ $ref: `${inMessage}/parameters/${index}/schema` }, headers[name]), name).toBe(true);
  expect(headers['webhook-signature']).toBe(signed);
});
