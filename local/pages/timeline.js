// @ts-check
import { serviceNow } from './clock.js';
import { count, dateTimeOf, element, lengthOf, money } from './dom.js';

/**
 * @typedef {{ amount: number, remaining: number, state: 'open' | 'due' | 'drained' | 'expired' | 'superseded',
 *   expiresAt: string, createdAt: string, endedAt?: string, endedBy?: string }} Lot
 */

const hour = 3_600_000;
const day = 24 * hour;

/**
 * The time line is dense near now and sparse far away, so that a lot of an hour and one of ten years fit into one
 * picture. @param {number} millis from now
 */
const stretched = (millis) => Math.asinh(millis / hour);

const tickTimes = [
  { label: 'now', millis: 0 },
  { label: '1 day', millis: day },
  { label: '30 days', millis: 30 * day },
  { label: '1 year', millis: 365 * day },
  { label: '1 hour', millis: hour },
  { label: '1 week', millis: 7 * day },
  { label: '10 years', millis: 3650 * day },
  { label: '1 day ago', millis: -day },
  { label: '1 hour ago', millis: -hour },
  { label: '30 days ago', millis: -30 * day },
  { label: '1 year ago', millis: -365 * day },
];

/** The part of the width that two labels keep between them. */
const leastGap = 0.19;

/** @param {Lot[]} lots @param {number} now */
const scaleOf = (lots, now) => {
  const starts = lots.map(({ createdAt }) => Date.parse(createdAt) - now);
  const ends = lots.map(({ expiresAt }) => Date.parse(expiresAt) - now);
  const first = stretched(Math.min(...starts, -hour / 2));
  const last = stretched(Math.max(...ends, day) * 1.05);
  /** @param {number} millis from now @returns {number} 0 to 1 */
  const place = (millis) => Math.min(1, Math.max(0, (stretched(millis) - first) / (last - first)));
  /** @type {{ label: string, at: number }[]} */
  const ticks = [];
  for (const { label, millis } of tickTimes) {
    const at = (stretched(millis) - first) / (last - first);
    const free = ticks.every((tick) => Math.abs(tick.at - at) >= leastGap);
    if (at >= 0 && at <= 0.95 && free) ticks.push({ label, at });
  }
  return { place, ticks };
};

/** @param {HTMLElement} target @param {Record<string, number>} values each 0 to 1 */
const setPlaces = (target, values) => {
  for (const [name, value] of Object.entries(values)) target.style.setProperty(`--${name}`, String(value));
  return target;
};

/** How a lot stands, in words. @param {Lot} lot @param {number} now */
const wordsOf = ({ state, remaining, expiresAt, endedAt }, now) => {
  const ago = endedAt ? `${lengthOf(now - Date.parse(endedAt))} ago` : '';
  switch (state) {
    case 'open':
      return `expires in ${lengthOf(Date.parse(expiresAt) - now)}`;
    case 'due':
      return 'due: not swept yet';
    case 'drained':
      return `drained ${ago}`;
    case 'expired':
      return `${count(remaining)} expired ${ago}`;
    case 'superseded':
      return `${count(remaining)} superseded ${ago}`;
  }
};

/** @param {Lot} lot */
const titleOf = ({ createdAt, expiresAt, endedAt, endedBy }) =>
  [
    `Added ${dateTimeOf(createdAt)}`,
    `${Date.parse(expiresAt) > serviceNow() ? 'Expires' : 'Expired'} ${dateTimeOf(expiresAt)}`,
    ...(endedAt ? [`Ended ${dateTimeOf(endedAt)} by ${endedBy}`] : []),
  ].join('\n');

/**
 * Lots as bars from their addition to their expiry. A bar is filled in proportion to the lot's remaining amount.
 * @param {Lot[]} lots
 */
export const timeline = (lots) => {
  const now = serviceNow();
  const { place, ticks } = scaleOf(lots, now);
  const lines = () =>
    ticks.map(({ label, at }) => setPlaces(element(`span.tick${label === 'now' ? '.is-now' : ''}`), { at }));
  const rows = lots.map((lot, index) => {
    const { amount, remaining, state, createdAt, expiresAt, endedAt } = lot;
    const from = place(Date.parse(createdAt) - now);
    const planned = place(Date.parse(expiresAt) - now);
    const to = endedAt && endedAt < expiresAt ? place(Date.parse(endedAt) - now) : planned;
    return element(
      `li.lot.is-${state}${endedAt && index > 0 && !lots[index - 1]?.endedAt ? '.is-first-ended' : ''}`,
      { title: titleOf(lot) },
      element('span.lot-amount', element('b', count(remaining)), element('span.faint', ` of ${money(amount)}`)),
      element(
        'span.lot-track',
        { 'aria-hidden': 'true' },
        ...lines(),
        to < planned && setPlaces(element('span.lot-rest'), { from: to, to: planned }),
        setPlaces(element('span.lot-bar'), { from, to, full: remaining / amount }),
      ),
      element('span.lot-words', wordsOf(lot, now)),
    );
  });
  // A label is centred on its tick, except for the first, which would leave the card.
  const labels = ticks.map(({ label, at }) =>
    setPlaces(element(`span.label${label === 'now' ? '.is-now' : ''}`, label), {
      at,
      shift: Math.min(0.5, at * 5),
    }),
  );
  return element(
    'div.timeline',
    element('div.axis', { 'aria-hidden': 'true' }, element('span.axis-track', ...labels)),
    element('ol.lots', ...rows),
  );
};
