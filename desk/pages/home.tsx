import { useState } from 'preact/hooks';
import type { DaysResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { ago, count, money } from '../format.ts';
import { Chart } from '../parts/chart.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { Filter } from '../parts/list.tsx';
import { FaultBox, Show, useLoad, usePress } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { canRead, type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.home;
const hourMillis = 3_600_000;
const dayMillis = 24 * hourMillis;
/** More than these are shown as "or more". */
const counted = 50;

interface Attention {
  id: string;
  tone: 'bad' | 'warn';
  text: string;
  to?: string;
}

/** The newest event of a type, among those of the last 30 days. The list begins with the oldest. */
const newestEvent = async (
  { client }: Session,
  type: 'dispenser.lost' | 'dispenser.registered',
  signal: AbortSignal,
): Promise<string | undefined> => {
  let last: string | undefined;
  for await (const { at } of client.rows('/v1/events', { query: { type, limit: 1000 }, signal })) last = at;
  return last;
};

const attentionOf = async (session: Session, signal: AbortSignal): Promise<Attention[]> => {
  const { client, can, store } = session;
  const { expiresAt } = store.key;
  const deliveries = async (state: 'waiting' | 'failed') =>
    can('deliveries:read')
      ? client.get('/v1/deliveries', { query: { state, limit: counted }, signal })
      : { data: [], pagination: { nextCursor: null } };
  const lostEvents = canRead(session, 'dispenser.lost')
    ? [newestEvent(session, 'dispenser.lost', signal), newestEvent(session, 'dispenser.registered', signal)]
    : [];
  const [waiting, failed, lost, registered] = await Promise.all([
    deliveries('waiting'),
    deliveries('failed'),
    ...lostEvents,
  ]);
  const isRecent = ({ createdAt }: { createdAt: string }) => Date.now() - Date.parse(createdAt) < 30 * dayMillis;
  const failedLately = failed.data.filter(isRecent).length;
  const isMore = (list: { pagination: { nextCursor: string | null } }) => list.pagination.nextCursor !== null;
  const found: (Attention | false)[] = [
    lost !== undefined &&
      (registered === undefined || registered < lost) && { id: 'lost', tone: 'bad', text: t.lost(ago(lost)) },
    waiting.data.length > 0 && {
      id: 'waiting',
      tone: 'bad',
      text: t.silent(t.waiting(waiting.data.length, isMore(waiting))),
      to: link('/deliveries', { state: 'waiting' }),
    },
    failedLately > 0 && {
      id: 'failed',
      tone: 'warn',
      text: t.failed(failedLately, isMore(failed)),
      to: link('/deliveries', { state: 'failed' }),
    },
    expiresAt !== null &&
      Date.parse(expiresAt) - Date.now() < hourMillis && {
        id: 'key',
        tone: 'warn',
        text: t.keyEnds(ago(expiresAt)),
      },
  ];
  return found.filter((one) => one !== false);
};

/** Closes or opens the store. */
const StoreDoor = () => {
  const { client, store, refresh } = useSession();
  const say = useSay();
  const [isAsking, setAsking] = useState(false);
  const opening = usePress(async () => {
    await client.post('/v1/store/actions/open');
    await refresh();
    say(t.opened);
  });
  return (
    <>
      {opening.fault && <FaultBox fault={opening.fault} />}
      {store.open ? (
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {t.close}
        </button>
      ) : (
        <button type="button" class="button is-main" aria-disabled={opening.isBusy} onClick={opening.press}>
          {t.open}
        </button>
      )}
      {isAsking && (
        <Dialog title={t.close} onClose={() => setAsking(false)}>
          <Form
            submit={t.close}
            isDangerous
            onCancel={() => setAsking(false)}
            onSend={async ({ reason }) => {
              await client.post('/v1/store/actions/close', { body: { ...(reason && { reason }) } });
              setAsking(false);
              await refresh();
              say(t.closedSaid);
            }}
          >
            <p>{t.closeText}</p>
            <Field name="reason" label={t.closeReason} maxLength={200} />
          </Form>
        </Dialog>
      )}
    </>
  );
};

const NeedsAttention = () => {
  const session = useSession();
  const found = useLoad((signal) => attentionOf(session, signal), [session.store.open]);
  return (
    <section class="stack attention" aria-labelledby="attention">
      <h2 id="attention">{t.attention}</h2>
      {!session.store.open && (
        <div class="notice is-warn">
          <p>{t.closed}</p>
        </div>
      )}
      <Show of={found}>
        {(all) => (
          <ul class="stack">
            {all.length === 0 && session.store.open && <li class="fine">{t.fine}</li>}
            {all.map(({ id, tone, text, to }) => (
              <li key={id} class={`notice is-${tone}`}>
                <p>{text}</p>
                {to && (
                  <a class="button" href={to}>
                    {t.see}
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
};

type Day = DaysResponse['data'][number];
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/**
 * Every day of the span. The service leaves out those on which nothing happened: what customers hold stays the same
 * then.
 */
const everyDay = (given: readonly Day[], span: number) => {
  const byDay = new Map(given.map((day) => [day.day, day]));
  const days = Array.from({ length: span }, (_, index) => dayOf(Date.now() - (span - 1 - index) * dayMillis));
  let last: Day | undefined;
  const held = days.map((day) => {
    last = byDay.get(day) ?? last;
    return last;
  });
  return { days, rows: days.map((day) => byDay.get(day)), held };
};

const Days = () => {
  const { client } = useSession();
  const { query } = useAddress();
  const span = Object.hasOwn(t.ranges, query.days ?? '') ? Number(query.days) : 30;
  const from = dayOf(Date.now() - (span - 1) * dayMillis);
  const loaded = useLoad((signal) => client.get('/v1/store/days', { query: { from }, signal }), [from]);
  return (
    <Show of={loaded}>
      {({ data }) => {
        if (data.length === 0) return <p class="empty">{t.nothing}</p>;
        const { days, rows, held } = everyDay(data, span);
        const valuesOf = (pick: (day: Day) => number) => rows.map((day) => (day ? pick(day) : 0));
        return (
          <div class="charts">
            <Chart
              title={t.sales}
              kind="bars"
              days={days}
              format={money}
              series={[
                { name: t.paid, tone: 'one', values: valuesOf(({ paid }) => paid) },
                { name: t.refunded, tone: 'two', values: valuesOf(({ refunded }) => -refunded) },
              ]}
            />
            <Chart
              title={t.credit}
              kind="bars"
              days={days}
              format={money}
              series={[
                { name: t.added, tone: 'one', values: valuesOf(({ creditAdded }) => creditAdded) },
                { name: t.spent, tone: 'two', values: valuesOf(({ creditSpent }) => -creditSpent) },
                { name: t.expired, tone: 'three', values: valuesOf(({ creditExpired }) => -creditExpired) },
                { name: t.removed, tone: 'four', values: valuesOf(({ creditRemoved }) => -creditRemoved) },
              ]}
            />
            <Chart
              title={t.held}
              kind="lines"
              days={days}
              format={money}
              series={[
                { name: t.regular, tone: 'one', values: held.map((day) => day?.credit) },
                { name: t.restricted, tone: 'two', values: held.map((day) => day?.restrictedCredit) },
              ]}
            />
            <Chart
              title={t.deliveries}
              kind="bars"
              days={days}
              format={count}
              series={[
                { name: t.delivered, tone: 'one', values: valuesOf(({ delivered }) => delivered) },
                { name: t.failedShort, tone: 'two', values: valuesOf(({ failed }) => -failed) },
              ]}
            />
          </div>
        );
      }}
    </Show>
  );
};

export const HomePage = () => {
  const { can, store } = useSession();
  return (
    <>
      <Heading title={t.title}>{can('store:write') && <StoreDoor />}</Heading>
      <div class="stack home">
        <NeedsAttention />
        {can('sales:read') ? (
          <section class="stack">
            <div class="filters">
              <Filter name="days" label={t.range} options={Object.entries(t.ranges)} initial="30" />
            </div>
            <Days key={store.id} />
          </section>
        ) : (
          <p class="empty">{t.noDays}</p>
        )}
      </div>
    </>
  );
};
