import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { Failure } from '../terminal/errors.ts';

/**
 * Reads exports of a table in the form that DynamoDB writes to Amazon S3: a full export, and increments. An increment
 * holds each item that was written in a span of time, as it was at the span's end.
 */

type Item = Record<string, AttributeValue>;

interface DataFile {
  itemCount: number;
  md5Checksum: string;
  dataFileS3Key: string;
}

/** An export: its folder, its data files on this machine, and the number of their items. */
export interface TableExport {
  folder: string;
  files: readonly (DataFile & { path: string })[];
  count: number;
}

/** An increment. It has changes from the time `from` on, and before the time `to`. */
interface Increment extends TableExport {
  from: string;
  to: string;
}

/** A full export, and the increments that follow it, in order. */
interface ExportChain {
  full: TableExport;
  increments: readonly Increment[];
  /** The time whose state they give; undefined if the export does not tell it. */
  until: string | undefined;
}

const manifestName = 'manifest-files.json';

/** All increments share a folder for their data. A full export has its own. */
const pathOf = (folder: string, key: string): string => {
  const name = basename(key);
  const places = [join(folder, 'data', name), join(dirname(folder), 'data', name)];
  return places.find((path) => existsSync(path)) ?? (places[0] as string);
};

/** Reads an export's manifest, which has a JSON object on each line. */
const readExport = (folder: string): TableExport => {
  const lines = readFileSync(join(folder, manifestName), 'utf8').split('\n');
  const files = lines
    .filter((line) => line.trim() !== '')
    .map((line): DataFile => JSON.parse(line))
    .map((file) => ({ ...file, path: pathOf(folder, file.dataFileS3Key) }));
  return { folder, files, count: files.reduce((sum, { itemCount }) => sum + itemCount, 0) };
};

interface Summary {
  tableArn?: string;
  /** A table that was deleted and made again under its name has the same ARN but another id. */
  tableId?: string;
  exportTime?: string;
  exportFromTime?: string;
  exportToTime?: string;
}

/** A time in the form of `timestamp`, in which texts sort by time. */
const timeOf = (text: string): string => new Date(text).toISOString();

/** Empty if the folder has no summary. */
const readSummary = (folder: string): Summary => {
  const path = join(folder, 'manifest-summary.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
};

const hasManifest = (folder: string): boolean => existsSync(join(folder, manifestName));

/** The increments that continue from `exportTime`, in order. Throws if one is missing in between. */
const following = (increments: readonly Increment[], { folder }: TableExport, exportTime: string): Increment[] => {
  let until = exportTime;
  return increments
    .filter(({ to }) => to > exportTime)
    .sort((a, b) => (a.to < b.to ? -1 : 1))
    .map((increment) => {
      const { from, to } = increment;
      if (from > until)
        throw new Failure(
          `No increment tells what changed from ${until} to ${from}. Copy the one that is missing, delete the later ones from this folder, or restore the full export alone: --from ${folder}`,
        );
      until = to;
      return increment;
    });
};

/** A finished export, according to its summary. */
interface EndedExport {
  folder: string;
  table: { arn: string; id: string };
  /** Absent for a full export. */
  from?: string;
  /** The time whose state it gives. */
  to: string;
}

/** Empty if the folder's summary is missing or does not tell the time. */
const endedIn = (folder: string): EndedExport[] => {
  const { tableArn = '', tableId = '', exportTime, exportFromTime, exportToTime } = readSummary(folder);
  const table = { arn: tableArn, id: tableId };
  if (exportFromTime && exportToTime)
    return [{ folder, table, from: timeOf(exportFromTime), to: timeOf(exportToTime) }];
  return exportTime ? [{ folder, table, to: timeOf(exportTime) }] : [];
};

const isOfTable =
  ({ table: { arn, id } }: EndedExport) =>
  ({ table }: EndedExport): boolean =>
    table.arn === arn && table.id === id;

const described = ({ table: { arn, id } }: EndedExport): string => `${arn.replace(/^.*table\//, '')} (id ${id})`;

/**
 * Takes the table of the newest export. Answers the table's newest full export and its increments; undefined if there
 * is no full export at all. Throws if other tables have one, but not this table. Exports of a restored table never join
 * exports of the table before it, though their times may overlap.
 */
const chainOf = (exports: readonly EndedExport[]): { full: EndedExport; increments: EndedExport[] } | undefined => {
  const newestFirst = exports.toSorted((a, b) => (a.to < b.to ? 1 : -1));
  const [newest] = newestFirst;
  const fulls = newestFirst.filter(({ from }) => from === undefined);
  const [other] = fulls;
  if (!newest || !other) return undefined;
  const full = fulls.find(isOfTable(newest));
  if (!full)
    throw new Failure(
      `The newest export, ${newest.folder}, is one of the table ${described(newest)}, of which there is no full export here. The newest full export is one of another table, ${described(other)}, and changes of one table make no sense in another. Copy a full export of ${described(newest)}, or restore the other table as it was at ${other.to}: --from ${other.folder}`,
    );
  return { full, increments: exports.filter(isOfTable(full)).filter(({ from }) => from !== undefined) };
};

/** The newest full export of a folder of exports, and the increments that follow it. */
const readChain = (directory: string): ExportChain => {
  const folders = existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
  const chain = chainOf(folders.filter(hasManifest).flatMap(endedIn));
  if (!chain)
    throw new Failure(
      `There is no ${join(directory, manifestName)}, nor a folder with a full export. --from takes the folder of one export, AWSDynamoDB/<export> with ${manifestName} and data/ in it, or AWSDynamoDB itself, with a full one and its increments.`,
    );
  const full = readExport(chain.full.folder);
  const exportTime = chain.full.to;
  const increments = following(
    chain.increments.map(({ folder, from = '', to }) => ({ ...readExport(folder), from, to })),
    full,
    exportTime,
  );
  return { full, increments, until: increments.at(-1)?.to ?? exportTime };
};

/** The exports in a folder: a full one, with or without increments. Throws if an increment is missing in between. */
export const readExports = (directory: string): ExportChain => {
  if (!hasManifest(directory)) return readChain(directory);
  const { exportTime, exportFromTime } = readSummary(directory);
  if (exportFromTime)
    throw new Failure(
      `${directory} is an increment, which tells of changes only. --from takes the folder of a full export, or AWSDynamoDB itself, with a full one and its increments.`,
    );
  return { full: readExport(directory), increments: [], until: exportTime && timeOf(exportTime) };
};

/** Throws if a data file is missing, or its checksum differs from the manifest's. */
export const checkFiles = async ({ files }: TableExport): Promise<void> => {
  for (const { path, md5Checksum } of files) {
    if (!existsSync(path)) throw new Failure(`The export lacks ${path}. Copy the whole folder again.`);
    const hash = createHash('md5');
    for await (const part of createReadStream(path)) hash.update(part);
    if (hash.digest('base64') !== md5Checksum)
      throw new Failure(`${path} is not as it was exported. Copy the whole folder again.`);
  }
};

/**
 * A line of a data file. A full export has an `Item`. An increment has `Keys` and, unless the item was deleted, a
 * `NewImage`.
 */
export interface ExportLine {
  Item?: Item;
  Keys?: Item;
  NewImage?: Item;
}

/** The lines of a data file, `size` at a time. */
export const linesOf = async function* (path: string, size: number): AsyncGenerator<ExportLine[]> {
  let batch: ExportLine[] = [];
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    if (line.trim() === '') continue;
    batch.push(JSON.parse(line));
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
};
