import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handler } from '../functions/stream-consumer.ts';
import { changeCredit } from '../lib/credit/change.ts';
import { type HistoryItem, historyKey, historyPartition } from '../lib/credit/history.ts';
import { creditTypes } from '../lib/credit/rules.ts';
import { logSink } from '../lib/log.ts';
import { customerUpsert } from '../lib/store/customers.ts';
import { tableName } from '../lib/table/client.ts';
import { type Key, partition } from '../lib/table/schema.ts';
import { get, rowsOf, write } from '../lib/table/table.ts';
import { followStream } from '../local/stream.ts';
import { randomFrom } from '../test/support/faults.ts';
import { makeUpChanges } from '../test/support/stream-records.ts';
import { newTable, quantile, report, rounded, withTable } from './support.ts';

/** One run of the consumer, or the time until a change is in history. */
export interface HistoryRun {
  run: string;
  /** Rows of history. */
  rows: number;
  /** Records that the consumer was given. */
  records: number;
  kills: number;
  rowsPerSecond: number;
}

export interface HistoryDelay {
  changesPerSecond: number;
  median: number;
  p99: number;
}

interface Options {
  changes: number;
  customers: number;
  kills: number;
  seed?: number;
}

const store = 'bench';
const consumers = 2;
const batchSize = 500;

/** A text of a value that does not depend on the order of its attributes. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** A digest of a set of rows, in whatever order they are added. */
const newDigest = () => {
  const sum = Buffer.alloc(32);
  let count = 0;
  return {
    add: (row: object): void => {
      const hash = createHash('sha256').update(canonical(row)).digest();
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) ^ (hash[i] as number);
      count += 1;
    },
    text: (): string => `${count} rows, ${sum.toString('hex')}`,
    count: (): number => count,
  };
};

