import { watched } from '../watched.ts';
import type { EventType } from './events.ts';
import type { Kind } from './route.ts';
import type { Scope } from './scopes.ts';

export const subjectTypes = [
  'product',
  'coupon',
  'category',
  'customer',
  'giftcard',
  'sale',
  'payout',
  'vendor',
  'dispenser',
  'webhook',
  'rules',
  'store',
  'key',
  'import',
] as const;

type SubjectType = (typeof subjectTypes)[number];

/** A kind of change in the journal. */
interface JournalRule {
  subject: SubjectType;
  /** The kind of the item that changes. */
  item: Kind;
  /** The scope that its readers need. Null: none. */
  scope: Scope | null;
  /** The fields of a row, in their order. */
  fields: readonly string[];
  /** Fields whose names a row has, and whose values it never has. */
  hidden?: readonly string[];
  /** The event that is the same change. */
  event?: EventType;
}

const productFields = watched.PRODUCT;

const ofProduct = {
  subject: 'product',
  item: 'PRODUCT',
  scope: 'products:read',
  fields: productFields,
  event: 'product.changed',
} as const;

const couponFields = watched.COUPON;

const ofCoupon = {
  subject: 'coupon',
  item: 'COUPON',
  scope: 'coupons:read',
  fields: couponFields,
  event: 'coupon.changed',
} as const;

const ofCategory = {
  subject: 'category',
  item: 'CATEGORY',
  scope: 'categories:read',
  fields: ['name'],
} as const;

const ofCustomer = {
  subject: 'customer',
  item: 'CUSTOMER',
  scope: 'customers:read',
  fields: ['isBanned'],
} as const;

const cardFields = watched.GIFTCARD;

const ofGiftCard = {
  subject: 'giftcard',
  item: 'GIFTCARD',
  scope: 'giftcards:read',
  fields: cardFields,
} as const;

const ofPayout = { subject: 'payout', item: 'PAYOUT', scope: 'payouts:read' } as const;
const ofVendor = {
  subject: 'vendor',
  item: 'VENDOR',
  scope: 'vendors:read',
} as const;

const ofDispenser = {
  subject: 'dispenser',
  item: 'DISPENSER',
  scope: 'deliveries:read',
  hidden: ['url'],
} as const;

const ofWebhook = {
  subject: 'webhook',
  item: 'WEBHOOK',
  scope: 'webhooks:write',
  fields: watched.WEBHOOK,
  hidden: ['url', 'secret'],
} as const;

const ofStore = { item: 'STORE', scope: null } as const;
const openState = { ...ofStore, subject: 'store', fields: ['open', 'reason'] } as const;

const ofKey = {
  subject: 'key',
  item: 'KEY',
  scope: 'keys:read',
  fields: ['name', 'scopes', 'expiresAt', 'state'],
} as const;

/** The kinds of the journal's rows. A new kind is one row here, and its place in lib/events/journal-changes.ts. */
const journalKinds = {
  'product.created': ofProduct,
  'product.changed': ofProduct,
  'coupon.created': ofCoupon,
  'coupon.changed': ofCoupon,
  'category.created': { ...ofCategory, event: 'category.changed' },
  'category.changed': { ...ofCategory, event: 'category.changed' },
  'category.deleted': { ...ofCategory, event: 'category.deleted' },
  'category.product_added': { ...ofCategory, fields: ['productId'] },
  'category.product_removed': { ...ofCategory, fields: ['productId'] },
  'customer.changed': { ...ofCustomer, fields: ['discount', 'newsSubscriber'] },
  'customer.banned': { ...ofCustomer, event: 'customer.banned' },
  'customer.unbanned': { ...ofCustomer, event: 'customer.unbanned' },
  // The last change of a customer's credit is on their item, with the key that made it.
  'credit.changed': {
    subject: 'customer',
    item: 'CUSTOMER',
    scope: 'credits:read',
    fields: ['credit', 'restrictedCredit'],
    event: 'credit.changed',
  },
  'giftcard.granted': { ...ofGiftCard, fields: [...cardFields, 'ownerUuid'], event: 'giftcard.granted' },
  'giftcard.changed': ofGiftCard,
  'giftcard.disabled': { ...ofGiftCard, event: 'giftcard.disabled' },
  'giftcard.redeemed': { ...ofGiftCard, event: 'giftcard.redeemed' },
  'sale.refunded': {
    subject: 'sale',
    item: 'SALE',
    scope: 'sales:read',
    fields: ['state', 'payOut'],
    event: 'sale.refunded',
  },
  'payout.paid_by_hand': { ...ofPayout, fields: ['state', 'amount', 'residentUuid'], event: 'payout.paid' },
  'payout.settled': { ...ofPayout, fields: ['state'] },
  'vendor.changed': { ...ofVendor, fields: ['productId'] },
  'vendor.deleted': { ...ofVendor, fields: ['name'] },
  'dispenser.changed': { ...ofDispenser, fields: ['region', 'priority', 'url'] },
  'dispenser.deleted': { ...ofDispenser, fields: ['name'] },
  'webhook.created': ofWebhook,
  'webhook.changed': ofWebhook,
  'webhook.rotated': ofWebhook,
  'webhook.deleted': { ...ofWebhook, fields: ['description'] },
  'rules.changed': { ...ofStore, subject: 'rules', fields: ['groupDiscount', 'tiers', 'bonus'] },
  'store.closed': { ...openState, event: 'store.closed' },
  'store.opened': { ...openState, event: 'store.opened' },
  'key.issued': { ...ofKey, event: 'key.issued' },
  'key.accepted': { ...ofKey, event: 'key.issued' },
  'key.changed': ofKey,
  'key.rotated': ofKey,
  'key.revoked': { ...ofKey, event: 'key.ended' },
  'key.ended': { ...ofKey, event: 'key.ended' },
  'import.ended': { subject: 'import', item: 'LOG', scope: null, fields: ['kind', 'lines', 'failed'] },
} as const satisfies Record<string, JournalRule>;

export type JournalKind = keyof typeof journalKinds;

export const journalKindNames = Object.keys(journalKinds) as [JournalKind, ...JournalKind[]];

export const ruleOf = (kind: JournalKind): JournalRule => journalKinds[kind];

/** The kinds of rows that a key with these scopes may read. */
export const readableKinds = (held: readonly Scope[]): JournalKind[] =>
  journalKindNames.filter((kind) => {
    const { scope } = ruleOf(kind);
    return scope === null || held.includes(scope);
  });

/** A text beyond this length ends here, with `…`; an array after this number of members. */
export const maxTold = { characters: 200, members: 20 };
