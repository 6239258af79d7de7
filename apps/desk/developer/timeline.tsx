import { money } from '../format.ts';
import { serviceNow } from './live.ts';
import { texts } from './texts.ts';

const t = texts.credit;

export interface Lot {
  id: string;
  amount: number;
  remaining: number;
  state: 'open' | 'due' | 'drained' | 'expired' | 'superseded';
  createdAt: string;
  expiresAt: string;
  endedAt: string | null;
}

const hour = 3_600_000;
const day = 24 * hour;

/**
 * The time line is dense near now and sparse far away, so that a lot of one hour and a lot of ten years fit into one
 * picture.
 */
const stretched = (millis: number): number => Math.asinh(millis / hour);

/** In the order in which they get space. */
const tickTimes: readonly (readonly [label: string, millis: number])[] = [
  [t.ticks.now, 0],
  [t.ticks.day, day],
  [t.ticks.month, 30 * day],
  [t.ticks.year, 365 * day],
  [t.ticks.hour, hour],
  [t.ticks.week, 7 * day],
  [t.ticks.decade, 3650 * day],
  [t.ticks.dayAgo, -day],
  [t.ticks.hourAgo, -hour],
  [t.ticks.monthAgo, -30 * day],
  [t.ticks.yearAgo, -365 * day],
];

/** The share of the width between two labels, so that none covers another on a phone. */
const leastGap = 0.22;

const timeScale = (lots: readonly Lot[], now: number) => {
  const starts = lots.map(({ createdAt }) => Date.parse(createdAt) - now);
  const ends = lots.map(({ expiresAt }) => Date.parse(expiresAt) - now);
  const first = stretched(Math.min(...starts, -hour / 2));
  const last = stretched(Math.max(...ends, day) * 1.05);
  /** 0 to 1. */
  const place = (millis: number): number => Math.min(1, Math.max(0, (stretched(millis) - first) / (last - first)));
  const ticks: { label: string; at: number }[] = [];
  for (const [label, millis] of tickTimes) {
    const at = (stretched(millis) - first) / (last - first);
    if (at >= 0 && at <= 0.95 && ticks.every((tick) => Math.abs(tick.at - at) >= leastGap)) ticks.push({ label, at });
  }
  return { place, ticks };
};

const percent = (share: number): string => `${100 * share}%`;

/** The state of a lot, in words. */
const describeLot = ({ state, remaining, expiresAt, endedAt }: Lot, now: number): string => {
  const ago = endedAt ? now - Date.parse(endedAt) : 0;
  switch (state) {
    case 'open':
      return t.open(Date.parse(expiresAt) - now);
    case 'due':
      return t.due;
    case 'drained':
      return t.drained(ago);
    case 'expired':
      return t.expired(remaining, ago);
    case 'superseded':
      return t.superseded(remaining, ago);
  }
};

/** Lots as bars from their addition to their expiry. A bar is filled in proportion to the lot's remaining amount. */
export const Timeline = ({ lots }: { lots: readonly Lot[] }) => {
  const now = serviceNow();
  const { place, ticks } = timeScale(lots, now);
  return (
    <div class="spans">
      <div class="times" aria-hidden="true">
        <span class="inside">
          {ticks.map(({ label, at }) => (
            // A label is centred on its tick, except for the first, which would leave the card.
            <span
              key={label}
              class={`label${label === t.ticks.now ? ' is-now' : ''}`}
              style={{ left: percent(at), translate: `-${100 * Math.min(0.5, at * 5)}%` }}
            >
              {label}
            </span>
          ))}
        </span>
      </div>
      <ol>
        {lots.map((lot) => {
          const { id, amount, remaining, state, createdAt, expiresAt, endedAt } = lot;
          const from = place(Date.parse(createdAt) - now);
          const planned = place(Date.parse(expiresAt) - now);
          const to = endedAt && endedAt < expiresAt ? place(Date.parse(endedAt) - now) : planned;
          return (
            <li key={id} class={`lot is-${state}`} title={t.span(createdAt, expiresAt, endedAt)}>
              <span class="amount">
                <b>{money(remaining)}</b> <span class="help">{t.of(amount)}</span>
              </span>
              <span class="inside" aria-hidden="true">
                {ticks.map(({ label, at }) => (
                  <span
                    key={label}
                    class={`tick${label === t.ticks.now ? ' is-now' : ''}`}
                    style={{ left: percent(at) }}
                  />
                ))}
                {to < planned && <span class="planned" style={{ left: percent(to), width: percent(planned - to) }} />}
                <span class="span" style={{ left: percent(from), width: percent(Math.max(to - from, 0.01)) }}>
                  <span class="filled" style={{ width: percent(remaining / amount) }} />
                </span>
              </span>
              <span class="words">{describeLot(lot, now)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
};
