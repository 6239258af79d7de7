import archive from 'lucide/dist/esm/icons/archive.mjs';
import doorClosed from 'lucide/dist/esm/icons/door-closed.mjs';
import keyRound from 'lucide/dist/esm/icons/key-round.mjs';
import shop from 'lucide/dist/esm/icons/store.mjs';
import truck from 'lucide/dist/esm/icons/truck.mjs';
import wallet from 'lucide/dist/esm/icons/wallet.mjs';
import { link } from '../address.ts';
import { ago } from '../format.ts';
import type { IconData } from '../icon-data.ts';
import { Heading } from '../parts/heading.tsx';
import { Icon } from '../parts/icon.tsx';
import { later } from '../parts/later.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { canRead, type Session, useSession } from '../session.ts';
import { dayMillis } from '../sums.ts';
import { texts } from '../texts.ts';
import { readFirstDay } from './first-day-state.ts';

const t = texts.home;
const hourMillis = 3_600_000;
/** A larger number is shown as "or more". */
const counted = 50;

interface Attention {
  id: string;
  tone: 'bad' | 'warn';
  icon: IconData;
  text: string;
  to?: string;
  /** The text of the link. */
  action?: string;
}

/** The newest event of a type in the last 30 days. The list begins with the oldest. */
const newestEvent = async (
  { client }: Session,
  type: 'dispenser.lost' | 'dispenser.registered',
  signal: AbortSignal,
): Promise<string | undefined> => {
  let last: string | undefined;
  for await (const { at } of client.rows('/v1/events', { query: { type, limit: 1000 }, signal })) last = at;
  return last;
};

/** The store itself and the key need no call. */
const ofStore = ({ store: { open, key }, can }: Session): (Attention | false)[] => [
  !open && {
    id: 'closed',
    tone: 'warn',
    icon: doorClosed,
    text: t.closed,
    ...(can('store:write') && { to: link('/settings'), action: texts.titles.settings }),
  },
  key.expiresAt !== null &&
    Date.parse(key.expiresAt) - Date.now() < hourMillis && {
      id: 'key',
      tone: 'warn',
      icon: keyRound,
      text: t.keyEnds(ago(key.expiresAt)),
    },
];

/** Reads the faults that a person should look at, as far as the key may see them. */
const readFaults = async (session: Session, signal: AbortSignal) => {
  const { client, can } = session;
  const nothing = { data: [], pagination: { nextCursor: null } };
  const deliveries = async (state: 'waiting' | 'failed') =>
    can('deliveries:read') ? client.get('/v1/deliveries', { query: { state, limit: counted }, signal }) : nothing;
  const lostEvents = canRead(session, 'dispenser.lost')
    ? [newestEvent(session, 'dispenser.lost', signal), newestEvent(session, 'dispenser.registered', signal)]
    : [];
  const lostVendors = can('vendors:read')
    ? client.get('/v1/vendors', { query: { state: 'lost', limit: counted }, signal })
    : nothing;
  const unknownPayouts = can('payouts:read')
    ? client.get('/v1/payouts', { query: { state: 'unknown', limit: counted }, signal })
    : nothing;
  const [waiting, failed, vendors, payouts, lost, registered] = await Promise.all([
    deliveries('waiting'),
    deliveries('failed'),
    lostVendors,
    unknownPayouts,
    ...lostEvents,
  ]);
  return { waiting, failed, vendors, payouts, lost, registered };
};

/**
 * Names the faults and gaps of a store that a person should look at. `hasBox` is undefined for a key that may not see
 * it.
 */
const attentionOf = async (
  session: Session,
  hasBox: boolean | undefined,
  signal: AbortSignal,
): Promise<Attention[]> => {
  const { waiting, failed, vendors, payouts, lost, registered } = await readFaults(session, signal);
  const isRecent = ({ createdAt }: { createdAt: string }) => Date.now() - Date.parse(createdAt) < 30 * dayMillis;
  const failedLately = failed.data.filter(isRecent).length;
  const isMore = (list: { pagination: { nextCursor: string | null } }) => list.pagination.nextCursor !== null;
  const found: (Attention | false)[] = [
    ...ofStore(session),
    hasBox === false && {
      id: 'box',
      icon: archive,
      tone: 'bad',
      text: t.noBox,
      to: link('/setup/box'),
      action: texts.setup.titles.box,
    },
    lost !== undefined &&
      (registered === undefined || registered < lost) && {
        id: 'lost',
        tone: 'bad',
        icon: archive,
        text: t.lost(ago(lost)),
      },
    waiting.data.length > 0 && {
      id: 'waiting',
      icon: truck,
      tone: 'bad',
      text: t.silent(t.waiting(waiting.data.length, isMore(waiting))),
      to: link('/deliveries', { state: 'waiting' }),
    },
    payouts.data.length > 0 && {
      id: 'payouts',
      icon: wallet,
      tone: 'warn',
      text: t.unknownPayouts(payouts.data.length, isMore(payouts)),
      to: link('/payouts'),
    },
    vendors.data.length > 0 && {
      id: 'vendors',
      icon: shop,
      tone: 'warn',
      text: t.lostVendors(vendors.data.length, isMore(vendors)),
      to: link('/vendors', { state: 'lost' }),
    },
    failedLately > 0 && {
      id: 'failed',
      icon: truck,
      tone: 'warn',
      text: t.failed(failedLately, isMore(failed)),
      to: link('/deliveries', { state: 'failed' }),
    },
  ];
  return found.filter((one) => one !== false);
};

/** Everything above the charts, which is read at once. */
const readHome = async (session: Session, signal: AbortSignal) => {
  const boxes = session.can('deliveries:read')
    ? await session.client.get('/v1/dispensers', { query: { limit: 1 }, signal })
    : undefined;
  const hasBox = boxes && boxes.data.length > 0;
  const [attention, firstDay] = await Promise.all([
    attentionOf(session, hasBox, signal),
    readFirstDay(session, hasBox === true, signal),
  ]);
  return { attention, firstDay };
};

const NeedsAttention = ({ all }: { all: readonly Attention[] }) => (
  <section class="card" aria-labelledby="attention">
    <h2 id="attention">{t.attention}</h2>
    {all.length === 0 && <p class="fine">{t.fine}</p>}
    <ul class="rows">
      {all.map(({ id, tone, icon, text, to, action = t.see }) => (
        <li key={id} class="row">
          <span class={`bullet is-${tone}`}>
            <Icon of={icon} />
          </span>
          <p>{text}</p>
          {to && (
            <a class="button" href={to}>
              {action}
            </a>
          )}
        </li>
      ))}
    </ul>
  </section>
);

const FirstDay = later(async () => (await import('./first-day.tsx')).FirstDay);
const Today = later(async () => (await import('./today.tsx')).Today);

const Sums = () => {
  const { can, store } = useSession();
  return can('sales:read') ? <Today key={store.id} /> : <p class="empty">{t.noDays}</p>;
};

export const HomePage = () => {
  const session = useSession();
  const { store } = session;
  const home = useLoad((signal) => readHome(session, signal), [store.open]);
  return (
    <>
      <Heading title={t.title} />
      <div class="stack home">
        <Show of={home}>
          {({ attention, firstDay }) => (
            <div class="stack home">
              <NeedsAttention all={attention} />
              {firstDay && <FirstDay state={firstDay} onHide={home.reload} />}
            </div>
          )}
        </Show>
        {(home.fault || (home.value && home.value.firstDay?.hasSale !== false)) && <Sums />}
      </div>
    </>
  );
};
