import { isDeepStrictEqual } from 'node:util';
import type { CustomerItem } from '../avatars/customers.ts';
import type { CategoryItem } from '../catalogue/categories.ts';
import { type CouponItem, never } from '../catalogue/coupons.ts';
import type { GiftCardItem } from '../catalogue/gift-cards.ts';
import type { StoredProduct } from '../catalogue/products.ts';
import { type CreditItem, type LastChange, lastChangeOf } from '../credit/state.ts';
import { type Dispenser, mainBox } from '../delivery/dispensers.ts';
import { nilUuid } from '../identifier.ts';
import type { PayoutItem } from '../payout/payouts.ts';
import { type JournalKind, maxTold, ruleOf } from '../routes/journal-kinds.ts';
import { scopes as allScopes } from '../routes/scopes.ts';
import type { SaleItem } from '../sale/sales.ts';
import type { ApiKey } from '../store/api-keys.ts';
import type { LogRow } from '../store/operator-log.ts';
import { rulesOf } from '../store/rules.ts';
import { isOpen, type Store } from '../store/stores.ts';
import type { Actor } from '../table/actor.ts';
import type { VendorItem } from '../vendor/vendors.ts';
import { deletable } from '../watched.ts';
import type { FieldChange, JournalTelling } from './journal-items.ts';
import type { ItemChange, ItemRemoval, Kind } from './stream.ts';
import type { WebhookItem } from './webhooks.ts';

/** The values of fields, by their names. */
type Told = Readonly<Record<string, unknown>>;

/** A value as a row holds it: a long text or array ends early. */
const shortened = (value: unknown): unknown => {
  if (typeof value === 'string' && [...value].length > maxTold.characters)
    return `${[...value].slice(0, maxTold.characters).join('')}…`;
  return Array.isArray(value) ? value.slice(0, maxTold.members) : (value ?? null);
};

/** The changes of a kind's fields between two states. Without one of them its values are null. */
const changesOf = (kind: JournalKind, before: Told, after: Told, always: readonly string[] = []): FieldChange[] => {
  const { fields, hidden = [] } = ruleOf(kind);
  return fields.flatMap((field) => {
    const values = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(values[0], values[1]) && !always.includes(field)) return [];
    const isHidden = hidden.includes(field);
    const [from, to] = isHidden ? [null, null] : values.map(shortened);
    return { field, before: from, after: to, hidden: isHidden };
  });
};

/** As `changesOf` for a new thing: the fields that are not at their defaults, and some always. Nothing was before. */
const firstOf = (kind: JournalKind, defaults: Told, after: Told, always: readonly string[]): FieldChange[] =>
  changesOf(kind, defaults, after, always).map((one) => ({ ...one, before: null }));

type Teller<T> = (change: ItemChange<T>) => JournalTelling[];

const nobody = { type: 'unknown' } as const;

/** A row with these changes; none if a request has changed nothing. */
const row = (
  kind: JournalKind,
  {
    subject,
    name,
    actor = nobody,
  }: { subject: string | null; name: string | null; actor?: JournalTelling['by'] | undefined },
  changes: FieldChange[],
  more: Pick<JournalTelling, 'event' | 'part'> = {},
): JournalTelling[] =>
  changes.length === 0 ? [] : [{ kind, subject, name, by: actor, changes, event: ruleOf(kind).event, ...more }];

const productDefaults: Told = {
  image: nilUuid,
  listed: true,
  bloggable: false,
  permissions: { copy: true, modify: false, transfer: false },
  discount: { value: 0, type: 0, startDate: null, endDate: null },
  availableAmount: 0,
  limited: false,
  blockCredits: false,
  description: '',
  profitShares: [],
  active: true,
};

const ofProduct: Teller<StoredProduct> = ({ key, before, after, actor }) => {
  const place = { subject: key.sk, name: after.name, actor };
  const told = { ...after };
  if (!before)
    return row(
      'product.created',
      place,
      firstOf('product.created', { ...productDefaults, item: after.name }, told, ['name', 'price']),
    );
  // A sale takes copies, or gathers them from shares. Only a request sets their number.
  const copies = actor ? {} : { availableAmount: before.availableAmount };
  return row('product.changed', place, changesOf('product.changed', { ...before }, { ...told, ...copies }));
};

const couponDefaults: Told = {
  discount: 0,
  ownerProfit: 0,
  active: true,
  bloggersSync: false,
  expiration: never,
  usesPerCustomer: 0,
};

const ofCoupon: Teller<CouponItem> = ({ key, before, after, actor }) => {
  const place = { subject: key.sk, name: after.code, actor };
  return before
    ? row('coupon.changed', place, changesOf('coupon.changed', { ...before }, { ...after }))
    : row('coupon.created', place, firstOf('coupon.created', couponDefaults, { ...after }, ['code']));
};

