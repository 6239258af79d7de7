import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { decodeMessage } from '../../../lib/delivery/message.ts';
import { uuidPattern } from '../../../lib/identifier.ts';
import { received, startTestQueue } from '../../support/deliveries.ts';
import { ada, seedResidents } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let queueUrl: string;
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
await seedResidents();
afterEach(() => {
  process.env.DELIVERY_QUEUE_URL = queueUrl;
  vi.restoreAllMocks();
});

const aProduct = async (fields = {}): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'Red lamp', price: 10, ...fields })).body.id;

const deliver = (id: string, body: unknown, call = service.call) =>
  call('POST', `/v1/products/${id}/actions/deliver`, body);

test('200s once the queue has the whole order in the store’s group, and writes nothing', async () => {
  const id = await aProduct({ item: 'Lamp (boxed)' });
  const before = await wholeTable();
  // The local queue server does not return the group of a message.
  const send = vi.spyOn(SQSClient.prototype, 'send');

  const { status, body, cost, headers } = await deliver(id, {
    recipientIdentifier: 'Ada Lovelace',
    message: ' Enjoy! ',
  });

  expect(status).toBe(200);
  expect(headers.get('delivery-id')).toMatch(uuidPattern);
  expect(body).toEqual({
    productId: id,
    recipientUuid: ada.uuid,
    recipientUsername: ada.username,
    queued: true,
    message: 'Enjoy!',
  });
  expect(cost?.steps).toBe(1);
  expect(await wholeTable()).toEqual(before);
  const [message, ...others] = await received(queueUrl);
  expect(others).toEqual([]);
  expect(send.mock.calls[0]?.[0].input).toMatchObject({ MessageGroupId: service.store });
  expect(decodeMessage(message ?? '')).toEqual({
    kind: 'deliver',
    store: service.store,
    id: headers.get('delivery-id'),
    productId: id,
    recipientUuid: ada.uuid,
    recipientUsername: ada.username,
    item: 'Lamp (boxed)',
    message: 'Enjoy!',
    createdAt: expect.any(String),
  });
});

test('carries every legal character of a message through the queue', async () => {
  const message = `🎁👩‍👩‍👧 "quoted" \\ back\tslash\r\nline two \u2028 \u00ff \u{10ffff} ${'é'.repeat(400)}`;

  const { body } = await deliver(await aProduct(), { recipientIdentifier: ada.uuid, message });

  expect(body.message).toBe(message);
  const [sent] = await received(queueUrl);
  expect(sent).toMatch(/^[\x20-\x7e]+$/);
  expect(decodeMessage(sent ?? '')).toMatchObject({ message });
});

test.each([
  ['a malformed recipient', { recipientIdentifier: 'no such.name.at all' }],
  ['an unknown recipient', { recipientIdentifier: 'nobody' }],
  ['a missing recipient', {}],
  ['a message of 1024 bytes', { recipientIdentifier: ada.uuid, message: 'é'.repeat(512) }],
  ['a message with a control character', { recipientIdentifier: ada.uuid, message: 'a\u0007b' }],
  ['no body', undefined],
])('400s for %s and queues nothing', async (_, body) => {
  const { status } = await deliver(await aProduct(), body);

  expect(status).toBe(400);
  expect(await received(queueUrl)).toEqual([]);
});

test('404s for an inactive product, an unknown one and one of another store, and queues nothing', async () => {
  const inactive = await aProduct({ active: false });
  const foreign = await aProduct();

  const answers = await Promise.all([
    deliver(inactive, { recipientIdentifier: ada.uuid }),
    deliver(ada.uuid, { recipientIdentifier: ada.uuid }),
    deliver(foreign, { recipientIdentifier: ada.uuid }, service.callOther),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(await received(queueUrl)).toEqual([]);
});

test('503s with Retry-After if the queue is down, and writes nothing', async () => {
  const id = await aProduct();
  const before = await wholeTable();
  const sqs = mockClient(SQSClient);
  onTestFinished(() => sqs.restore());

  for (const name of ['QueueDoesNotExist', 'RequestThrottled', 'KmsAccessDenied', 'TimeoutError']) {
    sqs.on(SendMessageCommand).rejects(Object.assign(new Error('internal detail'), { name }));
    const { status, headers, body } = await deliver(id, { recipientIdentifier: ada.uuid });

    expect(status, name).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect(body.title).toBe('Service Unavailable');
    expect(JSON.stringify(body)).not.toContain('internal detail');
  }
  expect(await wholeTable()).toEqual(before);
});

test('503s within 6 seconds if the queue never answers', async () => {
  const id = await aProduct();
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  process.env.DELIVERY_QUEUE_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/0/deliveries`;
  const started = performance.now();

  const { status } = await deliver(id, { recipientIdentifier: ada.uuid });

  expect(status).toBe(503);
  expect(performance.now() - started).toBeLessThan(6000);
  silent.close();
});
