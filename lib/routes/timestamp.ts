import * as z from 'zod';

// Group 1 the date, 2 the time of day, 3 seconds with fraction, 4 the offset.
const timestampPattern =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** Reads an ISO 8601 date-time with an offset. Milliseconds since 1970, or undefined where the text is none. */
const parseTimestamp = (value: string): number | undefined => {
  const match = timestampPattern.exec(value);
  if (!match) return undefined;
  const [, date = '', hours = '', minutes = '', seconds = '00', fraction = '', sign, offHours = '0', offMinutes = '0'] =
    match;
  const day = new Date(`${date}T00:00:00Z`);
  // A day that does not exist, such as 30 February, is read as another day or as none.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined;
  const offset = (Number(offHours) * 60 + Number(offMinutes)) * (sign === '-' ? -1 : 1);
  const millis =
    day.getTime() +
    (Number(hours) * 60 + Number(minutes) - offset) * 60_000 +
    Number(seconds) * 1000 +
    Number(fraction.padEnd(3, '0').slice(0, 3));
  return millis >= firstInstant && millis <= lastInstant ? millis : undefined;
};

const firstInstant = Date.parse('0001-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** A timestamp of a request: any ISO 8601 date-time with an offset, read as UTC with milliseconds. */
export const timestamp = () => {
  const error = 'must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z';
  return z
    .string({ error })
    .refine((value) => parseTimestamp(value) !== undefined, { error })
    .overwrite((value) => {
      const millis = parseTimestamp(value);
      return millis === undefined ? value : new Date(millis).toISOString();
    })
    .meta({ format: 'date-time' });
};
