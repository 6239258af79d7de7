import coins from 'lucide/dist/esm/icons/hand-coins.mjs';
import parcel from 'lucide/dist/esm/icons/package-check.mjs';
import receipt from 'lucide/dist/esm/icons/receipt-text.mjs';
import tag from 'lucide/dist/esm/icons/tag.mjs';
import { useState } from 'preact/hooks';
import type { Scope } from '../../../lib/routes/scopes.ts';
import type {
  CreditChangeResponse,
  CustomerResponse,
  DeliveryResponse,
  EventResponse,
  SaleResponse,
} from '../../client/client.ts';
import { link } from '../address.ts';
import { change, date, hour, money, time } from '../format.ts';
import type { IconData } from '../icon-data.ts';
import { customerName, keyName, productName } from '../names.ts';
import { Icon } from '../parts/icon.tsx';
import { FaultBox, useLoad, Waiting } from '../parts/load.tsx';
import { canRead, type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { failureWords } from '../words/failure.ts';
import { saleWords } from '../words/sale.ts';
import { t } from './customer.texts.ts';
import { readChanges } from './customer-changes.ts';
import type { CustomerProps } from './customer-props.ts';

type Kind = 'credit' | 'sale' | 'delivery' | 'other';

const scopeOf: Record<Kind, Scope> = {
  credit: 'credits:read',
  sale: 'sales:read',
  delivery: 'deliveries:read',
  other: 'events:read',
};

/** One thing that has happened to a customer. */
interface Entry {
  id: string;
  at: string;
  kind: Kind;
  title: string;
  /** The L$ by which credit changed. */
  amount?: number;
  tone?: 'bad' | 'warn';
  /** The sale that it belongs to, and its product's name. */
  saleId?: string | null;
  product?: string;
  notes: readonly (string | false | null)[];
  /** Further lines, shown when somebody asks for them. */
  parts?: readonly string[];
}

/** A list of the API, as far as it was read, newest first. */
interface Source {
  name: string;
  entries: readonly Entry[];
  /** The cursor of the next page; null at the end. */
  cursor: string | null;
}

type PageReader = (
  session: Session,
  customer: CustomerResponse,
  cursor: string | undefined,
  signal?: AbortSignal,
) => Promise<Source>;

const limit = 40;
const pageOf = (cursor: string | undefined, signal: AbortSignal | undefined) => ({
  query: { limit, ...(cursor && { cursor }) },
  ...(signal && { signal }),
});

const titleOfChange = ({ kind, type, amount, credit, restrictedCredit }: CreditChangeResponse): string => {
  const words = t.history[kind];
  if (kind === 'set') return t.history.set(type === 'regular' ? credit : restrictedCredit);
  return kind === 'increment' ? t.history.increment(amount) : (words as string);
};

const ofChange = (row: CreditChangeResponse, by: string | undefined): Entry => ({
  id: `credit ${row.sequence}`,
  at: row.at,
  kind: 'credit',
  title: titleOfChange(row),
  amount: row.amount - row.expired,
  saleId: row.saleId,
  notes: [
    row.type === 'restricted' && t.restrictedMark,
    t.left(row.type === 'regular' ? row.credit : row.restrictedCredit),
    row.undone !== null && t.undone(date(row.undone.at)),
    row.kind !== 'expire' && row.expired > 0 && t.expiredPart(row.expired),
    row.reason,
    row.reference,
    by !== undefined && t.by(by),
  ],
  parts: row.lots.map(({ amount, expiresAt }) => t.part(amount, expiresAt && date(expiresAt))),
});

const ofSale = (row: SaleResponse, name: string, recipient: string | false): Entry[] => {
  const notes = [
    row.state !== 'refused' && money(row.total),
    row.credit + row.restrictedCredit > 0 &&
      row.state !== 'refused' &&
      t.paidByCredit(row.credit + row.restrictedCredit),
    recipient && t.sale.gift(recipient),
    row.reference,
  ];
  const bought: Entry = {
    id: `sale ${row.id}`,
    at: row.at,
    kind: 'sale',
    saleId: row.id,
    product: name,
    title: row.refusal
      ? t.sale.refused(name, saleWords.refusals[row.refusal])
      : t.sale[row.state as 'completed' | 'refunded'](name),
    notes,
    ...(row.refusal && { tone: 'warn' as const }),
  };
  if (row.refundedAt === null) return [bought];
  const refund: Entry = {
    id: `refund ${row.id}`,
    at: row.refundedAt,
    kind: 'sale',
    title: t.sale.refund(name),
    notes: [money(row.total), row.refundReference],
  };
  return [refund, bought];
};

/** The time at which a delivery ended, if it differs from the time at which it began. */
const laterHour = ({ createdAt, endedAt }: DeliveryResponse): string | false =>
  endedAt !== null && hour(endedAt) !== hour(createdAt) && hour(endedAt);

const ofDelivery = (row: DeliveryResponse): Entry => ({
  id: `delivery ${row.id}`,
  at: row.createdAt,
  kind: 'delivery',
  title: t.delivery[row.state](row.item),
  notes: [row.lastError && failureWords(row.lastError), row.state === 'delivered' && laterHour(row)],
  ...(row.state === 'failed' && { tone: 'bad' as const }),
  ...(row.state === 'waiting' && { tone: 'warn' as const }),
});

/** The event as an entry, if it is about this customer. */
const ofEvent = (event: EventResponse, { uuid }: CustomerResponse): Entry[] => {
  const entry = (title: string, notes: Entry['notes'] = [], tone?: Entry['tone']): Entry[] => [
    { id: `event ${event.id}`, at: event.at, kind: 'other', title, notes, ...(tone && { tone }) },
  ];
  switch (event.type) {
    case 'giftcard.granted':
      return event.data.ownerUuid === uuid ? entry(t.event.card(event.data.credit), [event.data.reason]) : [];
    case 'coupon.applied':
      return event.data.customerUuid === uuid ? entry(t.event.coupon(event.data.code, event.data.discount)) : [];
    case 'customer.banned':
      return event.data.uuid === uuid ? entry(t.event.banned, [], 'bad') : [];
    case 'customer.unbanned':
      return event.data.uuid === uuid ? entry(t.event.unbanned) : [];
    default:
      return [];
  }
};

const readCreditHistory: PageReader = async (session, { uuid }, cursor, signal) => {
  const { client, store } = session;
  const { data, pagination } = await client.get('/v1/customers/{identifier}/credit/history', {
    path: { identifier: uuid },
    ...pageOf(cursor, signal),
  });
  const entryOf = async (row: CreditChangeResponse): Promise<Entry> => {
    const isOthers = row.keyId !== null && row.keyId !== store.key.id;
    return ofChange(row, isOthers ? await keyName(session, row.keyId as string) : undefined);
  };
  return { name: 'credit', entries: await Promise.all(data.map(entryOf)), cursor: pagination.nextCursor };
};

const readSales: PageReader = async (session, customer, cursor, signal) => {
  const page = pageOf(cursor, signal);
  const { data, pagination } = await session.client.get('/v1/sales', {
    ...page,
    query: { ...page.query, buyer: customer.uuid },
  });
  const recipientOf = async ({ recipientUuid }: SaleResponse): Promise<string | false> =>
    recipientUuid !== null && recipientUuid !== customer.uuid && customerName(session, recipientUuid);
  const entries = await Promise.all(
    data.map(async (row) =>
      ofSale(row, ...(await Promise.all([productName(session, row.productId), recipientOf(row)]))),
    ),
  );
  return { name: 'sales', entries: entries.flat(), cursor: pagination.nextCursor };
};

const readDeliveries: PageReader = async ({ client }, { uuid }, cursor, signal) => {
  const page = pageOf(cursor, signal);
  const { data, pagination } = await client.get('/v1/deliveries', {
    ...page,
    query: { ...page.query, recipient: uuid },
  });
  return { name: 'deliveries', entries: data.map(ofDelivery), cursor: pagination.nextCursor };
};

const eventTypes = ['giftcard.granted', 'coupon.applied', 'customer.banned', 'customer.unbanned'] as const;
/** At most this many events of a type are read. More would take too long in a store with many. */
const mostEvents = 5000;

/**
 * Events concern the whole store and come oldest first, so they are read to their end and filtered here. Nothing waits
 * for them.
 */
const readEvents: PageReader = async (session, customer, _cursor, signal) => {
  const { client } = session;
  const perType = await Promise.all(
    eventTypes
      .filter((type) => canRead(session, type) && !(type.startsWith('customer.') && session.can('journal:read')))
      .map(async (type) => {
        const found: Entry[] = [];
        let seen = 0;
        for await (const event of client.rows('/v1/events', {
          query: { type, limit: 1000 },
          ...(signal && { signal }),
        })) {
          found.push(...ofEvent(event, customer));
          seen += 1;
          if (seen >= mostEvents) break;
        }
        return found;
      }),
  );
  return { name: 'events', entries: perType.flat(), cursor: null };
};

/** Bans and discounts, with who changed them. */
const readJournal = async (session: Session, { uuid }: CustomerResponse, signal: AbortSignal): Promise<Source> => {
  const changes = await readChanges(session, uuid, signal);
  const entries = changes.map(({ kind, told: { id, at, by, fields, note } }): Entry => {
    const isOthers = by.type !== 'unknown' && by.id !== session.store.key.id && by.id !== uuid;
    const isBan = kind === 'customer.banned';
    const changed = fields.map(({ label, before, after }) => t.event.changed(label, String(before), String(after)));
    return {
      id: `change ${id}`,
      at,
      kind: 'other',
      title: isBan ? t.event.banned : kind === 'customer.unbanned' ? t.event.unbanned : changed.join(', '),
      notes: [isOthers && t.by(by.id === null ? by.name.toLowerCase() : by.name), note ?? null],
      ...(isBan && { tone: 'bad' as const }),
    };
  });
  return { name: 'changes', entries, cursor: null };
};

/** The sources for which nothing waits. */
const readOthers = (session: Session, customer: CustomerResponse, signal: AbortSignal): Promise<Source[]> =>
  Promise.all(
    [
      session.can('events:read') && readEvents(session, customer, undefined, signal),
      session.can('journal:read') && readJournal(session, customer, signal),
    ].filter((source) => source !== false),
  );

const readers = { credit: readCreditHistory, sales: readSales, deliveries: readDeliveries };

const readAll = async (session: Session, customer: CustomerResponse, signal: AbortSignal): Promise<Source[]> => {
  const { can } = session;
  // A sale, its delivery and its credit have the same time. They are shown in this order, the last one first.
  const allowed = [
    can('deliveries:read') && readDeliveries,
    can('sales:read') && readSales,
    can('credits:read') && readCreditHistory,
  ].filter((read) => read !== false);
  return Promise.all(allowed.map((read) => read(session, customer, undefined, signal)));
};

/** The time down to which a source is known. Older entries from other sources must wait until it is read further. */
const horizonOf = ({ entries, cursor }: Source): string =>
  cursor === null ? '' : entries.reduce((oldest, { at }) => (at < oldest ? at : oldest), '\uffff');

/** The entries without a possible gap between them, newest first. */
const gaplessEntries = (sources: readonly Source[]): Entry[] => {
  const horizon = sources.map(horizonOf).sort().at(-1) ?? '';
  return sources
    .flatMap(({ entries }) => entries)
    .filter(({ at }) => at >= horizon)
    .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
};

/** A change of credit by a sale says what was bought, if that sale was read. */
const withProducts = (entries: readonly Entry[]): Entry[] => {
  const products = new Map(entries.flatMap(({ saleId, product }) => (saleId && product ? [[saleId, product]] : [])));
  return entries.map((entry) => {
    const product = entry.kind === 'credit' && entry.saleId ? products.get(entry.saleId) : undefined;
    return product === undefined ? entry : { ...entry, title: t.creditFor(entry.title, product) };
  });
};

/** Reads the source further that ends latest. */
const readOlder = async (
  session: Session,
  customer: CustomerResponse,
  sources: readonly Source[],
): Promise<Source[]> => {
  const horizon = sources.map(horizonOf).sort().at(-1) ?? '';
  return Promise.all(
    sources.map(async (source) => {
      if (source.cursor === null || horizonOf(source) !== horizon) return source;
      const read = readers[source.name as keyof typeof readers];
      const next = await read(session, customer, source.cursor);
      return { ...next, entries: [...source.entries, ...next.entries] };
    }),
  );
};

const icons: Record<Kind, IconData> = { credit: coins, sale: receipt, delivery: parcel, other: tag };

const EntryRow = ({ entry: { at, kind, title, amount, tone, notes, parts = [] } }: { entry: Entry }) => (
  <li class="entry">
    <span class={`bullet is-${tone ?? kind}`}>
      <Icon of={icons[kind]} />
    </span>
    <div>
      <p>
        {title}
        {amount !== undefined && amount !== 0 && <b class={amount > 0 ? 'is-plus' : 'is-minus'}> {change(amount)}</b>}
      </p>
      <p class="help">
        <time dateTime={at} title={time(at)}>
          {hour(at)}
        </time>
        {notes.map((note) => note && ` · ${note}`)}
      </p>
      {parts.length > 0 && (
        <details>
          <summary>{t.parts}</summary>
          <ul class="help">
            {parts.map((part, index) => (
              <li key={index}>{part}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  </li>
);

/** Everything that happened to a customer, by day, newest first. */
export const Timeline = ({ customer, round }: CustomerProps) => {
  const session = useSession();
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const [older, setOlder] = useState<{ round: number; sources: Source[] }>();
  const [isReading, setReading] = useState(false);
  const loaded = useLoad((signal) => readAll(session, customer, signal), [customer.uuid, round]);
  const events = useLoad((signal) => readOthers(session, customer, signal), [customer.uuid, round]);
  const sources = older?.round === round ? older.sources : loaded.value;
  const more = async () => {
    if (!sources || isReading) return;
    setReading(true);
    const next = await readOlder(session, customer, sources).catch(() => sources);
    setOlder({ round, sources: next });
    setReading(false);
  };
  const all = sources ? withProducts(gaplessEntries([...sources, ...(events.value ?? [])])) : [];
  const shown = all.filter((entry) => kind === 'all' || entry.kind === kind);
  const byDay = Object.entries(Object.groupBy(shown, ({ at }) => date(at)));
  return (
    <section class="card timeline" aria-labelledby="timeline">
      <header>
        <h2 id="timeline">{t.timeline}</h2>
        <div class="actions">
          {Object.entries(t.kinds)
            .filter(([name]) => name === 'all' || session.can(scopeOf[name as Kind]))
            .map(([name, text]) => (
              <button
                key={name}
                type="button"
                class="button is-quiet"
                aria-pressed={kind === name}
                onClick={() => setKind(name as Kind | 'all')}
              >
                {text}
              </button>
            ))}
        </div>
      </header>
      {[loaded, events].map(
        ({ fault, reload }, index) =>
          fault && <FaultBox key={index === 0 ? 'lists' : 'events'} fault={fault} onRetry={reload} />,
      )}
      {!sources && !loaded.fault && <Waiting />}
      {sources && shown.length === 0 && <p class="empty">{all.length === 0 ? t.nothing : t.nothingOfKind}</p>}
      {byDay.map(([day, entries = []]) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {entries.map((entry) => (
              <EntryRow key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
      {sources?.some(({ cursor }) => cursor !== null) && (
        <button type="button" class="button" aria-disabled={isReading} onClick={more}>
          {isReading ? texts.loading : t.older}
        </button>
      )}
      {session.can('events:read') && <p class="help">{session.can('journal:read') ? t.cardsLimit : t.eventsLimit}</p>}
      {session.can('journal:read') && (
        <p class="help">
          <a href={link('/journal', { subject: customer.uuid })}>{t.allChanges}</a>
        </p>
      )}
    </section>
  );
};
