import * as z from 'zod';

const firstInstant = Date.parse('0001-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');
const dayMillis = 86_400_000;

/** The two formats of ISO 8601, with separators and without. */
const formats = [
  { day: /^\d{4}-(?:\d\d-\d\d|\d{3}|W\d\d-[1-7])$/i, time: /^\d\d(?::\d\d(?::\d\d)?)?$/ },
  { day: /^\d{4}(?:\d{4}|\d{3}|W\d\d[1-7])$/i, time: /^\d\d(?:\d\d(?:\d\d)?)?$/ },
];

/** The fraction of the time's last part, and the offset's sign, hours and minutes. */
const ending = /^(?:[.,](\d+))?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i;

/** Week 1 is the week that holds 4 January. Weeks begin on Monday. */
const dayOfWeek = (newYear: number, week: number, day: number): number => {
  const fourth = newYear + 3 * dayMillis;
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth + (7 * (week - 1) + day - 1 - weekday) * dayMillis;
};

/** Parses a date without separators into its first millisecond. Undefined for impossible days such as 30 February. */
const parseDay = (date: string): number | undefined => {
  const year = date.slice(0, 4);
  const rest = date.slice(4).toUpperCase();
  const isOfYear = (millis: number): boolean => new Date(millis).toISOString().startsWith(year);
  const newYear = Date.parse(`${year}-01-01T00:00:00Z`);
  if (rest.startsWith('W')) {
    const week = Number(rest.slice(1, 3));
    return isOfYear(dayOfWeek(newYear, week, 4)) ? dayOfWeek(newYear, week, Number(rest.slice(3))) : undefined;
  }
  if (rest.length === 3) {
    const day = newYear + (Number(rest) - 1) * dayMillis;
    return isOfYear(day) ? day : undefined;
  }
  const calendar = `${year}-${rest.slice(0, 2)}-${rest.slice(2)}`;
  const day = Date.parse(`${calendar}T00:00:00Z`);
  // Date.parse turns some impossible days, such as 30 February, into a day of the next month, and fails for others.
  return Number.isNaN(day) || !new Date(day).toISOString().startsWith(calendar) ? undefined : day;
};

/** Parses a time of day without separators into milliseconds. Cuts finer fractions off. 24:00 is the end of the day. */
const parseTime = (time: string, fraction: string): number | undefined => {
  const [hours = 0, minutes = 0, seconds = 0] = time.match(/\d\d/g)?.map(Number) ?? [];
  const unit = { 2: 3_600_000, 4: 60_000, 6: 1000 }[time.length] ?? 0;
  // Integer arithmetic, since binary fractions could be off by a millisecond.
  const part = Number((BigInt(fraction.padEnd(9, '0').slice(0, 9)) * BigInt(unit)) / 1_000_000_000n);
  const millis = hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + part;
  return minutes < 60 && seconds < 60 && millis <= dayMillis ? millis : undefined;
};

/** Parses an ISO 8601 date-time with an offset into milliseconds since 1970. Undefined for any other text. */
const parseTimestamp = (text: string): number | undefined => {
  const place = text.search(/T/i);
  const [date, rest] = [text.slice(0, Math.max(place, 0)), text.slice(place + 1)];
  const [time = ''] = /^[\d:]*/.exec(rest) ?? [];
  const end = ending.exec(rest.slice(time.length));
  if (!end || !formats.some((format) => format.day.test(date) && format.time.test(time))) return undefined;
  const [, fraction = '', sign, hours = '0', minutes = '0'] = end;
  const day = parseDay(date.replaceAll('-', ''));
  const ofDay = parseTime(time.replaceAll(':', ''), fraction);
  if (day === undefined || ofDay === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const millis = day + ofDay - offset;
  return millis >= firstInstant && millis <= lastInstant ? millis : undefined;
};

const offsetForm = '(?:[Zz]|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)';

/** The forms of a timestamp as a regular expression. `format: date-time` would refuse ordinal and week dates. */
export const timestampForm =
  `^(?:\\d{4}-(?:\\d\\d-\\d\\d|\\d{3}|[Ww]\\d\\d-[1-7])[Tt]\\d\\d(?::\\d\\d(?::\\d\\d)?)?` +
  `|\\d{4}(?:\\d{4}|\\d{3}|[Ww]\\d\\d[1-7])[Tt]\\d\\d(?:\\d\\d(?:\\d\\d)?)?)` +
  `(?:[.,]\\d+)?${offsetForm}$`;

/** The bound in the document. The service accepts any number of digits in a fraction, and cuts it to milliseconds. */
const maxTimestamp = 64;

/** A timestamp in a request: any ISO 8601 date-time with an offset. It is converted to UTC with milliseconds. */
export const timestamp = () => {
  const error = 'must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z';
  return z
    .string({ error })
    .refine((value) => parseTimestamp(value) !== undefined, { error })
    .overwrite((value) => {
      const millis = parseTimestamp(value);
      return millis === undefined ? value : new Date(millis).toISOString();
    })
    .meta({ maxLength: maxTimestamp, pattern: timestampForm });
};
