import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { handler } from '../../functions/stream-consumer.ts';
import { bundle, bundleDir } from '../../infra/bundle.ts';
import { streamSource } from '../../infra/stream.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { type HistoryItem, historyKey, historyPartition } from '../../lib/credit/history.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type DayItem, sumsOf } from '../../lib/events/days.ts';
import { logSink } from '../../lib/log.ts';
import { customerUpsert } from '../../lib/store/customers.ts';
import { tableName } from '../../lib/table/client.ts';
import { partition } from '../../lib/table/schema.ts';
import { get, rowsOf, write } from '../../lib/table/table.ts';
import { followStream } from '../../local/engines/stream.ts';
import { randomFrom } from '../../test/support/faults.ts';
import { makeUpChanges } from '../../test/support/stream-records.ts';
import { newTable, quantile, report, rounded, withTable } from './support.ts';

/** One run of the consumer, or the time until a change is in history. */
interface HistoryRun {
  run: string;
  /** Rows of history. */
  rows: number;
  /** Records that the consumer was given. */
  records: number;
  kills: number;
  rowsPerSecond: number;
}

interface HistoryDelay {
  changesPerSecond: number;
  median: number;
  p99: number;
}

const runs = ['ordered', 'shuffled'] as const;
type Run = (typeof runs)[number];

interface Options {
  changes: number;
  customers: number;
  kills: number;
  seed?: number;
  /** One of them alone; nothing is written to proof/bench/results then. */
  run?: Run;
}

const store = 'bench';
/** As a busy table has. So the engine has work at all times. */
const shardCount = 8;
const { batchSize } = streamSource;

/** More than a stream holds, so that a batch out of order counts in more days than one of a stream can. */
const days = 10;

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

type DaySums = Record<string, Record<string, number>>;

/** Adds sums to those of the day of `at`. A sum of 0 is absent. */
const count = (days: DaySums, at: string, sums: Record<string, number>): void => {
  const day = at.slice(0, 10);
  days[day] ??= {};
  for (const [name, sum] of Object.entries(sums)) if (sum !== 0) days[day][name] = (days[day][name] ?? 0) + sum;
};

/** The shard that has the records of an item: any, but always the same one. */
const shardOf = (key: object | undefined): number =>
  (createHash('sha256').update(JSON.stringify(key)).digest()[0] as number) % shardCount;

/** As long as those of DynamoDB. */
const eventIdOf = (number: number): string => number.toString(16).padStart(32, '0');

