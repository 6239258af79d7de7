import { timestamp } from '../../../lib/clock.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Keeps formats: making one takes as long as a thousand uses of it. */
const formatIn = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return format;
};

const quarter = 900_000;
const offsets = new Map<string, number>();

/** How far a zone is ahead of UTC at a time, in milliseconds. It is the same within a quarter of an hour. */
const zoneOffset = (zone: string, millis: number): number => {
  const start = Math.floor(millis / quarter) * quarter;
  const key = `${zone} ${start}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = Date.parse(`${formatIn(zone).format(start).replace(' ', 'T')}Z`) - start;
  if (offsets.size > 100_000) offsets.clear();
  offsets.set(key, offset);
  return offset;
};

/** A time of a file. */
export interface FileTime {
  at: string;
  /** True if the text has no offset and was read in the zone. */
  zoned: boolean;
  /** The later of two possible times, if the clocks went back. */
  or?: string;
  /** Clocks that go back show this time twice. Clocks that go forward never show it. */
  beside?: 'twice' | 'never';
}

const day = 86_400_000;

/** Finds the time at which a zone's clocks show `wall`, or both times. */
const readWall = (wall: number, zone: string): FileTime => {
  const around = [...new Set([zoneOffset(zone, wall - day), zoneOffset(zone, wall + day)])].sort((a, b) => b - a);
  const shown = around.filter((offset) => zoneOffset(zone, wall - offset) === offset);
  const [at = wall, or] = (shown.length > 0 ? shown : around).map((offset) => wall - offset);
  const time = { at: timestamp(at), zoned: true };
  return or === undefined ? time : { ...time, or: timestamp(or), beside: shown.length > 1 ? 'twice' : 'never' };
};

const withOffset = wireTimestamp();

/** Undefined for a text that is no time. */
export const readTime = (text: string, zone: string): FileTime | undefined => {
  if (/^\d{9,10}$/.test(text)) return { at: timestamp(Number(text) * 1000), zoned: false };
  const given = withOffset.safeParse(text);
  if (given.success) return { at: given.data, zoned: false };
  const wall = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : NaN;
  return Number.isNaN(wall) ? undefined : readWall(wall, zone);
};

/** The number of times in a file that clocks show twice, or never. */
export interface TimesBeside {
  twice: number;
  never: number;
}

/** Sentences about such times. `how` says how times that clocks show twice were read. */
export const wordsOfTimes = ({ twice, never }: TimesBeside, zone: string, how: string): string[] => [
  ...(twice > 0 ? [`Times in the hour that comes twice, as the clocks go back in ${zone}: ${twice}; ${how}`] : []),
  ...(never > 0
    ? [`Times that never come in ${zone}, as the clocks go forward: ${never}. Is --zone the zone of this file?`]
    : []),
];
