import type { CustomerResponse } from '../../client/client.ts';
import { link, useAddress } from '../address.ts';
import { importScopes, maxRows } from '../import/kinds.ts';
import { menuColumn } from '../parts/actions.tsx';
import { ChoiceBar, choiceColumn, useChangeOfMany, useChoice } from '../parts/choice.tsx';
import { amountColumn, type Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { CustomerLink, Filter, List, Search, State } from '../parts/list.tsx';
import { Avatar } from '../parts/picture.tsx';
import { useList } from '../parts/rows.ts';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './customers.texts.ts';

const columnsOf = ({ can }: Session): readonly Column<CustomerResponse>[] => [
  {
    heading: t.name,
    inRow: 'title',
    cell: ({ uuid, username, isBanned }) => (
      <span class="name">
        <Avatar id={uuid} name={username} />
        <span>
          <CustomerLink uuid={uuid} name={username} />
          {isBanned && <State tone="bad">{t.banned}</State>}
        </span>
      </span>
    ),
    value: ({ username }) => username,
    sort: { name: 'name', kind: 'text' },
  },
  amountColumn(t.credit, ({ credit }) => credit, 'main', 'credit'),
  amountColumn(t.restricted, ({ restrictedCredit }) => restrictedCredit, 'note', 'restricted'),
  {
    heading: t.discount,
    cell: ({ discount }) => (discount > 0 ? `${discount} %` : '–'),
    value: ({ discount }) => discount,
    sort: { name: 'discount', kind: 'size' },
    priority: 2,
    isNumber: true,
  },
  {
    heading: t.news,
    inRow: 'label',
    priority: 3,
    cell: ({ newsSubscriber }) => (newsSubscriber ? t.yes : t.no),
    value: ({ newsSubscriber }) => newsSubscriber,
  },
  { heading: t.uuid, value: ({ uuid }) => uuid },
  menuColumn(({ uuid, username }) => ({
    of: username,
    id: uuid,
    all: [
      { text: texts.open, to: link(`/customers/${encodeURIComponent(uuid)}`) },
      can('sales:read') && { text: texts.titles.sales, to: link('/sales', { buyer: username }) },
    ],
  })),
];

const GiveMany = later(async () => (await import('./many.tsx')).GiveMany);

export const CustomersPage = () => {
  const session = useSession();
  const { client, can } = session;
  const { query } = useAddress();
  const filters = {
    ...(query.news && { newsSubscriber: true }),
    ...(query.spent && { spentMoreThan: Number(query.spent) }),
  };
  const choice = useChoice<CustomerResponse>(({ uuid }) => uuid);
  const customers = useList({
    columns: () => columnsOf(session),
    keyOf: choice.keyOf,
    most: 5000,
    read: (page, signal) => client.get('/v1/customers', { query: { ...filters, ...page }, signal }),
  });
  const { shown, all, columns } = customers;
  const isChoice = can(...importScopes.credit) && (choice.chosen.length > 0 || shown.length > 0);
  const many = useChangeOfMany(choice, customers.reload);
  if (many.isOpen) return <GiveMany chosen={choice.chosen} onEnd={many.end} />;
  return (
    <>
      <Heading title={t.title} />
      <div class="filters">
        <Filter
          name="news"
          label={t.which}
          options={[
            ['', texts.list.all],
            ['yes', t.subscribers],
          ]}
        />
        <Search name="spent" label={t.spent} />
      </div>
      {isChoice && (
        <ChoiceBar choice={choice} shown={shown} all={all} said={t.chosen} most={maxRows} tooMany={t.tooMany(maxRows)}>
          <button type="button" class="button is-main" onClick={many.open}>
            {t.give}
          </button>
        </ChoiceBar>
      )}
      <List
        of={customers}
        file="customers"
        caption={t.caption}
        columns={isChoice ? [choiceColumn(choice, shown, ({ username }) => username), ...columns] : columns}
        empty={customers.isFiltered ? t.noneFits : t.none}
      />
    </>
  );
};