/** Made-up records, which stand in a file as JSON, since millions of them do not fit into memory. */
const makeRecords = (dir: string, { changes, customers }: Options, random: () => number) => {
  const uuids = Array.from(
    { length: customers },
    (_, index) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`,
  );
  const next = makeUpChanges(random, store, uuids, { changesPerHour: changes / (24 * days) });
  const path = join(dir, 'records');
  const file = openSync(path, 'w');
  const starts: number[] = [0];
  const shards = Array.from({ length: shardCount }, (): number[] => []);
  const expected = newDigest();
  const sumsOfDays: DaySums = {};
  let ids = 0;
  let end = 0;
  for (let made = 0; made < changes; made++) {
    const { records, rows } = next();
    for (const [place, { dynamodb }] of records.entries()) shards[shardOf(dynamodb?.Keys)]?.push(ids + place);
    const texts = records.map((record) => JSON.stringify({ ...record, eventID: eventIdOf(++ids) }));
    for (const { length } of texts) {
      end += length;
      starts.push(end);
    }
    writeSync(file, texts.join(''), null, 'latin1');
    for (const { key, row, parts } of rows) {
      expected.add({ ...key, ...row, ...(parts.length > 0 && { lots: parts }) });
      const { at, kind, amount, expired } = row;
      const isSpent = kind === 'sale';
      count(sumsOfDays, at, {
        [isSpent ? 'creditSpent' : amount > 0 ? 'creditAdded' : 'creditRemoved']: isSpent ? -amount : Math.abs(amount),
        creditExpired: expired,
        [`${key.pk.split('#')[3]}Net`]: amount - expired,
      });
    }
  }
  closeSync(file);
  /** Where the records of a batch begin and end in the file. */
  const placesOf = (batch: Int32Array): Float64Array =>
    Float64Array.from({ length: 2 * batch.length }, (_, i) => starts[(batch[i >> 1] as number) + (i % 2)] as number);
  return {
    uuids,
    shards: shards.map((records) => Int32Array.from(records)),
    path,
    placesOf,
    expected: { rows: expected.text(), days: canonical(sumsOfDays) },
  };
};

/** Starts a consumer of a shard. `consume` answers false where it failed or died. */
const startConsumer = (bundle: string, records: string, shard: string) => {
  const child: ChildProcess = fork(bundle, [records], { serialization: 'advanced' });
  const gone = once(child, 'exit').then(() => false);
  return {
    consume: async (places: Float64Array): Promise<boolean> => {
      const answered = once(child, 'message').then(([outcome]) => outcome === 'done');
      child.send({ shard, places }, () => {});
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

interface Manner {
  kills: number;
  /** How many of a batch's records come for the first time; those ahead of them in the shard have come before. */
  cut: () => { size: number; fresh: number };
}

/**
 * Has a consumer take each shard in batches. One that dies has a successor, which goes on where that was. Answers the
 * seconds.
 */
const consumeAll = async (
  { placesOf, path, shards }: ReturnType<typeof makeRecords>,
  { bundled, kills, cut, random }: Manner & { bundled: string; random: () => number },
): Promise<{ seconds: number; killed: number; records: number }> => {
  const done = { killed: 0, records: 0 };
  const batches = shards.reduce((sum, { length }) => sum + length, 0) / batchSize;
  const started = performance.now();
  const work = async (records: Int32Array, shard: number): Promise<void> => {
    let consumer = startConsumer(bundled, path, `shard-${shard}`);
    for (let taken = 0; taken < records.length; ) {
      const { size, fresh } = cut();
      const batch = records.subarray(Math.max(0, taken + fresh - size), taken + fresh);
      const isLast = random() * batches < kills / 2;
      const death = isLast ? setTimeout(() => consumer.kill(), random() * 200) : undefined;
      const isDone = await consumer.consume(placesOf(batch));
      clearTimeout(death);
      if (consumer.isDead()) {
        done.killed += 1;
        consumer = startConsumer(bundled, path, `shard-${shard}`);
      }
      done.records += batch.length;
      if (isDone) taken += fresh;
    }
    await consumer.stop();
  };
  await Promise.all(shards.map(work));
  return { seconds: (performance.now() - started) / 1000, ...done };
};

/** The rows of history and the sums of days in the table. */
const readHistory = async (uuids: readonly string[]) => {
  const rows = newDigest();
  for (const uuid of uuids)
    for (const type of creditTypes)
      for (const { record: _, ...row } of await rowsOf<HistoryItem>({
        partition: historyPartition(store, uuid, type),
      })({ descending: false }))
        rows.add(row);
  const sumsOfDays: DaySums = {};
  const parts = rowsOf<DayItem>({ partition: partition(store, 'DAY') });
  for (const item of await parts({ descending: false })) count(sumsOfDays, item.sk, sumsOf(item) as DaySums[string]);
  return { rows: rows.text(), rowCount: rows.count(), days: canonical(sumsOfDays) };
};

/** Full batches, or such that are cut anywhere and whose records come three times on average. */
const mannersOf = (kills: number, random: () => number): Record<Run, Manner> => ({
  ordered: { kills: 0, cut: () => ({ size: batchSize, fresh: batchSize }) },
  shuffled: {
    kills,
    cut: () => {
      const size = 1 + Math.floor(random() * batchSize);
      return { size, fresh: Math.ceil(size / 3) };
    },
  },
});

const names: Record<Run, string> = { ordered: 'full batches', shuffled: 'tripled, cut, killed' };

/** Makes history of made-up records. Throws unless it is what the made-up changes say, to the last byte. */
const measureRun = async (
  run: Run,
  made: ReturnType<typeof makeRecords>,
  { kills, bundled, random }: { kills: number; bundled: string; random: () => number },
): Promise<HistoryRun> => {
  // Nothing reads a stream here, and none of these items is in an index. This engine is slower for having them;
  // DynamoDB is not.
  await newTable({ indexed: false });
  const manner = mannersOf(kills, random)[run];
  const { seconds, killed, records } = await consumeAll(made, { ...manner, bundled, random });
  const { rowCount, ...found } = await readHistory(made.uuids);
  if (!isDeepStrictEqual(found, made.expected))
    throw new Error(`${run}: ${canonical(found)}, not ${canonical(made.expected)}.`);
  return { run: names[run], rows: rowCount, records, kills: killed, rowsPerSecond: rounded(rowCount / seconds, 0) };
};

const measureRuns = async (options: Options): Promise<HistoryRun[]> => {
  const seed = options.seed ?? randomInt(2 ** 31);
  console.log(`--seed ${seed}`);
  const random = randomFrom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'bench-history-'));
  const consumer = 'history-consumer';
  try {
    await bundle(dir, [consumer], { dir: import.meta.dirname });
    const bundled = join(bundleDir(dir, consumer), 'index.cjs');
    const made = makeRecords(dir, options, random);
    const rows: HistoryRun[] = [];
    for (const run of options.run ? [options.run] : runs)
      rows.push(await measureRun(run, made, { kills: options.kills, bundled, random }));
    return rows;
  } finally {
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

/**
 * How fast the stream's consumer makes history, whatever becomes of records and consumers, and how far it is behind.
 */
export const measureHistory = (options: Options): Promise<void> =>
  withTable(async () => {
    logSink.write = () => {};
    const rows = await measureRuns(options);
    if (options.run) return console.table(rows);
    report('history', rows);
    report('history-delay', await measureDelay(), 'history');
  });
