import {
  DescribeContinuousBackupsCommand,
  DescribeExportCommand,
  ExportTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { now, timestamp } from '../clock.ts';
import { db } from './client.ts';
import { sharedKey } from './keys.ts';
import { put } from './language.ts';
import type { Key } from './schema.ts';
import { get, write } from './table.ts';

/**
 * Asks for the table's daily export, increment by increment. Each holds the items that were written in a stretch of
 * time, which begins where the last completed increment ended. DynamoDB makes an increment from its continuous backups.
 * A restored table begins with a full export, since the increments of a new table do not continue the full export of
 * the old one.
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
  /** Absent for a full export: a restored table begins with one. */
  from?: string;
  to: string;
}

const askedKey = sharedKey('SWEEP', 'increment');

const minuteMillis = 60_000;
/** DynamoDB makes no increment of a shorter or a longer time. */
const leastMillis = 15 * minuteMillis;
const mostMillis = 24 * 60 * minuteMillis;

/** The earliest and the latest moment of the continuous backups. */
const backedUp = async (TableName: string): Promise<{ earliest: number; latest: number }> => {
  const { ContinuousBackupsDescription } = await db.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { EarliestRestorableDateTime, LatestRestorableDateTime } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!EarliestRestorableDateTime || !LatestRestorableDateTime)
    throw new Error('The table has no continuous backups (point-in-time recovery), of which an export is made.');
  return { earliest: EarliestRestorableDateTime.getTime(), latest: LatestRestorableDateTime.getTime() };
};

type LastIncrement = AskedIncrement & { status: string | undefined; failure: string | undefined };

/** The increment that was asked for last, and how it went. `other` if it is of another table, as after a restore. */
const findLast = async (table: string): Promise<LastIncrement | 'other' | undefined> => {
  const asked = await get<AskedIncrement & Key>(askedKey);
  if (!asked) return undefined;
  if (asked.table !== table) return 'other';
  const { ExportDescription } = await db.send(new DescribeExportCommand({ ExportArn: asked.arn }));
  return { ...asked, status: ExportDescription?.ExportStatus, failure: ExportDescription?.FailureMessage };
};

/** The times of an export: a full one has no `from`. */
interface Times {
  from?: string;
  to: string;
}

/** The times of the next export, in whole seconds; undefined if an increment would be too short. */
const nextTimes = (
  last: Pick<LastIncrement, 'from' | 'to' | 'status'> | 'other' | undefined,
  { earliest, latest }: { earliest: number; latest: number },
  millis: number,
): Times | undefined => {
  const textOf = (time: number): string => timestamp(Math.floor(time / 1000) * 1000);
  const isFull = last === 'other' || (last?.status === 'FAILED' && last.from === undefined);
  if (isFull) return latest < earliest ? undefined : { to: textOf(latest) };
  const after = last?.status === 'COMPLETED' ? last.to : last?.from;
  const wanted = after === undefined ? millis - mostMillis : Date.parse(after);
  const from = Math.ceil(Math.max(wanted, earliest) / 1000) * 1000;
  const to = Math.floor(Math.min(latest, from + mostMillis) / 1000) * 1000;
  return to - from < leastMillis ? undefined : { from: textOf(from), to: textOf(to) };
};

/** Asks DynamoDB for an export, and stores what it asked for. */
const ask = async ({ table, bucket, owner, prefix }: ExportTarget, { from, to }: Times): Promise<Times> => {
  const kind =
    from === undefined
      ? ({ ExportType: 'FULL_EXPORT', ExportTime: new Date(to) } as const)
      : ({
          ExportType: 'INCREMENTAL_EXPORT',
          IncrementalExportSpecification: {
            ExportFromTime: new Date(from),
            ExportToTime: new Date(to),
            ExportViewType: 'NEW_IMAGE',
          },
        } as const);
  const { ExportDescription } = await db.send(
    new ExportTableToPointInTimeCommand({
      TableArn: table,
      S3Bucket: bucket,
      S3BucketOwner: owner,
      S3Prefix: prefix,
      S3SseAlgorithm: 'AES256',
      ExportFormat: 'DYNAMODB_JSON',
      ...kind,
    }),
  );
  const times = { ...(from !== undefined && { from }), to };
  await write(put({ ...askedKey, table, arn: ExportDescription?.ExportArn ?? '', ...times }));
  return times;
};

/** The times of the export that was asked for, or the reason why none was. */
type Asking = Times | 'still under way' | 'too early';

/**
 * Asks for the next increment; for a restored table first for a full export. While the last one is under way it asks
 * for none. If the last one failed, it asks for it again, together with the time since then, and throws afterwards.
 */
export const askForIncrement = async (target: ExportTarget): Promise<Asking> => {
  const found = await findLast(target.table);
  const last = found === 'other' ? undefined : found;
  if (last?.status === 'IN_PROGRESS') return 'still under way';
  const next = nextTimes(found, await backedUp(target.table), now());
  if (!next) return 'too early';
  const times = await ask(target, next);
  if (last?.status === 'FAILED')
    throw new Error(`The export from ${last.from ?? 'the beginning'} to ${last.to} failed: ${last.failure}`);
  return times;
};
