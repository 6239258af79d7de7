import type { SaleResponse } from '../../client/client.ts';
import { earnedBy } from '../../shared/earnings.ts';
import { link, useAddress } from '../address.ts';
import { startOfDay, time } from '../format.ts';
import { customerName, productName, productOf } from '../names.ts';
import { Heading } from '../parts/heading.tsx';
import { amountColumn, type Column, DayFilter, Filter, List, Search, State } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { NamedCustomer, NamedProduct } from '../parts/names.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './sale.texts.ts';

export const tones = { completed: 'good', refused: 'warn', refunded: 'plain' } as const;

const received = (sale: SaleResponse): number => earnedBy(sale).paid - earnedBy(sale).refunded;
const toOthers = (sale: SaleResponse): number => earnedBy(sale).shares + earnedBy(sale).commissions;

const columnsOf = (session: Session): readonly Column<SaleResponse>[] => [
  {
    heading: t.at,
    inRow: 'note',
    cell: ({ id, at }) => (
      <a class="whole" href={link(`/sales/${encodeURIComponent(id)}`)}>
        {time(at)}
      </a>
    ),
    value: ({ at }) => at,
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={tones[state]}>{t.states[state]}</State>,
    value: ({ state }) => state,
  },
  {
    heading: t.product,
    inRow: 'title',
    cell: ({ productId }) => <NamedProduct id={productId} />,
    value: ({ productId }) => productName(session, productId),
  },
  {
    heading: t.buyer,
    cell: ({ buyerUuid }) => (buyerUuid === null ? '–' : <NamedCustomer uuid={buyerUuid} />),
    value: ({ buyerUuid }) => (buyerUuid === null ? null : customerName(session, buyerUuid)),
  },
  amountColumn(t.base, ({ base }) => base),
  amountColumn(t.discount, ({ base, total }) => base - total),
  amountColumn(t.total, ({ total }) => total),
  amountColumn(t.credit, ({ credit, restrictedCredit }) => credit + restrictedCredit, 'note'),
  amountColumn(t.paidInL, (sale) => earnedBy(sale).paid),
  amountColumn(t.givenBack, (sale) => earnedBy(sale).refunded),
  { ...amountColumn(t.received, received, 'note'), value: undefined },
  amountColumn(t.shares, (sale) => earnedBy(sale).shares),
  amountColumn(t.commissions, (sale) => earnedBy(sale).commissions),
  { ...amountColumn(t.toOthers, toOthers, 'note'), value: undefined },
  amountColumn(t.yours, (sale) => earnedBy(sale).yours, 'main'),
  { heading: t.reference, value: ({ reference }) => reference },
];

const isState = (text: string | undefined): text is SaleResponse['state'] => Object.hasOwn(tones, text ?? '');

export const SalesPage = () => {
  const session = useSession();
  const { client, can } = session;
  const { query } = useAddress();
  const [from, to] = [startOfDay(query.from), startOfDay(query.to, 1)];
  const filtersOf = async (signal?: AbortSignal) => ({
    ...(isState(query.state) && { state: query.state }),
    ...(query.buyer && { buyer: query.buyer }),
    ...(from && { from }),
    ...(to && { to }),
    ...(query.product && { product: await productOf(session, query.product, signal) }),
  });
  const sales = useLoad(
    async (signal) => {
      const filters = await filtersOf(signal);
      return client.get('/v1/sales', {
        // For each row, one or two names must be read.
        query: { ...filters, limit: 25, ...(query.cursor && { cursor: query.cursor }) },
        signal,
      });
    },
    [JSON.stringify(query)],
  );
  async function* all() {
    yield* client.rows('/v1/sales', { query: { ...(await filtersOf()), limit: 1000 } });
  }
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
      <List
        of={sales}
        all={all}
        file="sales"
        caption={t.caption}
        columns={columnsOf(session)}
        keyOf={({ id }) => id}
        empty={Object.keys(query).length > 0 ? t.noneFits : t.none}
      />
    </>
  );
};