/** A category with the memberships of its last change: `+` or `-`, and the product's id. */
const membersOf = (category: string, { name, member = [] }: CategoryItem, actor: Actor | undefined) =>
  member.flatMap((text) => {
    const [isNew, productId] = [text.startsWith('+'), text.slice(1)];
    const kind = isNew ? 'category.product_added' : 'category.product_removed';
    const [before, after] = isNew ? [{}, { productId }] : [{ productId }, {}];
    return row(kind, { subject: category, name: name ?? null, actor }, changesOf(kind, before, after), { part: text });
  });

const ofCategory: Teller<CategoryItem> = ({ key, before, after, actor }) => {
  const [earlier, name] = [before?.name, after.name];
  const place = { subject: key.sk, name: name ?? earlier ?? null, actor };
  if (name === undefined)
    return earlier === undefined ? [] : row('category.deleted', place, deletedName('category.deleted', earlier));
  const kind = earlier === undefined ? 'category.created' : 'category.changed';
  const named = changesOf(kind, { name: earlier }, { name });
  const isNews = !isDeepStrictEqual(before?.member, after.member);
  return [...row(kind, place, named), ...(isNews ? membersOf(key.sk, after, actor) : [])];
};

/** The change of a thing that is gone. */
const deletedName = (kind: JournalKind, name: string): FieldChange[] => {
  const [field = 'name'] = ruleOf(kind).fields;
  return [{ field, before: shortened(name), after: null, hidden: false }];
};

/** The actor of a change of credit, which is noted with the change itself. */
const creditActor = ({ keyId: id, requestId }: LastChange): JournalTelling['by'] =>
  id === undefined ? { type: 'operator' } : { type: 'key', id, ...(requestId !== undefined && { requestId }) };

/** The kinds of changes of credit that the journal tells. History has the others. */
const toldCredit: readonly string[] = ['set', 'increment', 'undo'];

const creditOf = ({ key, before, after }: ItemChange<CreditItem>): JournalTelling[] => {
  const change = after.creditVersion === before?.creditVersion ? undefined : lastChangeOf(after);
  if (!change || !toldCredit.includes(change.kind)) return [];
  const balances = ({ credit = 0, restrictedCredit = 0 }: Partial<CreditItem>) => ({ credit, restrictedCredit });
  const changes = changesOf('credit.changed', balances(before ?? {}), balances(after));
  return row('credit.changed', { subject: key.sk, name: after.username, actor: creditActor(change) }, changes);
};

const ofCustomer: Teller<CustomerItem> = (change) => {
  const { key, before, after, actor } = change;
  // An erased customer continues under a pseudonym. That is not a change of the customer.
  if (!before && 'moved' in after) return [];
  const told = ({ discount = 0, newsSubscriber = false, isBanned = false }: Partial<CustomerItem>) => ({
    discount,
    newsSubscriber,
    isBanned,
  });
  const [from, to] = [told(before ?? {}), told(after)];
  const ban = to.isBanned ? 'customer.banned' : 'customer.unbanned';
  const place = { subject: key.sk, name: after.username, actor };
  return [
    ...creditOf(change as ItemChange<CreditItem>),
    ...row('customer.changed', place, changesOf('customer.changed', from, to)),
    ...row(ban, place, changesOf(ban, from, to)),
  ];
};

const ofGiftCard: Teller<GiftCardItem> = ({ key, before, after, actor }) => {
  const place = { subject: key.sk, name: null, actor };
  if (!before) {
    // A card that was sold is told by its sale.
    if (after.purchased && after.grantedAt !== undefined) return [];
    const defaults = { credit: 0, active: true, transfer: false, texture: null, redeemed: false };
    return row('giftcard.granted', place, firstOf('giftcard.granted', defaults, { ...after }, ['credit']));
  }
  const isRedeemed = after.redeemed && !before.redeemed;
  const isDisabled = !after.active && before.active;
  const kind = isRedeemed ? 'giftcard.redeemed' : isDisabled ? 'giftcard.disabled' : 'giftcard.changed';
  return row(kind, place, changesOf(kind, { ...before }, { ...after }));
};

const ofSale: Teller<SaleItem> = ({ key, before, after, actor }) => {
  if (!before || after.state !== 'refunded' || before.state === after.state) return [];
  const told = ({ state, payOut }: SaleItem) => ({ state, payOut: payOut ?? false });
  return row(
    'sale.refunded',
    { subject: key.sk, name: null, actor },
    changesOf('sale.refunded', told(before), told(after)),
  );
};

const ofPayout: Teller<PayoutItem> = ({ key, before, after, actor }) => {
  // The list of payouts has the cashier's claims and reports, and the payouts that nobody has reported.
  if (!actor || after.state === 'claimed') return [];
  const kind = before ? 'payout.settled' : 'payout.paid_by_hand';
  const changes = changesOf(kind, { ...before }, { ...after });
  return row(kind, { subject: key.sk, name: after.username, actor }, changes, { event: `payout.${after.state}` });
};

const ofVendor: Teller<VendorItem> = ({ key, before, after, actor }) =>
  before
    ? row(
        'vendor.changed',
        { subject: key.sk, name: after.name, actor },
        changesOf('vendor.changed', { ...before }, { ...after }),
      )
    : [];

