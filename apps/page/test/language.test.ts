import { expect, test } from 'vitest';
import { daysBetween, languageOf, speak } from '../language.ts';

/** Times of the reader's own clock, wherever the tests run. */
const at = (month: number, day: number, hour = 12, year = 2028): Date => new Date(year, month - 1, day, hour);
const now = () => at(11, 28);
const iso = (date: Date): string => date.toISOString();

const english = speak('en', ['en-US'], now);
const german = speak('de', ['fr-FR', 'de-DE'], now);

test('the first of the reader’s languages that the page has is chosen, else English', () => {
  expect(languageOf(['fr-FR', 'de-AT', 'en'])).toBe('de');
  expect(languageOf(['en-GB', 'de'])).toBe('en');
  expect(languageOf(['ja', 'toString'])).toBe('en');
  expect(languageOf([])).toBe('en');
});

test('days are those of the calendar, not of 24 hours', () => {
  expect(daysBetween(at(11, 28, 23), at(11, 29, 1))).toBe(1);
  expect(daysBetween(at(11, 28, 1), at(11, 28, 23))).toBe(0);
  expect(daysBetween(at(11, 28, 1), at(11, 27, 23))).toBe(-1);
  // Clocks change in between.
  expect(daysBetween(at(3, 1), at(11, 28))).toBe(272);
});

test('figures are written as the reader’s region does', () => {
  expect(english.money(1340)).toBe('L$\u00a01,340');
  expect(german.money(1340)).toBe('L$\u00a01.340');
  expect([english.signed(30), english.signed(-60)]).toEqual(['+L$\u00a030', '−L$\u00a060']);
  expect([english.percent(5), german.percent(5)]).toEqual(['5%', '5\u00a0%']);
  expect(speak('en', ['en-GB'], now).date(iso(at(12, 24)))).toBe('24 December');
});

test('dates name the year only where it is another, and the days around today by their names', () => {
  expect([english.date(iso(at(12, 24))), german.date(iso(at(12, 24)))]).toEqual(['December 24', '24. Dezember']);
  expect(english.end(iso(at(5, 31, 12, 2029)))).toBe('May 31, 2029');
  expect([english.end(iso(at(12, 24))), english.end(iso(at(11, 28, 15)))]).toEqual([
    'Dec 24',
    expect.stringMatching(/^3:00\sPM$/),
  ]);
  expect(german.end(iso(at(11, 28, 15)))).toBe('15:00');
  const days = [at(11, 28, 1), at(11, 27, 23), at(11, 26), at(11, 29)].map((date) => english.day(iso(date)));
  expect(days).toEqual(['today', 'yesterday', 'Nov 26', 'Nov 29']);
  expect(german.day(iso(at(11, 27)))).toBe('gestern');
});

test.each([
  [0, 'today', 'today', 'heute', 'heute'],
  [1, 'tomorrow', '1 day', 'morgen', '1 Tag'],
  [26, 'in 26 days', '26 days', 'in 26 Tagen', '26 Tage'],
  [59, 'in 59 days', '59 days', 'in 59 Tagen', '59 Tage'],
  [184, 'in 6 months', '6 months', 'in 6 Monaten', '6 Monate'],
  [1096, 'in 3 years', '3 years', 'in 3 Jahren', '3 Jahre'],
])('%i days are told in the unit that people use', (days, inEnglish, span, inGerman, spanne) => {
  expect([english.inDays(days), english.days(days)]).toEqual([inEnglish, span]);
  expect([german.inDays(days), german.days(days)]).toEqual([inGerman, spanne]);
});

test('minutes have their plural', () => {
  expect([english.minutes(1), english.minutes(42)]).toEqual(['1 minute', '42 minutes']);
  expect([german.minutes(1), german.minutes(42)]).toEqual(['1 Minute', '42 Minuten']);
});
