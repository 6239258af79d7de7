import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { now, timestamp } from '../../../lib/clock.ts';
import { tableDefinition } from '../../../lib/operator/table-definition.ts';
import { listStores } from '../../../lib/store/stores.ts';
import { db } from '../../../lib/table/client.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import { exists, update } from '../../../lib/table/language.ts';
import { streamView, ttlAttribute } from '../../../lib/table/schema.ts';
import { write } from '../../../lib/table/table.ts';
import { Failure } from '../terminal/errors.ts';
import { grouped } from '../terminal/output.ts';
import { checkFiles, type ExportLine, linesOf, readExports, type TableExport } from './table-export.ts';

/** Makes a table from an export. Gives a restored table the settings that the service needs. */

/** DynamoDB takes 25 items in a request. A new table takes about 4,000 small items in a second. */
const batchSize = 25;
const batchesAtOnce = 8;
const waitMillis = 5_000;

/** Describes a table; undefined if there is none. */
const describe = async (TableName: string): Promise<TableDescription | undefined> => {
  try {
    return (await db.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

/** Waits until the table and its indexes are active. DynamoDB needs minutes to hours for an index of a large table. */
const ready = async (TableName: string): Promise<TableDescription> => {
  for (;;) {
    const table = await describe(TableName);
    const parts = [table?.TableStatus, ...(table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)];
    if (table && parts.every((status) => status === 'ACTIVE')) return table;
    await sleep(waitMillis);
  }
};

/** Writes lines. If DynamoDB puts items off, tries these again after a growing pause. */
const writeBatch = async (TableName: string, lines: readonly ExportLine[]): Promise<void> => {
  const requests = lines.map(({ Item: full, Keys, NewImage = full }) =>
    NewImage ? { PutRequest: { Item: NewImage } } : { DeleteRequest: { Key: Keys } },
  );
  let RequestItems = { [TableName]: requests } as Record<string, WriteRequest[]>;
  for (let pause = 100; Object.keys(RequestItems).length > 0; pause = Math.min(pause * 2, waitMillis)) {
    const { UnprocessedItems = {} } = await db.send(new BatchWriteItemCommand({ RequestItems }));
    RequestItems = UnprocessedItems;
    if (Object.keys(RequestItems).length > 0) await sleep(pause);
  }
};

/** Writes all lines of an export. Throws if their number differs from the manifest's. */
const writeExport = async (
  TableName: string,
  { folder, files, count }: TableExport,
  onWritten: (lines: number) => void,
): Promise<void> => {
  let done = 0;
  for (const { path } of files)
    await pMap(
      linesOf(path, batchSize),
      async (lines) => {
        await writeBatch(TableName, lines);
        done += lines.length;
        onWritten(lines.length);
      },
      { concurrency: batchesAtOnce },
    );
  if (done !== count)
    throw new Failure(
      `The files of ${folder} hold ${grouped(done)} items, and their manifest tells of ${grouped(count)}. Delete the table ${TableName}, and copy the export again.`,
    );
};

interface Filled {
  items: number;
  /** The number of changes in the increments. */
  changes: number;
  /** The time whose state the table has, if the export tells it. */
  until: string | undefined;
}

/**
 * Creates the table and fills it with the items of a full export. Then writes the changes of its increments, one
 * increment after the other. The stream stays off, since it would record these writes as changes. Before it creates
 * anything, throws if the table exists, a file is missing or broken, or an increment is missing. After an interruption,
 * somebody has to delete the table.
 */
export const fillFromExport = async (
  TableName: string,
  directory: string,
  onProgress: (done: number, all: number) => void,
): Promise<Filled> => {
  const { full, increments, until } = readExports(directory);
  if (await describe(TableName))
    throw new Failure(`There is a table ${TableName} already. Name a new one, or delete that one first.`);
  for (const one of [full, ...increments]) await checkFiles(one);
  const changes = increments.reduce((sum, { count }) => sum + count, 0);
  await db.send(new CreateTableCommand(tableDefinition(TableName)));
  await ready(TableName);
  let done = 0;
  for (const one of [full, ...increments])
    await writeExport(TableName, one, (lines) => {
      done += lines;
      onProgress(done, full.count + changes);
    });
  return { items: full.count, changes, until };
};

/** The limits of a table's or index's throughput, for UpdateTable. */
const throughputBounds = ({ OnDemandThroughput }: { OnDemandThroughput?: TableDescription['OnDemandThroughput'] }) =>
  OnDemandThroughput && { OnDemandThroughput };

const hasAlready = (error: unknown): boolean => /already (enabled|been enabled)/i.test((error as Error).message);

/**
 * Adds what a restored table lacks: missing indexes, time to live, backups, the protection against deletion, the limits
 * of throughput that the table `like` has, and the stream. It can be repeated. Returns the ARN of the stream. A local
 * engine has no backups, protection or limits.
 */
export const completeTable = async (
  TableName: string,
  { like, isLocal, onStep }: { like: string; isLocal: boolean; onStep: (text: string) => void },
): Promise<string> => {
  if (!(await describe(TableName)))
    throw new Failure(`There is no table ${TableName} in this account and region. Check --table, or give --from.`);
  const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = tableDefinition(TableName);
  let table = await ready(TableName);
  // DynamoDB makes only one index at a time.
  for (const index of GlobalSecondaryIndexes) {
    if (table.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === index.IndexName)) continue;
    onStep(`Making the index ${index.IndexName}`);
    await db.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create: index }] }),
    );
    table = await ready(TableName);
  }
  const TimeToLiveSpecification = { Enabled: true, AttributeName: ttlAttribute };
  try {
    await db.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } catch (error) {
    if (!hasAlready(error)) throw error;
  }
  if (!isLocal) {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await db.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    const model = (await describe(like)) ?? {};
    await db.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    await ready(TableName);
    const updates = (model.GlobalSecondaryIndexes ?? []).flatMap((index) =>
      index.OnDemandThroughput ? [{ Update: { IndexName: index.IndexName, ...throughputBounds(index) } }] : [],
    );
    if (model.OnDemandThroughput)
      await db.send(
        new UpdateTableCommand({
          TableName,
          ...throughputBounds(model),
          ...(updates.length > 0 && { GlobalSecondaryIndexUpdates: updates }),
        }),
      );
    table = await ready(TableName);
  }
  if (!table.StreamSpecification?.StreamEnabled) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: streamView } as const;
    await db.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    table = await ready(TableName);
  }
  return table.LatestStreamArn ?? '';
};

/** Runs `work` with `lib/` on another table of the same account and region. Throws if there is no such table. */
export const inTable = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const before = process.env.TABLE_NAME;
  process.env.TABLE_NAME = name;
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    throw new Failure(`There is no table ${name} in this account and region. Check --table and --against.`);
  } finally {
    process.env.TABLE_NAME = before;
  }
};

/**
 * Stops the payouts of every store in a restored table, where accounts again owe L$ that were paid since. Answers the
 * number of stores.
 */
export const stopPayouts = (table: string): Promise<number> =>
  inTable(table, async () => {
    const payoutsStoppedAt = timestamp(now());
    let stopped = 0;
    for (const { id } of await listStores()) {
      const stop = update(sharedKey('STORE', id), { ifMissing: { payoutsStoppedAt }, when: exists });
      if ((await write(stop)).done) stopped += 1;
    }
    return stopped;
  });
