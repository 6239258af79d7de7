import type { SaleResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { isUuid, money, time } from '../format.ts';
import { Heading } from '../parts/heading.tsx';
import { type Column, Filter, List, Search, State } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { NamedCustomer, ProductLink } from '../parts/names.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.sales;

export const tones = { completed: 'good', refused: 'warn', refunded: 'plain' } as const;

const columns: readonly Column<SaleResponse>[] = [
  {
    heading: t.at,
    cell: ({ id, at }) => (
      <a class="whole" href={link(`/sales/${encodeURIComponent(id)}`)}>
        {time(at)}
      </a>
    ),
    value: ({ at }) => at,
  },
  {
    heading: t.state,
    cell: ({ state }) => <State tone={tones[state]}>{t.states[state]}</State>,
    value: ({ state }) => state,
  },
  {
    heading: t.product,
    cell: ({ productId }) => <ProductLink id={productId} />,
    value: ({ productId }) => productId,
  },
  {
    heading: t.buyer,
    cell: ({ buyerUuid }) => (buyerUuid === null ? '–' : <NamedCustomer uuid={buyerUuid} />),
    value: ({ buyerUuid }) => buyerUuid,
  },
  { heading: t.total, cell: ({ total }) => money(total), value: ({ total }) => total, isNumber: true },
  {
    heading: t.credit,
    cell: ({ credit, restrictedCredit }) => money(credit + restrictedCredit),
    value: ({ credit, restrictedCredit }) => credit + restrictedCredit,
    isNumber: true,
  },
  { heading: t.paid, cell: ({ paid }) => money(paid), value: ({ paid }) => paid, isNumber: true },
  { heading: t.reference, cell: ({ reference }) => reference ?? '–', value: ({ reference }) => reference },
];

const noProduct = '00000000-0000-0000-0000-000000000000';

/** The id of the product that a text names: its UUID, or the beginning of what a search finds. */
const productOf = async ({ client, can }: Session, text: string, signal?: AbortSignal): Promise<string> => {
  if (isUuid(text) || !can('products:read')) return text;
  const query = { search: [...text].slice(0, 100).join(''), limit: 100 };
  const { data } = await client.get('/v1/products', { query, ...(signal && { signal }) });
  const exact = data.find(({ name }) => name.toLowerCase() === text.toLowerCase());
  return (exact ?? data[0])?.id ?? noProduct;
};

const isState = (text: string | undefined): text is SaleResponse['state'] => Object.hasOwn(tones, text ?? '');

export const SalesPage = () => {
  const session = useSession();
  const { client, can } = session;
  const { query } = useAddress();
  const filtersOf = async (signal?: AbortSignal) => ({
    ...(isState(query.state) && { state: query.state }),
    ...(query.buyer && { buyer: query.buyer }),
    ...(query.product && { product: await productOf(session, query.product, signal) }),
  });
  const sales = useLoad(
    async (signal) => {
      const filters = await filtersOf(signal);
      return client.get('/v1/sales', {
        // Each row has a name or two of its own to read.
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
        <Search name="buyer" label={t.buyerFilter} />
        <Search name="product" label={can('products:read') ? t.productFilter : t.productFilterId} />
      </div>
      <List
        of={sales}
        all={all}
        file="sales"
        caption={t.caption}
        columns={columns}
        keyOf={({ id }) => id}
        empty={t.none}
      />
    </>
  );
};
