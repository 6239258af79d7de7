import { InvalidArgumentError } from 'commander';
import type * as z from 'zod';
import { timeAfter } from '../../../lib/clock.ts';
import { type Identifier, parseIdentifier } from '../../../lib/identifier.ts';
import { type EventType, eventNames } from '../../../lib/routes/events.ts';
import { timestamp as wireTimestamp } from '../../../lib/routes/timestamp.ts';
import * as wire from '../../../lib/routes/wire.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { Failure, UsageError } from './errors.ts';
import { isInteractive } from './output.ts';

/**
 * Reads values that a person gives, on the command line or when asked. The parsers throw and name the allowed values.
 */

const name = wire.text({ min: 1, max: wire.maxLength.label });

/** The fault in the name of a store or key, if there is one. */
export const nameFault = (text: string): string | undefined => {
  const fault = name.safeParse(text).error?.issues[0]?.message;
  return fault && `The name ${fault}.`;
};

export const parseName = (text: string): string => {
  const fault = nameFault(text);
  if (fault) throw new InvalidArgumentError(fault);
  return text.trim();
};

/** Makes a parser from the schema of a request's value. */
export const parsedBy =
  <T>(schema: z.ZodType<T>) =>
  (text: string): T => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
  };

/** Reads the reason of a change, for the store's own records. */
export const parseReason = parsedBy(wire.text({ min: 0, max: wire.maxLength.reason }));

export const reasonOption = [
  '--reason <text>',
  `why, at most ${wire.maxLength.reason} characters`,
  parseReason,
] as const;

/** Reads the number or name of a change in the store's own records. */
export const parseReference = parsedBy(wire.text({ min: 0, max: wire.maxLength.reference }));

/** Where a person finds the id of each thing. */
const whereListed = {
  sale: 'store sales list',
  delivery: 'store deliveries list',
  webhook: 'store webhooks list',
  vendor: 'store vendors list',
  'gift card': 'its owner at the desk',
  product: 'its page at the desk',
  event: 'store listen',
  payout: 'store payouts show',
  transaction: "the account's L$ history",
};

export type ThingName = keyof typeof whereListed;

export const exampleId = '0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90';

/** Makes a parser for the id of a thing. It returns the id in lower case. */
export const parseIdOf =
  (kind: ThingName) =>
  (text: string): string => {
    const id = wire.uuid().safeParse(text);
    if (id.success) return id.data;
    throw new UsageError(
      `${text} is not the id of a ${kind}: it must be a UUID, such as ${exampleId}. See ${whereListed[kind]}.`,
    );
  };

/** The message if a store has nothing with this id. */
export const unknownId = (store: string, kind: ThingName, id: string): string =>
  `${store} has no ${kind} ${id}. See ${whereListed[kind]}.`;

/** Reads types of events, separated by commas. */
export const parseEventTypes = (text: string): EventType[] => {
  const named = [...new Set(text.split(',').map((type) => type.trim()))];
  const unknown = named.filter((type) => !(eventNames as readonly string[]).includes(type));
  if (unknown.length === 0) return named as EventType[];
  throw new InvalidArgumentError(
    `There is no type of event ${unknown.join(', ')}. There are: ${eventNames.join(', ')}.`,
  );
};

/** Reads a day in UTC, as YYYY-MM-DD. */
export const parseDay = parsedBy(wire.queryDate());

export const parseAmount = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of L$ from 1 on.');
  return Number(text);
};

const readPercent = (text: string, from: number, to: number): number => {
  const [, digits] = /^([+-]?\d{1,4}(?:\.\d{1,9})?)\s?%?$/.exec(text.trim()) ?? [];
  const percent = Number(digits);
  if (digits !== undefined && percent >= from && percent <= to) return percent;
  throw new InvalidArgumentError(`It must be a percentage from ${from} to ${to}, such as 20 or 7.5.`);
};

export const parsePercent = (text: string): number => readPercent(text, 0, 100);

/** Reads a rise in percent. A negative one is a fall. */
export const parseRise = (text: string): number => readPercent(text, -100, 1000);

/** Reads ids of products, separated by commas. */
export const parseProductIds = (text: string): string[] => text.split(',').map((id) => parseIdOf('product')(id.trim()));

export const parseCount = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return Number(text);
};

