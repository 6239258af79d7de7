import type { Scope } from '../../lib/routes/scopes.ts';
import type { JournalRowResponse } from '../client/client.ts';
import type { CsvValue } from './csv.ts';
import { change, date, money } from './format.ts';
import { customerName, productName } from './names.ts';
import type { Session } from './session.ts';
import { texts } from './texts.ts';
import { eventNames } from './words/event.ts';
import { type JournalKind, journalWords as w } from './words/journal.ts';
import { rightsOf } from './words/key.ts';

/** The journal in the merchant's words: what one row says, rows by day, and reading on until rows appear. */

/** A field of a change, in words. */
interface ToldField {
  label: string;
  /** Undefined for the fields of a new thing. */
  before: CsvValue | undefined;
  after: CsvValue;
}

/** A row of the journal in words. */
export interface Told {
  id: string;
  at: string;
  by: { name: string; type: JournalRowResponse['by']['type']; id: string | null };
  /** Their act: the words before the thing, the thing, and the words behind it. */
  did: readonly [before: string, thing: string, after: string];
  /** The address of the thing's page, behind `#`. */
  to: string | undefined;
  /** The gift card of the row: its id must not be in an address. */
  card: string | undefined;
  /** The L$ that it is about. */
  amount: string | undefined;
  tone: 'plus' | 'minus' | undefined;
  /** Said beside the time. */
  note: string | undefined;
  fields: readonly ToldField[];
  /** True if the sentence names its only field. */
  namesField: boolean;
}

interface Discount {
  type: 0 | 1 | 2;
  value: number;
  startDate: string | null;
  endDate: string | null;
}

const discountWords = ({ type, value, startDate, endDate }: Discount): string =>
  type !== 2 && value === 0
    ? w.none
    : [
        w.discounts[type]?.(String(value), money(value)),
        startDate && w.from(date(startDate)),
        endDate && w.until(date(endDate)),
      ]
        .filter(Boolean)
        .join(' ');

/** The rights of a key. Only rows about keys have some, so the presets are loaded with the first one. */
const scopeWords = async (scopes: readonly string[]): Promise<string> => {
  const loaded = await import('./held-preset.ts').catch(() => undefined);
  return rightsOf({ preset: loaded?.presetOf(scopes) ?? null, scopes });
};

const percent = (value: number): string => `${value} %`;
const never = (at: string): string => (at.startsWith('9999') ? w.never : date(at));

/** The words for the values of fields that are more than a text or a number. */
const valueWords: Record<string, (value: never, session: Session) => string | Promise<string>> = {
  price: money,
  credit: money,
  restrictedCredit: money,
  amount: money,
  discount: (value: number | Discount) => (typeof value === 'number' ? percent(value) : discountWords(value)),
  ownerProfit: percent,
  groupDiscount: percent,
  permissions: (rights: Record<keyof typeof w.rights, boolean>) =>
    Object.entries(w.rights)
      .flatMap(([right, words]) => (rights[right as keyof typeof w.rights] ? [words] : []))
      .join(', ') || w.none,
  profitShares: async (shares: readonly { userUuid: string; percent: number }[], session) =>
    (
      await Promise.all(
        shares.map(async (share) => `${await customerName(session, share.userUuid)} ${percent(share.percent)}`),
      )
    ).join(', ') || w.none,
  productId: (id: string, session) => productName(session, id),
  demoId: (id: string, session) => productName(session, id),
  ownerUuid: (uuid: string, session) => customerName(session, uuid),
  residentUuid: (uuid: string, session) => customerName(session, uuid),
  giftCard: ({ credit }: { credit: number }) => (credit > 0 ? w.card(money(credit)) : w.none),
  expiration: never,
  expiresAt: never,
  usesPerCustomer: (uses: number) => (uses > 0 ? w.number(uses) : w.none),
  state: (state: string) => w.states[state] ?? state,
  format: (format: string) => w.formats[format] ?? format,
  events: (types: readonly string[]) =>
    types.map((type) => (eventNames as Record<string, string>)[type] ?? type).join(', ') || w.none,
  tiers: (tiers: readonly { from: number; percent: number }[]) =>
    tiers.map((tier) => w.tier(money(tier.from), tier.percent)).join(', ') || w.none,
  bonus: (of: { percent: number; groupPercent: number; type: string; expiresInDays: number | null }) =>
    of.percent + of.groupPercent === 0 ? w.none : w.bonusOf(of.percent, of.groupPercent, of.type, of.expiresInDays),
  scopes: scopeWords,
};

const nilUuid = '00000000-0000-0000-0000-000000000000';

const wordsOf = async (session: Session, field: string, value: unknown): Promise<string> => {
  if (value === null || value === undefined || value === '' || value === nilUuid)
    return field === 'expiresAt' ? w.never : w.none;
  if (typeof value === 'boolean') return value ? w.yes : w.no;
  const words = valueWords[field];
  if (words) return words(value as never, session);
  return typeof value === 'number' ? w.number(value) : String(value);
};

