import type { CreditLotResponse } from '../../client/client.ts';
import { ago, date, money } from '../format.ts';
import { Show, useLoad } from '../parts/load.tsx';
import { useSession } from '../session.ts';
import { t } from './customer.texts.ts';
import type { CustomerProps } from './customer-props.ts';

const shown = 40;

/** Times as shares of the span from the beginning of the first lot to the end of the last one. */
const lotScale = (lots: readonly CreditLotResponse[], now: number) => {
  const first = Math.min(now, ...lots.map(({ createdAt }) => Date.parse(createdAt)));
  const last = Math.max(now, ...lots.map(({ expiresAt }) => Date.parse(expiresAt)));
  const share = (at: number): number => (100 * (at - first)) / (last - first || 1);
  return { first, last, share };
};

const Bar = ({ from, to, isEndless = false }: { from: number; to: number; isEndless?: boolean }) => (
  <span
    class={`bar${isEndless ? ' is-endless' : ''}`}
    style={{ left: `${from}%`, width: `${Math.max(to - from, 1.5)}%` }}
  />
);

/** The open lots as bars over time, in the order in which they are spent. */
export const Lots = ({ customer, round }: CustomerProps) => {
  const { client } = useSession();
  const loaded = useLoad(
    (signal) =>
      client.get('/v1/customers/{identifier}/credit/lots', {
        path: { identifier: customer.uuid },
        query: { state: 'open', limit: shown },
        signal,
      }),
    [customer.uuid, round],
  );
  return (
    <section class="card" aria-labelledby="lots">
      <h2 id="lots">{t.lots}</h2>
      <Show of={loaded}>
        {({ data, pagination }) => {
          if (data.length === 0)
            return <p class="help">{customer.credit + customer.restrictedCredit > 0 ? t.lotsEndless : t.lotsNone}</p>;
          const now = Date.now();
          const { first, last, share } = lotScale(data, now);
          const inLots = data
            .filter(({ type }) => type === 'regular')
            .reduce((sum, { remaining }) => sum + remaining, 0);
          const permanent = pagination.nextCursor === null ? customer.credit - inLots : 0;
          return (
            <>
              <ol class="lots" aria-label={t.lotsCaption}>
                {data.map(({ id, type, amount, remaining, createdAt, expiresAt }) => (
                  <li key={id}>
                    <p>
                      <b>{t.lot(remaining, amount)}</b> {type === 'restricted' && t.restrictedMark}
                      <span class="help">
                        {Date.parse(expiresAt) <= now ? t.due : `${t.ends(date(expiresAt))}, ${ago(expiresAt)}`}
                      </span>
                    </p>
                    <div class="track">
                      <Bar from={share(Date.parse(createdAt))} to={share(Date.parse(expiresAt))} />
                      <span class="now" style={{ left: `${share(now)}%` }} />
                    </div>
                  </li>
                ))}
                {permanent > 0 && (
                  <li>
                    <p>
                      <b>{money(permanent)}</b> <span class="help">{t.permanentText}</span>
                    </p>
                    <div class="track">
                      <Bar from={0} to={100} isEndless />
                      <span class="now" style={{ left: `${share(now)}%` }} />
                    </div>
                  </li>
                )}
              </ol>
              <p class="axis help" aria-hidden="true">
                <span>{date(new Date(first).toISOString())}</span>
                <span>{date(new Date(last).toISOString())}</span>
              </p>
              <p class="help">
                {t.lotsSpent} {pagination.nextCursor !== null && t.moreLots}
              </p>
            </>
          );
        }}
      </Show>
    </section>
  );
};
