import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolver } from '../../lib/delivery/address.ts';
import { logSink } from '../../lib/log.ts';
import { auditTable } from '../../lib/operator/audit-credit.ts';
import { routes } from '../../lib/routes/routes.ts';
import { db, tableName } from '../../lib/table/client.ts';
import { messagesOn, startTestQueue } from '../../test/support/deliveries.ts';
import type { FuzzRequest } from '../../test/support/requests.ts';
import { freshTable, startTestService, wholeTable } from '../../test/support/service.ts';
import { trials } from '../../test/support/volume.ts';
import { requestTag, watchWrites } from '../../test/support/writes.ts';
import { checkAnswer } from './checks.ts';
import { canSucceed } from './expectation.ts';
import { newFixtures } from './fixtures.ts';
import { requests } from './mutations.ts';
import { send } from './send.ts';

/**
 * Sends random requests to every endpoint, valid ones and ones with one fault. `FUZZ_REQUESTS` sets their number. Each
 * block of requests has its own store and seed, so `FUZZ_SEED` replays a block or continues from it. `FUZZ_PATH` also
 * limits the replay to the failed request.
 */
const wanted = Number(process.env.FUZZ_REQUESTS ?? trials(80, 10_000));
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const path = process.env.FUZZ_PATH;
const blockSize = Math.min(wanted, 2000);
const atOnce = 16;

/** Endpoints that put one message on the queue for each 200. */
const queueing = [
  'products/deliver-product',
  'products/redeliver-product',
  'deliveries/retry-delivery',
  'webhooks/test-webhook',
];

let service: Awaited<ReturnType<typeof startTestService>>;
let writtenBy: ReturnType<typeof watchWrites>;
let queueUrl: string;
const stacks: unknown[] = [];
const { lookup } = resolver;

beforeAll(async () => {
  queueUrl = (await startTestQueue()).url;
  // The gateway remembers the key that ends itself for the whole run, so that row is always answered 204.
  service = await startTestService({ authorizerTtlSeconds: 3600 });
  writtenBy = watchWrites();
  process.env.DISPENSER_LOOPBACK = 'allowed';
  resolver.lookup = async () => [{ address: '127.0.0.1' }];
  logSink.write = (fields) => {
    if ('stack' in fields) stacks.push(fields.stack);
  };
});
afterAll(() => {
  resolver.lookup = lookup;
});

/** Removes all messages from the queue. Returns their number. */
const emptyQueue = async (): Promise<number> => {
  const count = await messagesOn(queueUrl);
  const client = new SQSClient({});
  await client.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
  client.destroy();
  return count;
};

let sent = 0;
let queued = 0;
const answered = new Map<string, number>();

/** Sends a request, checks its answer, and returns the status. */
const tryOut = async (request: FuzzRequest, { alone = false } = {}): Promise<number | undefined> => {
  const tag = String(++sent);
  const answer = await send(Number(new URL(service.baseUrl).port), request, [requestTag, tag]);
  try {
    checkAnswer(request, answer, writtenBy(tag), { alone });
  } catch (error) {
    throw new Error(`${request.mutation}: ${error} ${stacks.at(-1) ?? ''}`);
  }
  const replayed = answer?.headers.has('idempotent-replayed');
  if (queueing.includes(request.row) && (answer?.status === 200 || answer?.status === 202) && !replayed) queued += 1;
  const outcome = `${request.row} ${answer?.status}`;
  answered.set(outcome, (answered.get(outcome) ?? 0) + 1);
  return answer?.status;
};

const runBlock = async (blockSeed: number): Promise<void> => {
  await freshTable();
  const { store, fill } = await newFixtures(service);
  queued = 0;
  const batches = fc.array(requests, { minLength: 1, maxLength: atOnce, size: 'max' });
  const result = await fc.check(
    fc.asyncProperty(batches, async (batch) => {
      const filled = batch.map(fill);
      const results = await Promise.allSettled(filled.map((request) => tryOut(request)));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      // A request that was answered 503 beside the others must succeed by itself.
      for (const [index, request] of filled.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled' && result.value === 503) await tryOut(request, { alone: true });
      }
    }),
    { seed: blockSeed, numRuns: Math.ceil((2 * blockSize) / atOnce), ...(path && { path }) },
  );
  const items = await wholeTable(store);
  await db.send(new DeleteTableCommand({ TableName: tableName() }));
  if (result.failed)
    throw new Error(
      `FUZZ_SEED=${blockSeed} FUZZ_PATH=${result.counterexamplePath} ${fc.stringify(result.counterexample)}`,
      { cause: result.errorInstance },
    );
  expect(auditTable(items), 'books of credit that do not add up').toEqual([]);
  expect(await emptyQueue(), 'messages on the queue, one for each delivery that was answered 200').toBe(queued);
};

test(`${wanted} requests from FUZZ_SEED=${seed} get declared answers, and refused ones write nothing`, {
  timeout: 180_000 + wanted * 100,
}, async () => {
  for (let block = 0; sent < wanted; block++) {
    await runBlock(seed + block);
    if (path) return;
    if (wanted > 10_000) console.log(`${sent} requests; the next block is FUZZ_SEED=${seed + block + 1}`);
  }

  if (wanted > 10_000) console.log(Object.fromEntries([...answered].sort()));
  const never = routes.filter((row) => canSucceed(row) && !answered.has(`${row.id} ${row.status}`)).map(({ id }) => id);
  if (wanted >= 10_000) expect(never).toEqual([]);
});
