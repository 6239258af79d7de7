import { useState } from 'preact/hooks';
import type { VendorResponse } from '../../client/client.ts';
import { earningsOf } from '../../shared/earnings.ts';
import { link, useAddress } from '../address.ts';
import { ago, time } from '../format.ts';
import { productOf } from '../names.ts';
import { menuColumn } from '../parts/actions.tsx';
import { ChoiceBar, choiceColumn, useChoice } from '../parts/choice.tsx';
import type { Column } from '../parts/column.tsx';
import { everyDay, firstDay } from '../parts/days.tsx';
import { Heading } from '../parts/heading.tsx';
import { Filter, List, Search } from '../parts/list.tsx';
import { useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { Spark } from '../parts/spark.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './vendor.texts.ts';
import { ChangeProduct, VendorProduct, VendorState } from './vendor.tsx';

const span = 30;

/** The sales of a vendor in the last days. */
const salesOf = async ({ client }: Session, uuid: string, signal?: AbortSignal) => {
  const query = { vendor: uuid, from: firstDay(span) };
  const { data } = await client.get('/v1/store/days', { query, ...(signal && { signal }) });
  const byDay = everyDay(data, span).rows.map((day) => (day ? earningsOf(day).yours : 0));
  return {
    sales: data.reduce((sum, day) => sum + day.sales, 0),
    yours: byDay.reduce((sum, yours) => sum + yours, 0),
    byDay,
  };
};

const Sales = ({ uuid }: { uuid: string }) => {
  const session = useSession();
  const { value } = useLoad((signal) => salesOf(session, uuid, signal), [uuid]);
  if (value === undefined) return <>…</>;
  return value.sales === 0 ? (
    <>–</>
  ) : (
    <span class="trend">
      <Spark values={value.byDay} /> {t.salesOf(value.sales, value.yours)}
    </span>
  );
};

const columnsOf = (session: Session, reload: () => void): Column<VendorResponse>[] => [
  {
    heading: t.name,
    inRow: 'title',
    cell: ({ uuid, name }) => <a href={link(`/vendors/${uuid}`)}>{name}</a>,
    value: ({ name }) => name,
    sort: { name: 'name', kind: 'text' },
  },
  {
    heading: t.region,
    cell: ({ region, position }) => (
      <span>
        {region} {position && <span class="help whole at">{position}</span>}
      </span>
    ),
    value: ({ region }) => region,
    sort: { name: 'region', kind: 'text' },
  },
  {
    heading: t.product,
    cell: ({ product }) => <VendorProduct of={product} />,
    value: ({ product }) => product?.name ?? null,
    sort: { name: 'product', kind: 'text' },
  },
  { heading: t.script, cell: ({ script }) => script ?? '–', value: ({ script }) => script, priority: 3 },
  {
    heading: t.seen,
    cell: ({ seenAt }) => (
      <time class="whole" dateTime={seenAt} title={time(seenAt)}>
        {ago(seenAt)}
      </time>
    ),
    value: ({ seenAt }) => seenAt,
    sort: { name: 'seen', kind: 'time' },
    priority: 2,
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <VendorState of={state} />,
    value: ({ state }) => t.states[state],
    sort: { name: 'state', kind: 'text' },
  },
  ...(session.can('sales:read')
    ? [
        {
          heading: t.sales,
          cell: ({ uuid }: VendorResponse) => <Sales uuid={uuid} />,
          value: async ({ uuid }: VendorResponse) => (await salesOf(session, uuid)).yours,
          isNumber: true,
        },
      ]
    : []),
  menuColumn((vendor) => ({
    of: vendor.name,
    id: vendor.uuid,
    all: [
      { text: texts.open, to: link(`/vendors/${vendor.uuid}`) },
      session.can('vendors:write') && {
        text: t.change.open,
        opens: (onClose) => <ChangeProduct vendors={[vendor]} onClose={onClose} onDone={reload} />,
      },
    ],
  })),
];

const isState = (text: string | undefined): text is VendorResponse['state'] => Object.hasOwn(t.states, text ?? '');

export const VendorsPage = () => {
  const session = useSession();
  const { client, can } = session;
  const { query } = useAddress();
  const choice = useChoice<VendorResponse>(({ uuid }) => uuid);
  const [isChanging, setChanging] = useState(false);
  const vendors = useList({
    columns: (reload) => columnsOf(session, reload),
    keyOf: choice.keyOf,
    // The sales of each row are read separately.
    limit: 25,
    read: async (page, signal) =>
      client.get('/v1/vendors', {
        query: {
          ...(isState(query.state) && { state: query.state }),
          ...(query.product && { product: await productOf(session, query.product, signal) }),
          ...page,
        },
        signal,
      }),
  });
  const { shown, all, isFiltered, columns } = vendors;
  const isChoice = can('vendors:write') && (isFiltered || vendors.value?.rows.length !== 0);
  return (
    <>
      <Heading title={t.title}>
        {can('vendors:write') && (
          <a class="button" href={link('/setup/vendor')}>
            {texts.setup.titles.vendor}
          </a>
        )}
      </Heading>
      <div class="filters">
        <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.states)]} />
        {can('products:read') && <Search name="product" label={t.product} of="product" />}
      </div>
      {isChoice && (
        <ChoiceBar choice={choice} shown={shown} all={all} said={t.chosen}>
          <button type="button" class="button is-main" onClick={() => setChanging(true)}>
            {t.change.open}
          </button>
        </ChoiceBar>
      )}
      {isChanging && (
        <ChangeProduct
          vendors={choice.chosen}
          onClose={() => setChanging(false)}
          onDone={() => {
            choice.setChosen([]);
            vendors.reload();
          }}
        />
      )}
      <List
        of={vendors}
        file="vendors"
        caption={t.caption}
        columns={
          isChoice ? [choiceColumn(choice, shown, ({ name, region }) => `${name}, ${region}`), ...columns] : columns
        }
        empty={isFiltered ? t.noneFits : t.none}
      />
    </>
  );
};