const ofDispenser: Teller<Dispenser> = ({ before, after, actor }) => {
  // A box registers every hour, and the service notes when it is lost.
  if (!actor || after.url === undefined || after.url === before?.url) return [];
  const { name = mainBox } = after;
  const changes = changesOf('dispenser.changed', { priority: 0, ...before }, { ...after });
  return row('dispenser.changed', { subject: name, name, actor }, changes);
};

const webhookDefaults: Told = { description: '', format: 'standard', state: 'active' };

const ofWebhook: Teller<WebhookItem> = ({ key, before, after, actor }) => {
  const place = { subject: key.sk, name: after.description || null, actor };
  if (!before) return row('webhook.created', place, firstOf('webhook.created', webhookDefaults, { ...after }, []));
  const kind = before.secret === after.secret ? 'webhook.changed' : 'webhook.rotated';
  return row(kind, place, changesOf(kind, { ...before }, { ...after }));
};

const ofStore: Teller<Store> = ({ before, after, actor }) => {
  if (!before) return [];
  const state = (store: Store) => ({ open: isOpen(store), reason: store.changed?.reason ?? null });
  const kind = isOpen(after) ? 'store.opened' : 'store.closed';
  const opened = isOpen(before) === isOpen(after) ? [] : changesOf(kind, state(before), state(after));
  return [
    ...row(kind, { subject: null, name: after.name, actor }, opened),
    ...row(
      'rules.changed',
      { subject: null, name: null, actor },
      changesOf('rules.changed', rulesOf(before), rulesOf(after)),
    ),
  ];
};

const toldKey = ({ name, scopes, expiresAt, status, rotatedTo }: ApiKey): Told => ({
  name,
  scopes: allScopes.filter((scope) => scopes.includes(scope)),
  expiresAt: expiresAt ?? null,
  state: status === 'active' && rotatedTo !== undefined ? 'rotated' : status,
});

const kindOfKey = (before: ApiKey | undefined, { status, rotatedTo, endedItself }: ApiKey): JournalKind => {
  if (!before) return 'key.issued';
  if (status === 'revoked' && before.status !== 'revoked') return endedItself ? 'key.ended' : 'key.revoked';
  if (status === 'active' && before.status === 'invited') return 'key.accepted';
  return rotatedTo === before.rotatedTo ? 'key.changed' : 'key.rotated';
};

const ofKey: Teller<ApiKey> = ({ before, after, actor }) => {
  const kind = kindOfKey(before, after);
  const changes = changesOf(kind, before ? toldKey(before) : {}, toldKey(after));
  return row(kind, { subject: after.id, name: after.name, actor }, changes);
};

/** A number in the details of a row of the log. */
const numberIn = (details: LogRow['details'], name: string): number => Number(details[name] ?? 0);

const ofLog: Teller<LogRow> = ({ before, after: { action, details } }) => {
  if (before || action !== 'import.ended') return [];
  const failed = numberIn(details, 'rejected');
  const lines = failed + ['created', 'changed', 'unchanged'].reduce((sum, name) => sum + numberIn(details, name), 0);
  const told = { kind: details.kind, lines, failed };
  const place = { subject: null, name: String(details.kind ?? ''), actor: { type: 'operator' } as const };
  return row('import.ended', place, changesOf('import.ended', {}, told, ['failed']));
};

/** Tells the journal of a change, by the kind of its item. */
const tellers: Partial<Record<Kind, Teller<never>>> = {
  PRODUCT: ofProduct,
  COUPON: ofCoupon,
  CATEGORY: ofCategory,
  CUSTOMER: ofCustomer,
  GIFTCARD: ofGiftCard,
  SALE: ofSale,
  PAYOUT: ofPayout,
  VENDOR: ofVendor,
  DISPENSER: ofDispenser,
  WEBHOOK: ofWebhook,
  STORE: ofStore,
  KEY: ofKey,
  LOG: ofLog,
};

/** The rows that a change makes. */
export const journalOf = (change: ItemChange): JournalTelling[] =>
  tellers[change.kind]?.(change as ItemChange<never>) ?? [];

/** True for the removal of a thing that the journal tells of. */
export const isToldRemoval = ({ kind }: ItemRemoval): boolean => deletable.includes(kind);

/** The row of a removal. `actor` is who signed it. */
export const journalOfRemoval = ({ kind, key, before }: ItemRemoval, actor: Actor | undefined): JournalTelling[] => {
  const gone = (of: JournalKind, name: string | undefined, subject = key.sk): JournalTelling[] =>
    name === undefined ? [] : row(of, { subject, name: name || null, actor }, deletedName(of, name));
  const { name, description = '' } = before as { name?: string; description?: string };
  switch (kind) {
    case 'CATEGORY':
      return gone('category.deleted', name);
    case 'VENDOR':
      return gone('vendor.deleted', name);
    case 'DISPENSER':
      return gone('dispenser.deleted', name ?? mainBox, name ?? mainBox);
    case 'WEBHOOK':
      return gone('webhook.deleted', description);
    default:
      return [];
  }
};