/** Made-up records, which stand in a file as JSON, since millions of them do not fit into memory. */
const makeRecords = (dir: string, { changes, customers }: Options, random: () => number) => {
  const uuids = Array.from(
    { length: customers },
    (_, index) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`,
  );
  const next = makeUpChanges(random, store, uuids);
  const file = openSync(join(dir, 'records'), 'w+');
  const starts: number[] = [0];
  const expected = newDigest();
  let end = 0;
  for (let made = 0; made < changes; made++) {
    const { records, rows } = next();
    for (const record of records) {
      end += writeSync(file, JSON.stringify(record));
      starts.push(end);
    }
    for (const { key, row, parts } of rows) expected.add({ ...key, ...row, ...(parts.length > 0 && { lots: parts }) });
  }
  const count = starts.length - 1;
  const eventOf = (batch: Int32Array): string => {
    const texts = Array.from(batch, (index) => {
      const from = starts[index] as number;
      const bytes = Buffer.alloc((starts[index + 1] as number) - from);
      readSync(file, bytes, 0, bytes.length, from);
      return bytes.toString();
    });
    return `{"Records":[${texts.join(',')}]}`;
  };
  return { uuids, count, expected, eventOf, close: () => closeSync(file) };
};

/** Starts a consumer. `consume` answers false where it failed or died. */
const startConsumer = () => {
  const child: ChildProcess = fork(join(import.meta.dirname, 'history-consumer.ts'), { serialization: 'advanced' });
  const gone = once(child, 'exit').then(() => false);
  return {
    consume: async (event: string): Promise<boolean> => {
      const answered = once(child, 'message').then(([failed]) => failed === 0);
      child.send(event, () => {});
      return Promise.race([answered, gone]);
    },
    isDead: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => child.kill('SIGKILL'),
    stop: async (): Promise<void> => {
      child.disconnect();
      await gone;
    },
  };
};

/** Has consumers take all records of `order` in batches. Those of a consumer that dies are taken again. Answers the seconds. */
const consumeAll = async (
  { eventOf }: ReturnType<typeof makeRecords>,
  order: Int32Array,
  { kills, sizeOf, random }: { kills: number; sizeOf: () => number; random: () => number },
): Promise<{ seconds: number; killed: number }> => {
  let next = 0;
  let killed = 0;
  const again: Int32Array[] = [];
  const take = (): Int32Array | undefined => {
    const repeated = again.pop();
    if (repeated || next >= order.length) return repeated;
    const start = next;
    next = Math.min(order.length, start + sizeOf());
    return order.subarray(start, next);
  };
  const started = performance.now();
  const work = async (): Promise<void> => {
    let consumer = startConsumer();
    for (let batch = take(); batch; batch = take()) {
      const isLast = random() * (order.length / batchSize) < kills / 2;
      const death = isLast ? setTimeout(() => consumer.kill(), random() * 60) : undefined;
      if (!(await consumer.consume(eventOf(batch)))) again.push(batch);
      clearTimeout(death);
      if (!consumer.isDead()) continue;
      killed += 1;
      consumer = startConsumer();
    }
    await consumer.stop();
  };
  await Promise.all(Array.from({ length: consumers }, work));
  return { seconds: (performance.now() - started) / 1000, killed };
};

/** The rows of history and the sums of days in the table. */
const readHistory = async (uuids: readonly string[]) => {
  const rows = newDigest();
  for (const uuid of uuids)
    for (const type of creditTypes)
      for (const row of await rowsOf<HistoryItem>({ partition: historyPartition(store, uuid, type) })({
        descending: false,
      }))
        rows.add(row);
  const days: Record<string, Record<string, number>> = {};
  for (const { pk, sk, ...sums } of await rowsOf<Key>({ partition: partition(store, 'DAY') })({ descending: false })) {
    const day = sk.slice(0, 10);
    days[day] ??= {};
    for (const [name, sum] of Object.entries(sums)) days[day][name] = (days[day][name] ?? 0) + Number(sum);
  }
  return { rows, days: canonical(days) };
};

/** Makes history of made-up records: once in order, and once shuffled, tripled, cut, and by consumers that are killed. */
const measureRuns = async (options: Options): Promise<HistoryRun[]> => {
  const seed = options.seed ?? randomInt(2 ** 31);
  console.log(`--seed ${seed}`);
  const random = randomFrom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'bench-history-'));
  const made = makeRecords(dir, options, random);
  try {
    const ordered = Int32Array.from({ length: made.count }, (_, index) => index);
    const shuffled = Int32Array.from({ length: 3 * made.count }, (_, index) => index % made.count);
    for (let index = shuffled.length - 1; index > 0; index--) {
      const other = Math.floor(random() * (index + 1));
      [shuffled[index], shuffled[other]] = [shuffled[other] as number, shuffled[index] as number];
    }
    const runs = [
      { run: 'in order', order: ordered, kills: 0, sizeOf: () => batchSize },
      {
        run: 'shuffled, tripled, cut, killed',
        order: shuffled,
        kills: options.kills,
        sizeOf: () => 1 + Math.floor(random() * batchSize),
      },
    ];
    const days: string[] = [];
    const rows: HistoryRun[] = [];
    for (const { run, order, ...how } of runs) {
      // Nothing reads a stream here, and to keep one doubles the work of this engine. DynamoDB's burdens no writer.
      await newTable();
      const { seconds, killed } = await consumeAll(made, order, { ...how, random });
      const { rows: found, days: sums } = await readHistory(made.uuids);
      if (found.text() !== made.expected.text())
        throw new Error(`${run}: ${found.text()}, not ${made.expected.text()}.`);
      days.push(sums);
      const count = found.count();
      rows.push({ run, rows: count, records: order.length, kills: killed, rowsPerSecond: rounded(count / seconds, 0) });
    }
    if (new Set(days).size > 1) throw new Error('The sums of the days differ.');
    return rows;
  } finally {
    made.close();
    rmSync(dir, { recursive: true });
  }
};

const delaySeconds = 10;
const changesPerSecond = 100;

/** The time from the answer to a change until its row can be read, under changes of all customers. */
const measureDelay = async (): Promise<HistoryDelay[]> => {
  await newTable({ streamed: true });
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const stream = followStream({ endpoint, table: tableName(), consumer: handler, onPlace: () => {} });
  const millis: number[] = [];
  const customer = async (): Promise<void> => {
    const uuid = randomUUID();
    await write(customerUpsert(store, { uuid, username: uuid }));
    await sleep(Math.random() * 1000);
    for (let sequence = 1; sequence <= delaySeconds; sequence++) {
      const begun = performance.now();
      await changeCredit(store, { uuid }, 'regular', { kind: 'increment', delta: 1 }, { by: 'bench' });
      const changed = performance.now();
      const key = historyKey(store, uuid, 'regular', sequence);
      while (!(await get<HistoryItem>(key))?.kind) await sleep(40);
      millis.push(performance.now() - changed);
      await sleep(Math.max(0, 1000 - (performance.now() - begun)));
    }
  };
  await Promise.all(Array.from({ length: changesPerSecond }, customer));
  await stream.stop();
  return [{ changesPerSecond, median: rounded(quantile(millis, 0.5), 0), p99: rounded(quantile(millis, 0.99), 0) }];
};

/** How fast the stream's consumer makes history, whatever becomes of records and consumers, and how far it is behind. */
export const measureHistory = (options: Options): Promise<void> =>
  withTable(async () => {
    logSink.write = () => {};
    report('history', await measureRuns(options));
    report('history-delay', await measureDelay(), 'history');
  });
