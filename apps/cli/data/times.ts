import { timestamp } from '../../../lib/clock.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes as long as a thousand uses of it. */
const formatIn = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return format;
};

/** How far a zone is ahead of UTC at a time, in milliseconds. */
const zoneOffset = (zone: string, millis: number): number =>
  Date.parse(`${formatIn(zone).format(millis).replace(' ', 'T')}Z`) - millis;

/** A time of a file, and whether it needed the zone. Undefined for a text that is no time. */
export const readTime = (text: string, zone: string): { at: string; zoned: boolean } | undefined => {
  if (/^\d{9,10}$/.test(text)) return { at: timestamp(Number(text) * 1000), zoned: false };
  const given = wireTimestamp().safeParse(text);
  if (given.success) return { at: given.data, zoned: false };
  const wall = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : NaN;
  if (Number.isNaN(wall)) return undefined;
  // The second look is right beside a change of the clocks.
  const near = wall - zoneOffset(zone, wall);
  return { at: timestamp(wall - zoneOffset(zone, near)), zoned: true };
};
