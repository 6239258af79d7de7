import { UsageError } from '../errors.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** The format that is asked for, or else the one that a file's name ends with. */
export const formatOf = (path: string, asked?: Format): Format => {
  if (asked) return asked;
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson';
  throw new UsageError(
    `${path} ends neither with .csv nor with .ndjson: say which it is with --format csv or --format ndjson.`,
  );
};
