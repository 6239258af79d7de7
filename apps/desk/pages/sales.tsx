import { useEffect } from 'preact/hooks';
import type { SaleResponse } from '../../client/client.ts';
import { earnedBy } from '../../shared/earnings.ts';
import { link, useAddress } from '../address.ts';
import { startOfDay, time } from '../format.ts';
import { customerName, productName, productOf } from '../names.ts';
import { menuColumn } from '../parts/actions.tsx';
import { amountColumn, type Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { laterDialog } from '../parts/later.tsx';
import { DayFilter, Filter, List, Search, State } from '../parts/list.tsx';
import { NamedCustomer, NamedProduct } from '../parts/names.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { tones } from '../words/sale.ts';
import { t } from './sale.texts.ts';
import { SalesChart } from './sales-chart.tsx';

const totalCredit = ({ credit, restrictedCredit }: SaleResponse): number => credit + restrictedCredit;
const received = (sale: SaleResponse): number => earnedBy(sale).paid - earnedBy(sale).refunded;
const toOthers = (sale: SaleResponse): number => earnedBy(sale).shares + earnedBy(sale).commissions;

const Refund = laterDialog(async () => (await import('./sale.tsx')).Refund);

const menuOf =
  ({ client, can }: Session, say: ReturnType<typeof useSay>, reload: () => void) =>
  (sale: SaleResponse) => {
    const { id, productId, recipientUuid, state } = sale;
    const path = `/sales/${encodeURIComponent(id)}`;
    const isCompleted = state === 'completed';
    const sendAgain = async (identifier: string) => {
      await client.post('/v1/customers/{identifier}/products/{productId}/actions/redeliver', {
        path: { identifier, productId },
      });
      say(t.sentAgain);
    };
    return {
      of: time(sale.at),
      id,
      all: [
        { text: texts.open, to: link(path) },
        isCompleted &&
          can('sales:refund') && {
            text: t.refund.open,
            opens: (onClose: () => void) => <Refund sale={sale} reload={reload} onClose={onClose} />,
          },
        isCompleted &&
          recipientUuid !== null &&
          can('products:redeliver') && {
            text: t.sendAgain,
            press: () => sendAgain(recipientUuid),
          },
        state !== 'refused' && { text: t.print, to: link(path, { print: 'yes' }) },
      ],
    };
  };

const columnsOf = (
  session: Session,
  say: ReturnType<typeof useSay>,
  reload: () => void,
): readonly Column<SaleResponse>[] => [
  {
    heading: t.at,
    inRow: 'note',
    cell: ({ id, at }) => (
      <a class="whole" href={link(`/sales/${encodeURIComponent(id)}`)}>
        {time(at)}
      </a>
    ),
    value: ({ at }) => at,
    sort: { name: 'sold', kind: 'time' },
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={tones[state]}>{t.states[state]}</State>,
    value: ({ state }) => state,
    sort: { name: 'state', kind: 'text', by: ({ state }) => t.states[state] },
  },
  {
    heading: t.product,
    inRow: 'title',
    cell: ({ productId }) => <NamedProduct id={productId} />,
    value: ({ productId }) => productName(session, productId),
    sort: { name: 'product', kind: 'text' },
  },
  {
    heading: t.buyer,
    cell: ({ buyerUuid }) => (buyerUuid === null ? '–' : <NamedCustomer uuid={buyerUuid} />),
    value: ({ buyerUuid }) => (buyerUuid === null ? null : customerName(session, buyerUuid)),
    sort: { name: 'buyer', kind: 'text' },
  },
  amountColumn(t.base, ({ base }) => base),
  amountColumn(t.discount, ({ base, total }) => base - total),
  amountColumn(t.total, ({ total }) => total),
  { ...amountColumn(t.credit, totalCredit, 'note', 'credit'), priority: 3 },
  amountColumn(t.paidInL, (sale) => earnedBy(sale).paid),
  amountColumn(t.givenBack, (sale) => earnedBy(sale).refunded),
  { ...amountColumn(t.received, received, 'note', 'received'), value: undefined, priority: 3 },
  amountColumn(t.shares, (sale) => earnedBy(sale).shares),
  amountColumn(t.commissions, (sale) => earnedBy(sale).commissions),
  { ...amountColumn(t.toOthers, toOthers, 'note', 'others'), value: undefined, priority: 2 },
  amountColumn(t.yours, (sale) => earnedBy(sale).yours, 'main', 'yours'),
  { heading: t.reference, value: ({ reference }) => reference },
  menuColumn(menuOf(session, say, reload)),
];

/** How many were sold, and how many of these were refunded. */
const counted = (sales: readonly SaleResponse[]): string => {
  const numberOf = (state: SaleResponse['state']) => sales.filter((sale) => sale.state === state).length;
  return t.counted(sales.length - numberOf('refused'), numberOf('refunded'));
};

/** Few names are read by tens, and many from the lists of all. */
const few = 100;
const atOnce = 10;

/** Reads the names of all rows in the background: paper, and an order by names, cannot wait for them. */
const useNames = (session: Session, sales: readonly SaleResponse[] | undefined): void =>
  useEffect(() => {
    const reads = new Map<string, () => Promise<string>>();
    for (const { productId, buyerUuid } of sales ?? []) {
      reads.set(productId, () => productName(session, productId));
      if (buyerUuid !== null) reads.set(buyerUuid, () => customerName(session, buyerUuid));
    }
    const all = [...reads.values()];
    let isShown = true;
    const read = async () => {
      const step = all.length > few ? all.length : atOnce;
      for (let at = 0; at < all.length && isShown; at += step)
        await Promise.all(all.slice(at, at + step).map((name) => name()));
    };
    read();
    return () => {
      isShown = false;
    };
  }, [sales]);

const isState = (text: string | undefined): text is SaleResponse['state'] => Object.hasOwn(tones, text ?? '');

export const SalesPage = () => {
  const session = useSession();
  const { client, can } = session;
  const say = useSay();
  const { query } = useAddress();
  const [from, to] = [startOfDay(query.from), startOfDay(query.to, 1)];
  const sales = useList({
    columns: (reload) => columnsOf(session, say, reload),
    keyOf: ({ id }) => id,
    // For each row, one or two names must be read.
    limit: 25,
    read: async (page, signal) =>
      client.get('/v1/sales', {
        query: {
          ...(isState(query.state) && { state: query.state }),
          ...(query.buyer && { buyer: query.buyer }),
          ...(from && { from }),
          ...(to && { to }),
          ...(query.product && { product: await productOf(session, query.product, signal) }),
          ...page,
        },
        signal,
      }),
  });
  useNames(session, sales.whole);
  return (
    <>
      <Heading title={t.title} />
      <div class="filters">
        <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.states)]} />
        <Search name="buyer" label={t.buyerFilter} of="person" />
        <Search name="product" label={can('products:read') ? t.product : t.productFilterId} of="product" />
        <DayFilter name="from" label={t.from} />
        <DayFilter name="to" label={t.to} />
      </div>
      <div class="stack">
        <SalesChart of={sales} />
        <List
          of={sales}
          file="sales"
          caption={t.caption}
          counted={counted}
          empty={sales.isFiltered ? t.noneFits : t.none}
        />
      </div>
    </>
  );
};
