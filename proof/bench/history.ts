import { fork } from 'node:child_process';
import { hash, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { handler } from '../../functions/stream-consumer.ts';
import { bundle, bundleDir } from '../../infra/bundle.ts';
import { streamSource } from '../../infra/stream.ts';
import { customerUpsert } from '../../lib/avatars/customers.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { type HistoryItem, historyKey, historyPartition } from '../../lib/credit/history.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type DayItem, sumsOf } from '../../lib/events/days.ts';
import { logSink } from '../../lib/log.ts';
import { tableName } from '../../lib/table/client.ts';
import { partition } from '../../lib/table/keys.ts';
import { get, rowsOf, write } from '../../lib/table/table.ts';
import { followStream } from '../../local/engines/stream.ts';
import { randomFrom } from '../../test/support/faults.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { makeTable } from '../../test/support/service.ts';
import { makeUpChanges } from '../../test/support/stream-records.ts';
import { median, quantile, report, rounded, withTable } from './support.ts';

interface Options {
  changes: number;
  customers: number;
  kills: number;
  seed?: number;
}

const store = 'bench';
/** A busy table has this many shards, so the engine always has work. */
const shardCount = 8;
const { batchSize } = streamSource;

/** More days than a stream holds. So a batch out of order counts in more days than a batch of a stream can. */
const days = 10;

/** Rows of history as a number and a digest that does not depend on their order, and the sums of days. */
const newBooks = () => {
  const books = { rows: 0, digest: 0n, days: {} as Record<string, Record<string, number>> };
  return {
    books,
    /** Adds a row. The order of its attributes does not matter. */
    add: (row: object): void => {
      const text = inspect(row, { sorted: true, depth: null, maxArrayLength: null, maxStringLength: null });
      books.rows += 1;
      books.digest ^= BigInt(`0x${hash('sha256', text)}`);
    },
    /** Adds to the sums of the day of `at`. A sum of 0 is absent. */
    count: (at: string, sums: Record<string, number>): void => {
      const day = at.slice(0, 10);
      books.days[day] ??= {};
      for (const [name, sum] of Object.entries(sums))
        if (sum !== 0) books.days[day][name] = (books.days[day][name] ?? 0) + sum;
    },
  };
};

/** The records of a shard: the file that has them as JSON, and where each of them ends there, counted from 0. */
interface Shard {
  path: string;
  ends: number[];
}

/** Writes made-up records to a file for each shard, since millions of them do not fit into memory. */
const makeRecords = (dir: string, { changes, customers }: Options, random: () => number) => {
  const uuids = Array.from({ length: customers }, (_, number) => idOf(number));
  const next = makeUpChanges(random, store, uuids, { changesPerHour: changes / (24 * days) });
  const shards = Array.from({ length: shardCount }, (_, number) => {
    const path = join(dir, `shard-${number}`);
    return { path, file: openSync(path, 'w'), ends: [0] };
  });
  const { books, add, count } = newBooks();
  let ids = 0;
  for (let made = 0; made < changes; made++) {
    const { records, rows } = next();
    for (const record of records) {
      // An item is always in the same shard.
      const place = Number.parseInt(hash('sha256', JSON.stringify(record.dynamodb?.Keys)).slice(0, 2), 16) % shardCount;
      const { file, ends } = shards[place] as (typeof shards)[number];
      // Ids are as long as those of DynamoDB.
      const text = JSON.stringify({ ...record, eventID: (++ids).toString(16).padStart(32, '0') });
      ends.push((ends.at(-1) ?? 0) + writeSync(file, `${text},`));
    }
    for (const { key, row, parts } of rows) {
      add({ ...key, ...row, ...(parts.length > 0 && { lots: parts }) });
      const { at, kind, amount, expired } = row;
      const isSpent = kind === 'sale';
      count(at, {
        [isSpent ? 'creditSpent' : amount > 0 ? 'creditAdded' : 'creditRemoved']: isSpent ? -amount : Math.abs(amount),
        creditExpired: expired,
        [`${key.pk.split('#')[3]}Net`]: amount - expired,
      });
    }
  }
  for (const { file } of shards) closeSync(file);
  return { uuids, shards, expected: books };
};

