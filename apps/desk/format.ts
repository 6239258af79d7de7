/** Numbers and times in the reader's own form. */

const numbers = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** `L$ 1,234`, with a true minus sign. */
export const money = (amount: number): string =>
  `${amount < 0 ? '\u2212' : ''}L$\u00a0${numbers.format(Math.abs(amount))}`;

/** A change: `+L$ 100` or `−L$ 100`. */
export const change = (amount: number): string => `${amount > 0 ? '+' : ''}${money(amount)}`;

export const count = (value: number): string => numbers.format(value);

/** A number of things: `1 sale`, `2 sales`. */
export const some = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`;

/** For axes: `1.2K`. */
export const short = (value: number): string => compact.format(value).replace('-', '\u2212');

/** The zones in which times can be shown: the reader's own, UTC, and the clock of the virtual world. */
const zones = { own: undefined, utc: 'UTC', world: 'America/Los_Angeles' } as const;
export type Zone = keyof typeof zones;

const zoneName = 'desk.zone';

const isZone = (name: string | null | undefined): name is Zone => Object.hasOwn(zones, name ?? '');

/** The zone that was chosen on this device. */
export const chosenZone = (): Zone => {
  const kept = globalThis.localStorage?.getItem(zoneName);
  return isZone(kept) ? kept : 'own';
};

/** Chooses a zone for this device, and shows all times in it. */
export const chooseZone = (zone: string): void => {
  localStorage.setItem(zoneName, zone);
  location.reload();
};

const timeZone = zones[chosenZone()];
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone });
const hours = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone });
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const monthsAlone = new Intl.DateTimeFormat(undefined, { month: 'long', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A month, `YYYY-MM` in UTC. */
export const monthName = (month: string): string => months.format(new Date(`${month}-01T00:00:00Z`));

export const date = (at: string): string => dates.format(new Date(at));
export const time = (at: string): string => times.format(new Date(at));
export const hour = (at: string): string => hours.format(new Date(at));

/** A day of the store's sums, `YYYY-MM-DD` in UTC. */
export const dayName = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

/** The month of such a day, without its year. */
export const monthOf = (day: string): string => monthsAlone.format(new Date(`${day}T00:00:00Z`));

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `3 days ago`, `in 2 hours`. A time in 24 hours is `in 24 hours` a second later too, rather than in 23. */
export const ago = (at: string, now = Date.now()): string => {
  const seconds = (Date.parse(at) - now) / 1000;
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return relative.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
};

/** The value of a field for a time, in the reader's own time and to the minute; empty if there is none. */
export const localTime = (at: string | null): string => {
  if (at === null) return '';
  const then = new Date(at);
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** The end of the day in a date field, in the reader's time. Undefined if the field is empty. */
export const endOfDay = (day: string | undefined): string | undefined => {
  const end = new Date(`${day}T23:59:59`);
  return day && !Number.isNaN(end.getTime()) ? end.toISOString() : undefined;
};

/** The first moment of the day in a date field, or of a later day, in the reader's time. */
export const startOfDay = (day: string | undefined, ahead = 0): string | undefined => {
  const start = new Date(`${day}T00:00:00`);
  if (!day || Number.isNaN(start.getTime())) return undefined;
  start.setDate(start.getDate() + ahead);
  return start.toISOString();
};

/** The value of a date field, this many days from now. */
export const dayIn = (ahead: number): string => {
  const then = new Date();
  then.setDate(then.getDate() + ahead);
  return `${then.getFullYear()}-${String(then.getMonth() + 1).padStart(2, '0')}-${String(then.getDate()).padStart(2, '0')}`;
};

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
