import { de } from './words/de.ts';
import { en, type Words } from './words/en.ts';

/** The languages of the page, and how each writes figures and times. */

export const languages = { en, de };

export type Language = keyof typeof languages;

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);

/** The first of the reader's languages that the page has; else English. */
export const languageOf = (wanted: readonly string[]): Language =>
  wanted.map((one) => one.split('-')[0] ?? '').find(isLanguage) ?? 'en';

/** The days of the calendar from one moment to another: 1 for tomorrow, -1 for yesterday. */
export const daysBetween = (from: Date, to: Date): number => {
  const dayOf = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((dayOf(to) - dayOf(from)) / 86_400_000);
};

export interface Speech {
  language: Language;
  t: Words;
  /** `L$ 1,340`. */
  money: (amount: number) => string;
  /** `+L$ 30` or `−L$ 60`. */
  signed: (amount: number) => string;
  count: (number: number) => string;
  percent: (number: number) => string;
  /** `December 24`, with the year if it is another. */
  date: (time: string) => string;
  /** The end of something: a short date, or the time if it is today. */
  end: (time: string) => string;
  /** `today`, `yesterday` or a short date. */
  day: (time: string) => string;
  /** `15:40`. */
  clock: (time: string | number) => string;
  /** `today`, `tomorrow`, `in 26 days`; in months or years if it is far away. */
  inDays: (days: number) => string;
  /** `26 days`; in months or years if there are many. */
  days: (days: number) => string;
  /** `42 minutes`. */
  minutes: (minutes: number) => string;
}

/** A number of days in the unit that people use for it. */
const spanOf = (days: number): [count: number, unit: 'day' | 'month' | 'year'] => {
  if (days < 60) return [days, 'day'];
  const months = Math.round(days / 30.44);
  return months < 24 ? [months, 'month'] : [Math.round(days / 365.25), 'year'];
};

/** Words, figures and times of a language, as the reader's own region writes them if it is one of `wanted`. */
export const speak = (language: Language, wanted: readonly string[], now: () => Date = () => new Date()): Speech => {
  const locale = wanted.find((one) => one.split('-')[0] === language) ?? language;
  const number = new Intl.NumberFormat(locale);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const unit = (count: number, name: string): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }).format(count);
  const dateWith = (month: 'long' | 'short') => (time: string) => {
    const date = new Date(time);
    const year = date.getFullYear() === now().getFullYear() ? {} : ({ year: 'numeric' } as const);
    return date.toLocaleDateString(locale, { day: 'numeric', month, ...year });
  };
  const shortDate = dateWith('short');
  const clock = (time: string | number): string =>
    new Date(time).toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' });
  const money = (amount: number): string => `L$\u00a0${number.format(amount)}`;
  return {
    language,
    t: languages[language],
    money,
    signed: (amount) => `${amount < 0 ? '−' : '+'}${money(Math.abs(amount))}`,
    count: (count) => number.format(count),
    percent: (share) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent' }).format(share),
    date: dateWith('long'),
    end: (time) => (daysBetween(now(), new Date(time)) === 0 ? clock(time) : shortDate(time)),
    day: (time) => {
      const days = daysBetween(now(), new Date(time));
      return days === 0 || days === -1 ? relative.format(days, 'day') : shortDate(time);
    },
    clock,
    inDays: (days) => relative.format(...spanOf(days)),
    days: (days) => (days === 0 ? relative.format(0, 'day') : unit(...spanOf(days))),
    minutes: (minutes) => unit(minutes, 'minute'),
  };
};