/** Starts a consumer of a shard. `consume` answers false if it failed or died. */
const startConsumer = (bundled: string, { path, ends }: Shard) => {
  const child = fork(bundled, [path]);
  const gone = once(child, 'exit').then(() => false);
  return {
    /** Passes it the records between two places. */
    consume: (from: number, to: number): Promise<boolean> => {
      const answered = once(child, 'message').then(([outcome]) => outcome === 'done');
      child.send({ start: ends[from], end: ends[to] }, () => {});
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
  /** How many records of a batch come for the first time. The others in the batch have come before. */
  cut: () => { size: number; fresh: number };
}

/** Makes a consumer take each shard in batches. If it dies, another continues where it was. */
const consumeAll = async (shards: readonly Shard[], bundled: string, { kills, cut }: Manner, random: () => number) => {
  const done = { kills: 0, records: 0 };
  const batches = shards.reduce((sum, { ends }) => sum + ends.length - 1, 0) / batchSize;
  const work = async (shard: Shard): Promise<void> => {
    const last = shard.ends.length - 1;
    let consumer = startConsumer(bundled, shard);
    for (let taken = 0; taken < last; ) {
      const { size, fresh } = cut();
      const [from, to] = [Math.max(0, taken + fresh - size), Math.min(last, taken + fresh)];
      const isLast = random() * batches < kills / 2;
      const death = isLast ? setTimeout(() => consumer.kill(), random() * 200) : undefined;
      const isDone = await consumer.consume(from, to);
      clearTimeout(death);
      if (consumer.isDead()) {
        done.kills += 1;
        consumer = startConsumer(bundled, shard);
      }
      done.records += to - from;
      if (isDone) taken = to;
    }
    await consumer.stop();
  };
  await Promise.all(shards.map(work));
  return done;
};

/** The rows of history and the sums of days in the table. */
const readBooks = async (uuids: readonly string[]) => {
  const { books, add, count } = newBooks();
  for (const uuid of uuids)
    for (const type of creditTypes)
      for (const { record: _, ...row } of await rowsOf<HistoryItem>({
        partition: historyPartition(store, uuid, type),
      })({ descending: false }))
        add(row);
  const daysOf = rowsOf<DayItem>({ partition: partition(store, 'DAY') });
  for (const item of await daysOf({ descending: false })) count(item.sk, sumsOf(item) as Record<string, number>);
  return books;
};

/** Full batches, and batches that are cut anywhere and whose records come three times on average. */
const mannersOf = (kills: number, random: () => number): Record<string, Manner> => ({
  'full batches': { kills: 0, cut: () => ({ size: batchSize, fresh: batchSize }) },
  'tripled, cut, killed': {
    kills,
    cut: () => {
      const size = 1 + Math.floor(random() * batchSize);
      return { size, fresh: Math.ceil(size / 3) };
    },
  },
});

/** Makes history from made-up records. Throws unless it is exactly what the made-up changes say. */
const measureRuns = async (options: Options): Promise<object[]> => {
  const seed = options.seed ?? randomInt(2 ** 31);
  console.log(`--seed ${seed}`);
  const random = randomFrom(seed);
  const dir = mkdtempSync(join(tmpdir(), 'bench-history-'));
  const consumer = 'history-consumer';
  try {
    await bundle(dir, [consumer], import.meta.dirname);
    const bundled = join(bundleDir(dir, consumer), 'index.cjs');
    const { uuids, shards, expected } = makeRecords(dir, options, random);
    const measured: object[] = [];
    for (const [run, manner] of Object.entries(mannersOf(options.kills, random))) {
      // Nothing reads a stream here, and none of these items is in an index. Both would slow this engine down, unlike
      // DynamoDB.
      await makeTable({ indexed: false });
      const started = performance.now();
      const { records, kills } = await consumeAll(shards, bundled, manner, random);
      const seconds = (performance.now() - started) / 1000;
      const found = await readBooks(uuids);
      if (!isDeepStrictEqual(found, expected)) throw new Error(`${run}: ${inspect(found)}, not ${inspect(expected)}.`);
      const { rows } = found;
      measured.push({ run, rows, records, kills, rowsPerSecond: rounded(rows / seconds, 0) });
    }
    return measured;
  } finally {
    rmSync(dir, { recursive: true });
  }
};

const delaySeconds = 10;
const changesPerSecond = 100;

/** The time from the answer to a change until its row can be read, under changes of all customers. */
const measureDelay = async (): Promise<object[]> => {
  await makeTable({ streamed: true });
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
  return [{ changesPerSecond, median: rounded(median(millis), 0), p99: rounded(quantile(millis, 0.99), 0) }];
};

/**
 * How fast the stream's consumer makes history, whatever happens to records and consumers, and how far it is behind.
 */
export const measureHistory = (options: Options): Promise<void> =>
  withTable(async () => {
    logSink.write = () => {};
    report('history', await measureRuns(options));
    report('history-delay', await measureDelay());
  });