/** Fields that the sentence says already. */
const said: Partial<Record<JournalKind, readonly string[]>> = {
  'product.created': ['name'],
  'coupon.created': ['code'],
  'category.created': ['name'],
  'category.deleted': ['name'],
  'category.product_added': ['productId'],
  'category.product_removed': ['productId'],
  'customer.banned': ['isBanned'],
  'customer.unbanned': ['isBanned'],
  'giftcard.granted': ['ownerUuid', 'credit'],
  'giftcard.disabled': ['active'],
  'giftcard.redeemed': ['redeemed'],
  'sale.refunded': ['state'],
  'payout.paid_by_hand': ['residentUuid', 'amount', 'state'],
  'vendor.deleted': ['name'],
  'dispenser.deleted': ['name'],
  'webhook.created': ['description'],
  'webhook.rotated': ['secret'],
  'webhook.deleted': ['description'],
  'store.closed': ['open'],
  'store.opened': ['open', 'reason'],
  'key.issued': ['name', 'state'],
  'key.accepted': ['state'],
  'key.rotated': ['state'],
  'key.revoked': ['state'],
  'key.ended': ['state'],
  'import.ended': ['kind'],
};

/** The field whose value stands in the sentence. */
const valueIn: Partial<Record<JournalKind, string>> = {
  'category.product_added': 'productId',
  'category.product_removed': 'productId',
  'giftcard.granted': 'ownerUuid',
  'import.ended': 'kind',
};

/** The page of a thing, and the scope that opens it. */
const pageOf: Partial<Record<JournalRowResponse['subject']['type'], readonly [page: string, scope: Scope | null]>> = {
  product: ['/products/', 'products:read'],
  category: ['/categories/', 'categories:read'],
  customer: ['/customers/', 'customers:read'],
  sale: ['/sales/', 'sales:read'],
  vendor: ['/vendors/', 'vendors:read'],
  webhook: ['/webhooks/', 'webhooks:write'],
  coupon: ['/coupons?coupon=', 'coupons:read'],
  giftcard: ['/giftcards', 'giftcards:read'],
  payout: ['/payouts', 'payouts:read'],
  dispenser: ['/boxes', 'deliveries:read'],
  rules: ['/rules', 'store:write'],
  store: ['/settings', null],
  key: ['/team', 'keys:read'],
};

/** The address of the row's thing. Undefined if it is gone, has no page, or the key does not open that. */
const addressOf = ({ kind, subject: { type, id } }: JournalRowResponse, { can }: Session): string | undefined => {
  const [page, scope] = pageOf[type] ?? [];
  if (page === undefined || kind.endsWith('.deleted') || (scope && !can(scope))) return undefined;
  return /[/=]$/.test(page) ? page + encodeURIComponent(id ?? '') : page;
};

/** The L$ of a row, where it is about an amount. */
const amountOf = ({ kind, changes }: JournalRowResponse): Pick<Told, 'amount' | 'tone'> & { sum?: number } => {
  const afterOf = (name: string) => Number(changes.find(({ field }) => field === name)?.after ?? 0);
  if (kind === 'giftcard.granted') return { amount: money(afterOf('credit')), tone: undefined };
  if (kind === 'payout.paid_by_hand') return { amount: money(afterOf('amount')), tone: undefined };
  if (kind !== 'credit.changed') return { amount: undefined, tone: undefined };
  const sum = changes.reduce((total, { before, after }) => total + Number(after) - Number(before), 0);
  return { sum, amount: change(sum), tone: sum < 0 ? 'minus' : 'plus' };
};

const actorOf = ({ by: { type, id, name } }: JournalRowResponse, { store }: Session): Told['by'] => {
  if (type === 'key') return { type, id, name: id === store.key.id ? w.you : (name ?? texts.unread.key) };
  return { type, id, name: name ?? w.actors[type] };
};

const notes: Partial<Record<JournalRowResponse['by']['type'], string>> = {
  customer: w.onTheirPage,
  unknown: w.unknown,
};

/** The store is the reader's own. */
const nameOf = ({ type, name }: JournalRowResponse['subject']): string | null => (type === 'store' ? null : name);

