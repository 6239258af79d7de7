import type { ProductResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { readAtMost } from '../choice.ts';
import { count, money } from '../format.ts';
import { maxRows } from '../import/kinds.ts';
import { menuColumn } from '../parts/actions.tsx';
import { ChoiceBar, choiceColumn, useChangeOfMany, useChoice } from '../parts/choice.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { type Column, Filter, List, ProductName, Search, State } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSession } from '../session.ts';
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
    priority: 2,
    isNumber: true,
  },
  { heading: t.id, value: ({ id }) => id },
];

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

export const ProductsPage = () => {
  const { client, can } = useSession();
  const { query } = useAddress();
  const filters = {
    ...(query.search && { search: query.search }),
    ...(query.listed && { listed: query.listed === 'yes' }),
    ...(query.category && { category: query.category }),
    ...(query.active === 'no' && { active: false }),
  };
  const choice = useChoice<ProductResponse>(({ id }) => id);
  const products = useList({
    columns: () => [
      ...productColumns,
      menuColumn((product: ProductResponse) => ({
        of: product.name,
        id: product.id,
        all: [
          { text: texts.open, to: link(`/products/${product.id}`) },
          product.active &&
            can('sales:write') && { text: saleWords.sell, to: link(`/products/${product.id}`, { sell: 'yes' }) },
          can('products:write') && {
            text: t.setDiscount,
            press: () => {
              choice.setChosen([product]);
              many.open();
            },
          },
          can('sales:read') && { text: t.sales, to: link('/sales', { product: product.id }) },
        ],
      })),
    ],
    keyOf: choice.keyOf,
    read: (page, signal) => client.get('/v1/products', { query: { ...filters, ...page }, signal }),
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
