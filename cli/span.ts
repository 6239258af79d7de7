import { InvalidArgumentError } from 'commander';
import { now, timestamp } from '../lib/clock.ts';
import { timestamp as wireTimestamp } from '../lib/routes/timestamp.ts';

/** Lengths and ends of time as the command line takes them. */

const unitMillis: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const spanPattern = /^(\d{1,6})([mhdw])$/;

const longestYears = 100;
const longestMillis = longestYears * 365.25 * 86_400_000;

const readSpan = (text: string): number | undefined => {
  const [, count, unit] = spanPattern.exec(text.trim()) ?? [];
  if (unit === undefined) return undefined;
  const span = Number(count) * (unitMillis[unit] ?? 0);
  if (span > longestMillis)
    throw new InvalidArgumentError(`It must be at most ${longestYears} years, which are 5217w.`);
  return span;
};

/** The last time that sorts as text: those of the year 10000 begin with a plus sign. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/** The time so many milliseconds from now. */
export const timeAfter = (millis: number): string => timestamp(Math.min(now() + millis, lastTime));

/** Milliseconds of a length of time such as 30m, 24h, 90d or 2w. */
export const parseSpan = (text: string): number => {
  const span = readSpan(text);
  if (span === undefined) throw new InvalidArgumentError('It must be a length of time such as 30m, 24h, 7d or 2w.');
  return span;
};

/**
 * Reads when something is to end: a length of time from now, a day (its end, in UTC) or a time with an offset. The
 * answer is reckoned when it is asked for, since only then it is known whose clock counts.
 */
export const parseEnd = (text: string): (() => string) => {
  const span = readSpan(text);
  if (span !== undefined && span > 0) return () => timeAfter(span);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text.trim());
  const time = wireTimestamp().safeParse(isDay ? `${text.trim()}T23:59:59.999Z` : text.trim());
  if (time.success) return () => time.data;
  throw new InvalidArgumentError(
    'It must be a length of time such as 90d, a day such as 2027-12-31, or a time such as 2027-12-31T12:00:00Z.',
  );
};