/** A row of the journal in words. Names that it lacks are read. */
export const tell = async (session: Session, row: JournalRowResponse): Promise<Told> => {
  const { id, at, kind, subject, changes } = row;
  const { sum, ...amount } = amountOf(row);
  const isNew = /\.(?:created|granted|issued|paid_by_hand|closed)$/.test(kind) || kind === 'import.ended';
  const told = changes.filter(({ field }) => !said[kind]?.includes(field));
  const fields = await Promise.all(
    told.map(async ({ field, before, after, hidden }): Promise<ToldField> => {
      const label = w.fields[field] ?? field;
      if (hidden) return { label, before: undefined, after: w.secret };
      const [from, to] = await Promise.all([wordsOf(session, field, before), wordsOf(session, field, after)]);
      return { label, before: isNew ? undefined : from, after: to };
    }),
  );
  const shown = changes.find(({ field }) => field === valueIn[kind]);
  const value = shown ? await wordsOf(session, shown.field, shown.after ?? shown.before) : '';
  const areNouns = told.length <= 2 && told.every(({ field }) => w.nouns.has(field));
  const named = areNouns && told.length > 0 ? w.ofFields(fields.map(({ label }) => label)) : '';
  const sentence = sum === undefined || sum === 0 ? w.kinds[kind] : sum > 0 ? w.gave : w.took;
  const [before = '', after = ''] = sentence
    .replace('{fields}', named)
    .replace('{value}', () => value)
    .split('{}');
  const to = addressOf(row, session);
  return {
    id,
    at,
    to,
    fields,
    ...amount,
    by: actorOf(row, session),
    did: [before, sentence.includes('{}') ? (nameOf(subject) ?? w.unnamed[subject.type]) : '', after],
    card: subject.type === 'giftcard' && to !== undefined ? (subject.id ?? undefined) : undefined,
    note: notes[row.by.type],
    namesField: fields.length === 1 && sentence.includes('{fields}') && named !== '',
  };
};

/** The day of a row, in the desk's own zone. */
const dayOf = (at: string, now: number): string => {
  const day = date(at);
  if (day === date(new Date(now).toISOString())) return w.today;
  return day === date(new Date(now - 86_400_000).toISOString()) ? w.yesterday : day;
};

/** Rows by day, in their order. */
export const byDay = <R extends { at: string }>(rows: readonly R[], now = Date.now()): [day: string, rows: R[]][] => [
  ...Map.groupBy(rows, ({ at }) => dayOf(at, now)),
];

/** The lines of an exported file about a row: a line for each field, or one. It never has the id of a card. */
export const csvRows = ({ at, by, did, fields }: Told): CsvValue[][] => {
  const row = [at, by.name, did.join('')];
  return fields.length === 0
    ? [[...row, '', '', '']]
    : fields.map(({ label, before, after }) => [...row, label, before ?? '', after]);
};

/** The kinds of a group, such as those of coupons: the group is the first part of their names. */
export const kindsOf = (group: string): JournalKind[] =>
  (Object.keys(w.kinds) as JournalKind[]).filter((kind) => kind.split('.')[0] === group);

/** How far a list of one kind, or of all, was read: the rows that were read and not shown, and where it goes on. */
interface Reading<R> {
  kind: JournalKind | undefined;
  waiting: readonly R[];
  /** Undefined before the first page, null at the end. */
  cursor: string | null | undefined;
}

/** The rows of a journal under its filters, as far as it was read. */
export interface Progress<R> {
  rows: readonly R[];
  readings: readonly Reading<R>[];
  /** True if nothing more was found for long, though there may be more. */
  hasPaused: boolean;
}

/** The beginning of a journal: of these kinds, or of all. */
export const beginning = <R>(kinds: readonly JournalKind[]): Progress<R> => ({
  rows: [],
  readings: (kinds.length > 0 ? kinds : [undefined]).map((kind) => ({ kind, waiting: [], cursor: undefined })),
  hasPaused: false,
});

export const isAtEnd = ({ readings }: Progress<unknown>): boolean =>
  readings.every(({ waiting, cursor }) => waiting.length === 0 && cursor === null);

/** After this many pages without rows, somebody has to ask for more. */
const mostPages = 20;

type JournalPage<R> = { data: readonly R[]; pagination: { nextCursor: string | null } };
export type JournalReader<R> = (kind: JournalKind | undefined, cursor: string | undefined) => Promise<JournalPage<R>>;

const isOpen = <R>({ waiting, cursor }: Reading<R>): boolean => waiting.length === 0 && cursor !== null;

/**
 * Reads on until there are `want` rows, the newest first. The API may answer a page without rows although more follow.
 * `passes` leaves rows out that the API cannot.
 */
export const readMore = async <R extends { at: string }>(
  read: JournalReader<R>,
  { rows: before, readings: from }: Progress<R>,
  want: number,
  passes: (row: R) => boolean = () => true,
): Promise<Progress<R>> => {
  const rows = [...before];
  let readings = from;
  for (let pages = 0; rows.length < want; ) {
    if (readings.some(isOpen)) {
      if (pages === mostPages) return { rows, readings, hasPaused: true };
      pages += 1;
      readings = await Promise.all(
        readings.map(async (reading) => {
          if (!isOpen(reading)) return reading;
          const { data, pagination } = await read(reading.kind, reading.cursor ?? undefined);
          return { ...reading, waiting: data.filter(passes), cursor: pagination.nextCursor };
        }),
      );
      continue;
    }
    const newest = readings.reduce((one, other) =>
      (one.waiting[0]?.at ?? '') < (other.waiting[0]?.at ?? '') ? other : one,
    );
    const [row] = newest.waiting;
    if (!row) break;
    rows.push(row);
    pages = 0;
    readings = readings.map((one) => (one === newest ? { ...one, waiting: one.waiting.slice(1) } : one));
  }
  return { rows, readings, hasPaused: false };
};
