import type { DeliveryResponse } from '../../client/client.ts';
import { useAddress } from '../address.ts';
import { isRefusal } from '../api.ts';
import { count, time } from '../format.ts';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { CustomerLink, Filter, List, State } from '../parts/list.tsx';
import { FaultBox, usePress } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { failureWords } from '../words/failure.ts';
import { t } from './deliveries.texts.ts';

const tones = { queued: 'plain', waiting: 'warn', delivered: 'good', failed: 'bad' } as const;

export const DeliveryState = ({ of }: { of: DeliveryResponse }) => (
  <State tone={tones[of.state]}>{t.states[of.state]}</State>
);

const canRetry = ({ state }: DeliveryResponse): boolean => state === 'waiting' || state === 'failed';

/** Tries a waiting or failed delivery again. */
export const Retry = ({ delivery, reload }: { delivery: DeliveryResponse; reload: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const { id, item, recipientUsername } = delivery;
  const retrying = usePress(async () => {
    await client.post('/v1/deliveries/{id}/actions/retry', { path: { id } });
    say(t.retried(item, recipientUsername));
    reload();
  });
  if (!canRetry(delivery)) return null;
  return (
    <>
      <button
        type="button"
        class="button"
        aria-label={t.retryOf(item, recipientUsername)}
        aria-disabled={retrying.isBusy}
        onClick={retrying.press}
      >
        {t.retry}
      </button>
      {retrying.fault && <FaultBox fault={retrying.fault} />}
    </>
  );
};

/** The columns of a list of deliveries. The last column has the actions. */
export const deliveryColumns = (mayRetry: boolean, reload: () => void): Column<DeliveryResponse>[] => [
  { heading: t.item, cell: ({ item }) => item, value: ({ item }) => item, sort: { name: 'item', kind: 'text' } },
  {
    heading: t.to,
    cell: ({ recipientUuid, recipientUsername }) => <CustomerLink uuid={recipientUuid} name={recipientUsername} />,
    value: ({ recipientUsername }) => recipientUsername,
    sort: { name: 'to', kind: 'text' },
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: (delivery) => <DeliveryState of={delivery} />,
    value: ({ state }) => state,
    sort: { name: 'state', kind: 'text', by: ({ state }) => t.states[state] },
  },
  {
    heading: t.ordered,
    cell: ({ createdAt }) => <span class="whole">{time(createdAt)}</span>,
    value: ({ createdAt }) => createdAt,
    sort: { name: 'ordered', kind: 'time' },
  },
  {
    heading: t.attempts,
    cell: ({ attempts }) => count(attempts),
    value: ({ attempts }) => attempts,
    sort: { name: 'attempts', kind: 'size' },
    priority: 3,
    isNumber: true,
  },
  {
    heading: t.error,
    cell: ({ lastError }) => failureWords(lastError ?? '–'),
    value: ({ lastError }) => failureWords(lastError ?? ''),
  },
  {
    heading: t.action,
    inRow: 'main',
    isTool: true,
    cell: (delivery) => (mayRetry && canRetry(delivery) ? <Retry delivery={delivery} reload={reload} /> : '–'),
  },
];

/** Tries every failed delivery again, one after the other, and says how many the service took. */
const RetryAll = ({ reload }: { reload: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  const retrying = usePress(async () => {
    const failed: string[] = [];
    for await (const { id } of client.rows('/v1/deliveries', { query: { state: 'failed', limit: 1000 } }))
      failed.push(id);
    let refused = 0;
    for (const [index, id] of failed.entries()) {
      // A delivery that cannot be tried again, for example because its sale was refunded, is no reason to skip the
      // others.
      await client.post('/v1/deliveries/{id}/actions/retry', { path: { id } }).catch((error) => {
        if (!isRefusal(error)) throw error;
        refused += 1;
      });
      if (index % 10 === 0) say(t.retrying(index + 1, failed.length));
    }
    say(t.retriedAll(failed.length - refused, refused));
    reload();
  });
  return (
    <>
      <button type="button" class="button" aria-disabled={retrying.isBusy} onClick={retrying.press}>
        {retrying.isBusy ? texts.working : t.retryAll}
      </button>
      {retrying.fault && <FaultBox fault={retrying.fault} />}
    </>
  );
};

const isState = (text: string | undefined): text is DeliveryResponse['state'] => Object.hasOwn(tones, text ?? '');

export const DeliveriesPage = () => {
  const { client, can } = useSession();
  const { query } = useAddress();
  const filters = isState(query.state) ? { state: query.state } : {};
  const deliveries = useList({
    columns: (reload) => deliveryColumns(can('products:deliver'), reload),
    keyOf: ({ id }) => id,
    read: (page, signal) => client.get('/v1/deliveries', { query: { ...filters, ...page }, signal }),
  });
  return (
    <>
      <Heading title={t.title}>
        {query.state === 'failed' && can('products:deliver') && deliveries.shown.length > 0 ? (
          <RetryAll reload={deliveries.reload} />
        ) : null}
      </Heading>
      <div class="filters">
        <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.states)]} />
      </div>
      <List of={deliveries} file="deliveries" caption={t.title} empty={query.state ? t.noneFits : t.none} />
    </>
  );
};