export const parseResident = (text: string): Identifier => {
  const identifier = parseIdentifier(copiedName(text));
  if (identifier) return identifier;
  throw new InvalidArgumentError('It must be a username (first, first.last or "First Last") or an avatar UUID.');
};

const unitMillis: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const longestYears = 100;
const longestMillis = longestYears * 365.25 * 86_400_000;

const readDuration = (text: string): number | undefined => {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  const millis = Number(count) * (unitMillis[unit] ?? 0);
  if (millis <= longestMillis) return millis;
  throw new InvalidArgumentError(`It must be at most ${longestYears} years, which are 5217w.`);
};

/** The last time that sorts as text. In the year 10000 a time begins with a plus sign. */
/**
 * Makes a parser for a time: a duration from now (into the past if `sign` is -1), a day at `timeOfDay`, or a time with
 * an offset.
 */
const parseMoment =
  (sign: 1 | -1, timeOfDay: string) =>
  (text: string): (() => string) => {
    const millis = readDuration(text);
    if (millis !== undefined && millis > 0) return () => timeAfter(sign * millis);
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text.trim());
    const time = wireTimestamp().safeParse(isDay ? `${text.trim()}T${timeOfDay}` : text.trim());
    if (time.success) return () => time.data;
    throw new InvalidArgumentError(
      'It must be a duration such as 90d, a day such as 2027-12-31, or a time such as 2027-12-31T12:00:00Z.',
    );
  };

/**
 * Reads the end of something: a duration from now, a day (its end, in UTC) or a time with an offset. Returns a
 * function, since now is the time of the deployment's clock, which is not known yet.
 */
export const parseEnd = parseMoment(1, '23:59:59.999Z');

/** Reads the start of something in the future. A day means its start, in UTC. */
export const parseBegin = parseMoment(1, '00:00:00.000Z');

/** Reads the end of an overlap as `parseEnd` does. A duration of 0, such as 0h, means now. */
export const parseOverlap = (text: string): (() => string) =>
  readDuration(text) === 0 ? () => timeAfter(0) : parseEnd(text);

/** Reads the start of something in the past: a duration ago, a day (its start, in UTC) or a time with an offset. */
export const parseStart = parseMoment(-1, '00:00:00.000Z');

/**
 * Asks the person at the terminal for a text. `check` returns the fault in an answer. Without a terminal, throws and
 * names the argument or option that gives the answer, such as `--confirm`. The person can confirm or change
 * `initialValue`.
 */
export const ask = async (
  message: string,
  option: string,
  check: (answer: string) => string | undefined,
  initialValue = '',
): Promise<string> => {
  if (!isInteractive()) throw new UsageError(`There is no terminal to ask at: give ${option}.`);
  // Loaded only here: most commands ask nothing.
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({ message, initialValue, output: process.stderr, validate: (value) => check(value ?? '') });
  if (isCancel(answer)) throw new Failure('Cancelled. Nothing was changed.');
  return answer;
};

/**
 * Asks the person at the terminal for a secret, which is not shown. `otherwise` says how to give it without a terminal.
 */
export const askSecret = async (message: string, otherwise: string): Promise<string> => {
  if (!isInteractive()) throw new UsageError(`There is no terminal to ask at: ${otherwise}.`);
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message, output: process.stderr });
  if (isCancel(answer)) throw new Failure('Cancelled. Nothing was changed.');
  return answer.trim();
};

/** Lets the person at the terminal choose one of several values. Shows the hint of the value under the cursor. */
export const choose = async <T extends string>(message: string, options: { value: T; hint: string }[]): Promise<T> => {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<string>({ message, options, output: process.stderr });
  if (isCancel(answer)) throw new Failure('Cancelled. Nothing was changed.');
  return answer as T;
};

/** Lets the person at the terminal choose one or more of several values. Answers them in the order of `values`. */
export const chooseSome = async <T extends string>(message: string, values: readonly T[]): Promise<T[]> => {
  const { isCancel, multiselect } = await import('@clack/prompts');
  const options = values.map((value) => ({ value: value as string }));
  const answer = await multiselect<string>({ message, options, maxItems: 12, required: true, output: process.stderr });
  if (isCancel(answer)) throw new Failure('Cancelled. Nothing was changed.');
  return values.filter((value) => answer.includes(value));
};
