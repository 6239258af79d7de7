import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EventResponse } from '../../client/client.ts';
import { goInstead, link, useAddress } from '../address.ts';
import { explainError, type Fault } from '../api.ts';
import { money, time } from '../format.ts';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { CustomerLink, Export, Filter, State, Table } from '../parts/list.tsx';
import { FaultBox, Waiting } from '../parts/load.tsx';
import { NamedCustomer, ProductLink } from '../parts/names.tsx';
import { canRead, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { eventNames } from '../words/event.ts';
import { failureWords } from '../words/failure.ts';
import { saleWords } from '../words/sale.ts';
import { t } from './events.texts.ts';

type EventType = EventResponse['type'];
const isType = (text: string | undefined): text is EventType => Object.hasOwn(eventNames, text ?? '');

/** This many more rows are shown at a time. */
const step = 50;
const pollMillis = 3000;

const pause = (millis: number): Promise<void> => new Promise((end) => setTimeout(end, millis));

interface Tail {
  /** The newest first. */
  events: readonly EventResponse[];
  isAtEnd: boolean;
  fault?: Fault;
}

const nothing: Tail = { events: [], isAtEnd: false };

/** All events of a type, and new ones while the page is visible. The API gives the oldest first. */
const useTail = (type: EventType | undefined, round: number): Tail => {
  const { client } = useSession();
  const [tail, setTail] = useState(nothing);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const follow = async () => {
      let after: string | undefined;
      while (!signal.aborted) {
        const query = { limit: 1000, ...(type && { type }), ...(after !== undefined && { after }) };
        const { data, pagination } = await client.get('/v1/events', { query, signal });
        if (signal.aborted) return;
        after = data.at(-1)?.id ?? after;
        const isAtEnd = pagination.nextCursor === null;
        setTail((last) =>
          data.length === 0 && last.isAtEnd === isAtEnd
            ? last
            : { events: [...data.toReversed(), ...last.events], isAtEnd },
        );
        if (!isAtEnd) continue;
        do await pause(pollMillis);
        while (document.hidden && !signal.aborted);
      }
    };
    setTail(nothing);
    follow().catch(async (error) => {
      if (signal.aborted) return;
      const fault = await explainError(error, texts.noAnswer.read);
      if (!signal.aborted) setTail((last) => ({ ...last, fault }));
    });
    return () => ending.abort();
  }, [type, round]);
  return tail;
};

/** The customer in an event. */
const customerOf = (event: EventResponse): { uuid: string; name?: string } | undefined => {
  switch (event.type) {
    case 'credit.changed':
    case 'customer.banned':
    case 'customer.unbanned':
      return { uuid: event.data.uuid, name: event.data.username };
    case 'giftcard.granted':
    case 'giftcard.redeemed':
    case 'giftcard.disabled':
      return { uuid: event.data.ownerUuid, name: event.data.ownerUsername };
    case 'coupon.applied':
      return { uuid: event.data.customerUuid, name: event.data.customerUsername };
    case 'delivery.delivered':
    case 'delivery.failed':
    case 'delivery.waiting':
      return { uuid: event.data.recipientUuid, name: event.data.recipientUsername };
    case 'sale.completed':
    case 'sale.refused':
    case 'sale.refunded':
      return event.data.buyerUuid === null ? undefined : { uuid: event.data.buyerUuid };
    default:
      return undefined;
  }
};

/** An event's details in words. */
const detailOf = (event: EventResponse): string => {
  switch (event.type) {
    case 'credit.changed':
      return t.balance(event.data.credit, event.data.restrictedCredit);
    case 'giftcard.granted':
    case 'giftcard.disabled':
      return t.card(event.data.credit);
    case 'coupon.applied':
      return t.coupon(event.data.code, event.data.discount);
    case 'delivery.delivered':
    case 'delivery.failed':
    case 'delivery.waiting':
      return [event.data.item, failureWords(event.data.lastError ?? '')].filter(Boolean).join(': ');
    case 'sale.completed':
    case 'sale.refunded':
      return money(event.data.total);
    case 'sale.refused':
      return event.data.refusal === null ? t.refused('') : t.refused(saleWords.refusals[event.data.refusal]);
    case 'dispenser.registered':
      return event.data.region;
    case 'dispenser.lost':
      return [event.data.region, failureWords(event.data.lostReason ?? '')].filter(Boolean).join(': ');
    case 'product.sold_out':
      return event.data.name;
    case 'vendor.registered':
    case 'vendor.lost':
      return `${event.data.name}, ${event.data.region}`;
    default:
      return '';
  }
};

const Sold = ({ id, productId, words }: { id: string; productId: string; words: string }) => {
  const { can } = useSession();
  return (
    <>
      <ProductLink id={productId} />
      {', '}
      {can('sales:read') ? <a href={link(`/sales/${encodeURIComponent(id)}`)}>{words}</a> : words}
    </>
  );
};

const detailCell = (event: EventResponse): ComponentChildren =>
  event.type === 'sale.completed' || event.type === 'sale.refused' || event.type === 'sale.refunded' ? (
    <span>
      <Sold id={event.data.id} productId={event.data.productId} words={detailOf(event)} />
    </span>
  ) : (
    detailOf(event) || '–'
  );

const customerCell = (event: EventResponse): ComponentChildren => {
  const customer = customerOf(event);
  if (!customer) return '–';
  return customer.name === undefined ? <NamedCustomer uuid={customer.uuid} /> : <CustomerLink {...customer} />;
};

const columns: readonly Column<EventResponse>[] = [
  { heading: t.type, cell: ({ type }) => eventNames[type] ?? type, value: ({ type }) => type },
  { heading: t.at, inRow: 'main', cell: ({ at }) => <span class="whole">{time(at)}</span>, value: ({ at }) => at },
  {
    heading: t.who,
    cell: customerCell,
    value: (event) => customerOf(event)?.name ?? customerOf(event)?.uuid ?? null,
  },
  { heading: t.what, cell: detailCell, value: detailOf },
];

export const EventsPage = () => {
  const session = useSession();
  const { path, query } = useAddress();
  const [round, setRound] = useState(0);
  const type = isType(query.type) ? query.type : undefined;
  const { events, isAtEnd, fault } = useTail(type, round);
  const shown = Math.max(step, Number(query.show) || 0);
  const older = () => goInstead(link(path, { ...query, show: String(shown + step) }));
  return (
    <>
      <Heading title={t.title}>
        {isAtEnd && !fault ? <State tone="good">{t.live}</State> : null}
        <span class="help">{isAtEnd ? t.read(events.length) : t.reading(events.length)}</span>
      </Heading>
      <p class="help intro">{t.intro}</p>
      <div class="filters">
        <Filter
          name="type"
          label={t.type}
          options={[['', t.all], ...Object.entries(eventNames).filter(([name]) => canRead(session, name))]}
        />
      </div>
      {fault && <FaultBox fault={fault} onRetry={() => setRound((last) => last + 1)} />}
      {events.length === 0 && !isAtEnd ? (
        !fault && <Waiting />
      ) : (
        <Table
          caption={t.caption}
          columns={columns}
          rows={events.slice(0, shown)}
          keyOf={({ id }) => id}
          empty={t.none}
        />
      )}
      {events.length > 0 && (
        <nav class="pages" aria-label={texts.list.pages}>
          {events.length > shown && (
            <button type="button" class="button" onClick={older}>
              {t.older}
            </button>
          )}
          <Export columns={columns} all={() => events} file="events" />
        </nav>
      )}
    </>
  );
};
