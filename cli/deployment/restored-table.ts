import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { db } from '../../lib/table/client.ts';
import { streamView, ttlAttribute } from '../../lib/table/schema.ts';
import { Failure } from '../terminal/errors.ts';
import { grouped } from '../terminal/output.ts';
import { tableDefinition } from './table-definition.ts';

/** Makes a table of an export, and gives a restored table everything that the service needs of it. */

type Item = Record<string, AttributeValue>;

/** DynamoDB takes 25 items in a request, and a new table about 4,000 small ones in a second. */
const batchSize = 25;
const batchesAtOnce = 8;
const waitMillis = 5_000;

/** Undefined if there is no such table. */
const describe = async (TableName: string): Promise<TableDescription | undefined> => {
  try {
    return (await db.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

/**
 * Waits until the table and its indexes take the next change. An index of a large table is made in minutes to hours.
 */
const ready = async (TableName: string): Promise<TableDescription> => {
  for (;;) {
    const table = await describe(TableName);
    const parts = [table?.TableStatus, ...(table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)];
    if (table && parts.every((status) => status === 'ACTIVE')) return table;
    await sleep(waitMillis);
  }
};

interface DataFile {
  itemCount: number;
  md5Checksum: string;
  dataFileS3Key: string;
}

/** The data files of an export by their manifest, a JSON object on each line. */
const readManifest = (directory: string): DataFile[] => {
  const path = join(directory, 'manifest-files.json');
  if (!existsSync(path))
    throw new Failure(
      `There is no ${path}. --from takes the folder of one export: AWSDynamoDB/<export>, with manifest-files.json and data/ in it.`,
    );
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line): DataFile => JSON.parse(line));
};

/** Throws unless each data file is there and has the content that the manifest tells. */
const checkFiles = async (directory: string, files: readonly DataFile[]): Promise<void> => {
  for (const { dataFileS3Key, md5Checksum } of files) {
    const path = join(directory, 'data', basename(dataFileS3Key));
    if (!existsSync(path)) throw new Failure(`The export lacks ${path}. Copy the whole folder again.`);
    const hash = createHash('md5');
    for await (const part of createReadStream(path)) hash.update(part);
    if (hash.digest('base64') !== md5Checksum)
      throw new Failure(`${path} is not as it was exported. Copy the whole folder again.`);
  }
};

const batchesOf = async function* (path: string): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    if (line.trim() === '') continue;
    batch.push(JSON.parse(line).Item);
    if (batch.length === batchSize) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
};

/** Puts the items again that DynamoDB put off, after a pause that grows. */
const putBatch = async (TableName: string, items: readonly Item[]): Promise<void> => {
  let RequestItems = { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) };
  for (let pause = 100; Object.keys(RequestItems).length > 0; pause = Math.min(pause * 2, waitMillis)) {
    const { UnprocessedItems = {} } = await db.send(new BatchWriteItemCommand({ RequestItems }));
    RequestItems = UnprocessedItems as typeof RequestItems;
    if (Object.keys(RequestItems).length > 0) await sleep(pause);
  }
};

/**
 * Creates the table and fills it with the items of an export. The stream is not on yet: a record of these puts would be
 * taken for a change. Throws, before it creates anything, if there is such a table or a file of the export is missing
 * or broken. A run that ends midway leaves a table that has to be deleted.
 */
export const fillFromExport = async (
  TableName: string,
  directory: string,
  onProgress: (done: number, all: number) => void,
): Promise<number> => {
  const files = readManifest(directory);
  if (await describe(TableName))
    throw new Failure(`There is a table ${TableName} already. Name a new one, or delete that one first.`);
  await checkFiles(directory, files);
  const all = files.reduce((sum, { itemCount }) => sum + itemCount, 0);
  await db.send(new CreateTableCommand(tableDefinition(TableName)));
  await ready(TableName);
  let done = 0;
  for (const { dataFileS3Key } of files) {
    const batches = batchesOf(join(directory, 'data', basename(dataFileS3Key)));
    await pMap(
      batches,
      async (items) => {
        await putBatch(TableName, items);
        done += items.length;
        onProgress(done, all);
      },
      { concurrency: batchesAtOnce },
    );
  }
  if (done !== all)
    throw new Failure(
      `The files hold ${grouped(done)} items, and their manifest tells of ${grouped(all)}. Delete the table ${TableName}, and copy the export again.`,
    );
  return done;
};

/** The bounds of a table, or of one of its indexes, as UpdateTable takes them. */
const boundsOf = ({ OnDemandThroughput }: { OnDemandThroughput?: TableDescription['OnDemandThroughput'] }) =>
  OnDemandThroughput && { OnDemandThroughput };

const hasAlready = (error: unknown): boolean => /already (enabled|been enabled)/i.test((error as Error).message);

/**
 * Gives the table what neither a restore nor an export brings along: missing indexes, the deletion of old items,
 * backups, the protection against deletion, the bounds that `like` has, and the stream. Can be repeated. Returns the
 * ARN of the stream. A local engine has neither backups nor protection nor bounds.
 */
export const completeTable = async (
  TableName: string,
  { like, isLocal, onStep }: { like: string; isLocal: boolean; onStep: (text: string) => void },
): Promise<string> => {
  if (!(await describe(TableName)))
    throw new Failure(`There is no table ${TableName} in this account and region. Check --table, or give --from.`);
  const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = tableDefinition(TableName);
  let table = await ready(TableName);
  // DynamoDB makes one index at a time.
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
      index.OnDemandThroughput ? [{ Update: { IndexName: index.IndexName, ...boundsOf(index) } }] : [],
    );
    if (model.OnDemandThroughput)
      await db.send(
        new UpdateTableCommand({
          TableName,
          ...boundsOf(model),
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
