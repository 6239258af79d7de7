import {
  DescribeContinuousBackupsCommand,
  DescribeExportCommand,
  ExportTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { now, timestamp } from '../clock.ts';
import { db } from './client.ts';
import { put } from './language.ts';
import { type Key, sharedKey } from './schema.ts';
import { get, write } from './table.ts';

/**
 * Increments of the table's daily export: each tells of the items that were written in a time, and begins where the
 * last one that was completed ended. DynamoDB makes one of its continuous backups.
 */

/** The table, and the place of its exports. */
interface ExportTarget {
  /** The table's ARN. */
  table: string;
  bucket: string;
  /** The AWS account that owns the bucket, if it is another. */
  owner: string | undefined;
  prefix: string;
}

/** The increment that was asked for last. */
interface AskedIncrement {
  /** The ARNs of the table and of the export. */
  table: string;
  arn: string;
  from: string;
  to: string;
}

const askedKey = sharedKey('SWEEP', 'increment');

const minuteMillis = 60_000;
/** DynamoDB makes no increment of a shorter or a longer time. */
const leastMillis = 15 * minuteMillis;
const mostMillis = 24 * 60 * minuteMillis;

/** The times of which the backups tell. */
const backedUp = async (TableName: string): Promise<{ earliest: number; latest: number }> => {
  const { ContinuousBackupsDescription } = await db.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { EarliestRestorableDateTime, LatestRestorableDateTime } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!EarliestRestorableDateTime || !LatestRestorableDateTime)
    throw new Error('The table has no continuous backups (point-in-time recovery), of which an export is made.');
  return { earliest: EarliestRestorableDateTime.getTime(), latest: LatestRestorableDateTime.getTime() };
};

type LastIncrement = AskedIncrement & { status: string | undefined; failure: string | undefined };

/** The increment of this table that was asked for last, and how it went. A restored table has that of another. */
const findLast = async (table: string): Promise<LastIncrement | undefined> => {
  const asked = await get<AskedIncrement & Key>(askedKey);
  if (asked?.table !== table) return undefined;
  const { ExportDescription } = await db.send(new DescribeExportCommand({ ExportArn: asked.arn }));
  return { ...asked, status: ExportDescription?.ExportStatus, failure: ExportDescription?.FailureMessage };
};

/** The time of the next increment, in whole seconds; undefined where it would be too short. */
const nextWindow = (
  last: Pick<LastIncrement, 'from' | 'to' | 'status'> | undefined,
  { earliest, latest }: { earliest: number; latest: number },
  millis: number,
): { from: number; to: number } | undefined => {
  const wanted = last ? Date.parse(last.status === 'COMPLETED' ? last.to : last.from) : millis - mostMillis;
  const from = Math.ceil(Math.max(wanted, earliest) / 1000) * 1000;
  const to = Math.floor(Math.min(latest, from + mostMillis) / 1000) * 1000;
  return to - from < leastMillis ? undefined : { from, to };
};

/** How a call went: an increment was asked for, or none could be yet. */
type Asking = { from: string; to: string } | 'still under way' | 'too early';

/**
 * Asks for the next increment. While the last one is under way it asks for none; one that failed is asked for again,
 * with what came since. Throws, when all is done, where the last one failed.
 */
export const askForIncrement = async ({ table, bucket, owner, prefix }: ExportTarget): Promise<Asking> => {
  const last = await findLast(table);
  if (last?.status === 'IN_PROGRESS') return 'still under way';
  const window = nextWindow(last, await backedUp(table), now());
  if (!window) return 'too early';
  const { ExportDescription } = await db.send(
    new ExportTableToPointInTimeCommand({
      TableArn: table,
      S3Bucket: bucket,
      S3BucketOwner: owner,
      S3Prefix: prefix,
      S3SseAlgorithm: 'AES256',
      ExportFormat: 'DYNAMODB_JSON',
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: {
        ExportFromTime: new Date(window.from),
        ExportToTime: new Date(window.to),
        ExportViewType: 'NEW_IMAGE',
      },
    }),
  );
  const times = { from: timestamp(window.from), to: timestamp(window.to) };
  await write(put({ ...askedKey, table, arn: ExportDescription?.ExportArn ?? '', ...times }));
  if (last?.status === 'FAILED')
    throw new Error(`The increment from ${last.from} to ${last.to} failed: ${last.failure}`);
  return times;
};
