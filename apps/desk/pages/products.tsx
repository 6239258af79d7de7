import type { ProductResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { readAtMost } from '../choice.ts';
import { count, money } from '../format.ts';
import { maxRows } from '../import/kinds.ts';
import { menuColumn } from '../parts/actions.tsx';
import { type Choice, ChoiceBar, choiceColumn, useChangeOfMany, useChoice } from '../parts/choice.tsx';
import type { Column } from '../parts/column.tsx';
import { firstDay } from '../parts/days.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { Filter, List, ProductName, Search, State } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { readOn, useList } from '../parts/rows.ts';
import { Spark } from '../parts/spark.tsx';
import { type Session, useSession } from '../session.ts';
import { daysBetween, isoDay, type SoldProduct, soldByProduct } from '../sums.ts';
import { texts } from '../texts.ts';
import { saleWords } from '../words/sale.ts';
import { t } from './product.texts.ts';

export const productColumns: readonly Column<ProductResponse>[] = [
  {
    heading: t.name,
    inRow: 'title',
    cell: ({ id, name, image, active, limited, availableAmount }) => (
      <ProductName of={{ id, name, image }}>
        {!active && <State tone="warn">{t.inactive}</State>}
        {limited && <State tone={availableAmount === 0 ? 'bad' : 'plain'}>{t.left(availableAmount)}</State>}
      </ProductName>
    ),
    value: ({ name }) => name,
    sort: { name: 'name', kind: 'text' },
  },
  {
    heading: t.price,
    inRow: 'main',
    cell: ({ price, activePrice }) =>
      price === activePrice ? (
        money(price)
      ) : (
        <>
          <s>{money(price)}</s> <b>{money(activePrice)}</b>
        </>
      ),
    value: ({ price }) => price,
    sort: { name: 'price', kind: 'size', by: ({ activePrice }) => activePrice },
    isNumber: true,
  },
  { heading: t.activePrice, value: ({ activePrice }) => activePrice },
  {
    heading: t.item,
    cell: ({ name, item }) => (item === name ? '–' : item),
    value: ({ item }) => item,
    sort: { name: 'item', kind: 'text' },
    priority: 3,
  },
  {
    heading: t.shares,
    cell: ({ profitShares }) => (profitShares.length === 0 ? '–' : count(profitShares.length)),
    value: ({ profitShares }) => profitShares.length,
    sort: { name: 'shares', kind: 'size' },
    priority: 3,
    isNumber: true,
  },
  { heading: t.id, value: ({ id }) => id },
];

const span = 30;
/** At most this many sales are read: five times as many as the service answers at once. */
const maxSales = 5000;

type Sold = ReadonlyMap<string, SoldProduct>;

/** The sales of each product in the last days; null if there were too many sales to read. */
const readSold = async ({ client }: Session, signal: AbortSignal): Promise<Sold | null> => {
  const from = firstDay(span);
  const { rows, isWhole } = await readOn(
    (page, ending) =>
      client.get('/v1/sales', {
        query: { state: 'completed', from: `${from}T00:00:00Z`, ...page },
        signal: ending,
      }),
    maxSales,
    signal,
  );
  return isWhole ? soldByProduct(rows, daysBetween(from, isoDay(Date.now()))) : null;
};

/** The columns of what was sold. A product that is not in it sold nothing; without it nothing is known yet. */
const soldColumns = (sold: Sold | undefined): readonly Column<ProductResponse>[] => {
  const soldOf = ({ id }: ProductResponse, of: 'sales' | 'yours') => sold && (sold.get(id)?.[of] ?? 0);
  const column = (heading: string, of: 'sales' | 'yours', format: (value: number) => string) => ({
    heading,
    cell: (row: ProductResponse) => {
      const value = soldOf(row, of);
      return value === undefined ? '…' : value === 0 ? '–' : format(value);
    },
    sort: { name: of, kind: 'size', by: (row: ProductResponse) => soldOf(row, of) } as const,
    total: (rows: readonly ProductResponse[]) =>
      sold ? format(rows.reduce((sum, row) => sum + (soldOf(row, of) ?? 0), 0)) : '…',
    isNumber: true,
  });
  return [
    column(t.soldLately, 'sales', count),
    column(t.yoursLately, 'yours', money),
    {
      heading: t.trend,
      inRow: 'none',
      cell: ({ id }) => <Spark values={sold?.get(id)?.byDay ?? [0]} />,
      priority: 2,
    },
  ];
};

/** The categories as options of a filter. */
const CategoryFilter = () => {
  const { client } = useSession();
  const all = (signal: AbortSignal) => client.rows('/v1/categories', { query: { limit: 1000 }, signal });
  const { value } = useLoad((signal) => readAtMost(all(signal)), []);
  if (!value?.length) return null;
  return (
    <Filter
      name="category"
      label={t.category}
      options={[['', texts.list.all], ...value.map(({ id, name }) => [id, name] as const)]}
    />
  );
};

/** The filters of the list. The address holds them. */
const Filters = () => {
  const { can } = useSession();
  return (
    <div class="filters">
      <Search name="search" label={t.search} />
      <Filter
        name="active"
        label={t.sold}
        options={[
          ['', t.onSale],
          ['no', t.inactive],
        ]}
      />
      <Filter
        name="listed"
        label={t.which}
        options={[
          ['', texts.list.all],
          ['yes', t.listedOnes],
          ['no', t.unlistedOnes],
        ]}
      />
      {can('categories:read') && <CategoryFilter />}
    </div>
  );
};

const DiscountMany = later(async () => (await import('./many.tsx')).DiscountMany);

/** The menu of a product. `discount` opens the form for its discount. */
const menuOf =
  ({ can }: Session, discount: (product: ProductResponse) => void) =>
  (product: ProductResponse) => {
    const { id, name, active } = product;
    const path = `/products/${id}`;
    return {
      of: name,
      id,
      all: [
        { text: texts.open, to: link(path) },
        active && can('sales:write') && { text: saleWords.sell, to: link(path, { do: 'sell' }) },
        can('products:write') && { text: t.setDiscount, press: () => discount(product) },
        can('sales:read') && { text: t.sales, to: link('/sales', { product: id }) },
      ],
    };
  };

/** The products under the filters of the address, with what they sold; `isCut` if there were too many sales to read. */
const useProducts = (
  session: Session,
  choice: Choice<ProductResponse>,
  discount: (product: ProductResponse) => void,
) => {
  const { client, can } = session;
  const { query } = useAddress();
  const sold = useLoad(async (signal) => (can('sales:read') ? readSold(session, signal) : null), []);
  const products = useList({
    columns: () => [
      ...productColumns,
      ...(sold.value !== null && !sold.fault ? soldColumns(sold.value) : []),
      menuColumn(menuOf(session, discount)),
    ],
    keyOf: choice.keyOf,
    facts: sold.value,
    read: (page, signal) =>
      client.get('/v1/products', {
        query: {
          ...(query.search && { search: query.search }),
          ...(query.listed && { listed: query.listed === 'yes' }),
          ...(query.category && { category: query.category }),
          ...(query.active === 'no' && { active: false }),
          ...page,
        },
        signal,
      }),
  });
  return { products, isCut: can('sales:read') && sold.value === null };
};

export const ProductsPage = () => {
  const session = useSession();
  const { can } = session;
  const { query } = useAddress();
  const choice = useChoice<ProductResponse>(({ id }) => id);
  const { products, isCut } = useProducts(session, choice, (product) => {
    choice.setChosen([product]);
    many.open();
  });
  const { shown, all, columns } = products;
  const isChoice = can('products:write') && (choice.chosen.length > 0 || shown.length > 0);
  const many = useChangeOfMany(choice, products.reload);
  if (many.isOpen) return <DiscountMany chosen={choice.chosen} onEnd={many.end} />;
  return (
    <>
      <Heading title={t.title}>
        {can('products:write') && (
          <a class="button is-main" href={link('/products/new')}>
            {t.create}
          </a>
        )}
      </Heading>
      <Filters />
      {isChoice && (
        <ChoiceBar choice={choice} shown={shown} all={all} said={t.chosen} most={maxRows} tooMany={t.tooMany(maxRows)}>
          <button type="button" class="button is-main" onClick={many.open}>
            {t.setDiscount}
          </button>
        </ChoiceBar>
      )}
      {isCut && <p class="help spaced">{t.tooManySales(maxSales)}</p>}
      <List
        of={products}
        file="products"
        fileColumns={async () => (await import('../import/product-file.ts')).productFileColumns()}
        caption={t.caption}
        columns={isChoice ? [choiceColumn(choice, shown, ({ name }) => name), ...columns] : columns}
        empty={query.active === 'no' ? t.noneInactive : products.isFiltered ? t.noneFits : t.none}
      />
    </>
  );
};
