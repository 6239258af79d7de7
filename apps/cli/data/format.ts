import { UsageError } from '../terminal/errors.ts';

/** The formats that an import reads. */
export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** The formats that an export writes. */
export const exportFormats = [...formats, 'journal'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const ends: Record<ExportFormat, RegExp> = {
  csv: /\.csv$/i,
  ndjson: /\.(ndjson|jsonl)$/i,
  journal: /\.(journal|hledger)$/i,
};

/**
 * The format that the person asked for or, without one, the one of `allowed` that the end of the file's name tells.
 * Throws if it tells none.
 */
export const formatOf = <F extends ExportFormat>(path: string, asked: F | undefined, allowed: readonly F[]): F => {
  const format = asked ?? allowed.find((one) => ends[one].test(path));
  if (format) return format;
  throw new UsageError(
    `${path} ends neither with .csv nor with .ndjson: say which it is with --format csv or --format ndjson.`,
  );
};
