import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';

/**
 * Writes exports as AWS documents those of DynamoDB to Amazon S3, in DynamoDB JSON, over several data files. No export
 * of AWS was at hand to compare them with.
 */

type Row = Record<string, unknown>;

/** The table of an export. A table that was deleted and made again under its name has the same ARN but another id. */
interface ExportedTable {
  tableArn: string;
  tableId: string;
}

export const tableOf = (name: string, tableId: string): ExportedTable => ({
  tableArn: `arn:aws:dynamodb:eu-central-1:111111111111:table/${name}`,
  tableId,
});

const onlyTable = tableOf('store', '11111111-0000-4000-8000-000000000001');

const wire = (item: Row) => marshall(item, { removeUndefinedValues: true });

/**
 * The data of a full export is in the export's own folder. The data of an increment is in a folder that all exports
 * share.
 */
const writeFiles = (directory: string, data: string, lines: readonly object[], files: number): void => {
  mkdirSync(directory, { recursive: true });
  mkdirSync(data, { recursive: true });
  const manifest = Array.from({ length: files }, (_, file) => {
    const part = lines.filter((_, index) => index % files === file);
    const content = gzipSync(part.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const name = `${randomUUID()}.json.gz`;
    writeFileSync(join(data, name), content);
    return {
      itemCount: part.length,
      md5Checksum: createHash('md5').update(content).digest('base64'),
      etag: `${createHash('md5').update(content).digest('hex')}-1`,
      dataFileS3Key: `prod/AWSDynamoDB/01700000000000-a1b2c3d4/data/${name}`,
    };
  });
  writeFileSync(join(directory, 'manifest-files.json'), manifest.map((file) => `${JSON.stringify(file)}\n`).join(''));
};

const writeSummary = (directory: string, table: ExportedTable, summary: object): void =>
  writeFileSync(
    join(directory, 'manifest-summary.json'),
    JSON.stringify({ outputFormat: 'DYNAMODB_JSON', ...table, ...summary }),
  );

/** Writes a full export of these items. */
export const writeExport = (
  directory: string,
  items: readonly Row[],
  { exportTime, files = 3, table = onlyTable }: { exportTime?: string; files?: number; table?: ExportedTable } = {},
): void => {
  writeFiles(
    directory,
    join(directory, 'data'),
    items.map((item) => ({ Item: wire(item) })),
    files,
  );
  if (exportTime !== undefined)
    writeSummary(directory, table, { version: '2020-06-30', exportTime, exportType: 'FULL_EXPORT' });
};

const nameOf = ({ pk, sk }: Row): string => `${pk} ${sk}`;

/** Writes an increment: how the items differ at its end from those at its start. */
export const writeIncrement = (
  directory: string,
  before: readonly Row[],
  after: readonly Row[],
  times: { exportFromTime: string; exportToTime: string },
  table = onlyTable,
): void => {
  const [old, current] = [before, after].map((items) => new Map(items.map((item) => [nameOf(item), item])));
  const micros = { Metadata: { WriteTimestampMicros: { N: String(Date.parse(times.exportToTime) * 1000 - 1) } } };
  const lines = [...new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])])].flatMap((name) => {
    const [was, is] = [old?.get(name), current?.get(name)];
    if (isDeepStrictEqual(was, is)) return [];
    const { pk, sk } = (was ?? is) as Row;
    const images = { ...(was && { OldImage: wire(was) }), ...(is && { NewImage: wire(is) }) };
    return { ...micros, Keys: wire({ pk, sk }), ...images };
  });
  writeFiles(directory, join(dirname(directory), 'data'), lines, 2);
  const kind = { exportType: 'INCREMENTAL_EXPORT', outputView: 'NEW_AND_OLD_IMAGES' };
  writeSummary(directory, table, { version: '2023-08-01', ...kind, ...times });
};
