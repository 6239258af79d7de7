import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, test } from 'vitest';
import { comeBackAfter, sendMessages } from '../../../lib/delivery/queue.ts';
import { ensureQueues, startQueue } from '../../../local/engines/queue.ts';

const dir = mkdtempSync(join(tmpdir(), 'store-queue-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a queue on disk keeps a message that comes back at once', async () => {
  const queue = await startQueue(dir);
  process.env.AWS_ENDPOINT_URL_SQS = queue.endpoint;
  const { url } = await ensureQueues(queue.endpoint);
  process.env.DELIVERY_QUEUE_URL = url;
  const client = new SQSClient({});
  const receive = async () =>
    (await client.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 10 }))).Messages?.[0];
  await sendMessages('store', [{ kind: 'hand-over', store: 'store' }]);
  const first = await receive();

  await comeBackAfter(first?.ReceiptHandle ?? '', 0, 'quick');

  expect((await receive())?.MessageId).toBe(first?.MessageId);
  client.destroy();
  await queue.stop();
});
