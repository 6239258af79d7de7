import * as z from 'zod';
import { CategoryResponse } from './categories.ts';
import { CouponResponse, CustomerCouponResponse } from './coupons.ts';
import { CustomerCreditResponse } from './credit.ts';
import { CustomerBanStateResponse } from './customers.ts';
import { DeliveryResponse } from './deliveries.ts';
import { DispenserSecretResponse } from './dispenser.ts';
import { GiftCardResponse } from './gift-cards.ts';
import { KeyResponse } from './keys.ts';
import { PayoutResponse } from './payouts.ts';
import { ProductResponse } from './products.ts';
import { route } from './route.ts';
import { SaleResponse } from './sales.ts';
import type { Scope } from './scopes.ts';
import { StoreResponse } from './store.ts';
import { VendorResponse } from './vendors.ts';
import { answerText, answerTextOrNull, listOf, maxLength, pageQuery, time, timeOrNull, uuid } from './wire.ts';

const ChangedCredit = CustomerCreditResponse.extend({
  sequence: z.int().describe('Number of the change in the history of the customer’s credit.'),
}).meta({ id: 'ChangedCredit' });

const GrantedGiftCard = GiftCardResponse.extend({
  reason: answerTextOrNull(maxLength.reason).describe('Reason that the request gave; null: none.'),
  reference: answerTextOrNull(maxLength.reference).describe('Reference that the request gave; null: none.'),
}).meta({ id: 'GrantedGiftCard' });

const RegisteredDispenser = DispenserSecretResponse.omit({ secret: true, unreachable: true }).meta({
  id: 'RegisteredDispenser',
});

const LostDispenser = RegisteredDispenser.extend({
  url: answerText(maxLength.url).describe('The address at which no dispenser answers any more.'),
  lostAt: timeOrNull().describe('When a delivery found nobody there.'),
  lostReason: answerTextOrNull(maxLength.failure).describe('How the last call failed.'),
}).meta({ id: 'LostDispenser' });

const StoreState = StoreResponse.omit({ key: true }).meta({ id: 'StoreState' });

const DeletedCategory = CategoryResponse.omit({ productCount: true }).meta({ id: 'DeletedCategory' });

/** The types of events, each with the scope that its readers need, the schema of its data, and one line for people. */
export const eventTypes = {
  'credit.changed': { scope: 'credits:read', data: ChangedCredit, summary: 'The credit of a customer has changed.' },
  'giftcard.granted': { scope: 'giftcards:read', data: GrantedGiftCard, summary: 'A gift card was granted.' },
  'giftcard.purchased': { scope: 'giftcards:read', data: GiftCardResponse, summary: 'A gift card was sold.' },
  'giftcard.redeemed': { scope: 'giftcards:read', data: GiftCardResponse, summary: 'A gift card was redeemed.' },
  'giftcard.disabled': { scope: 'giftcards:read', data: GiftCardResponse, summary: 'A gift card was disabled.' },
  'sale.completed': { scope: 'sales:read', data: SaleResponse, summary: 'A product was sold.' },
  'sale.refused': { scope: 'sales:read', data: SaleResponse, summary: 'A sale was refused.' },
  'sale.refunded': { scope: 'sales:read', data: SaleResponse, summary: 'A sale was refunded.' },
  'delivery.delivered': { scope: 'deliveries:read', data: DeliveryResponse, summary: 'The dispenser gave an item.' },
  'delivery.failed': { scope: 'deliveries:read', data: DeliveryResponse, summary: 'A delivery has failed for good.' },
  'delivery.waiting': {
    scope: 'deliveries:read',
    data: DeliveryResponse,
    summary: 'A delivery waits for the dispenser to register.',
  },
  'dispenser.registered': {
    scope: 'deliveries:read',
    data: RegisteredDispenser,
    summary: 'The dispenser has another address.',
  },
  'dispenser.lost': {
    scope: 'deliveries:read',
    data: LostDispenser,
    summary: 'Nobody answers at the address of the dispenser.',
  },
  'coupon.applied': {
    scope: 'coupons:read',
    data: CustomerCouponResponse,
    summary: 'A coupon was applied to a customer.',
  },
  'customer.banned': {
    scope: 'customers:read',
    data: CustomerBanStateResponse,
    summary: 'The store has banned a customer.',
  },
  'customer.unbanned': {
    scope: 'customers:read',
    data: CustomerBanStateResponse,
    summary: 'The ban of a customer was lifted.',
  },
  'product.sold_out': { scope: 'products:read', data: ProductResponse, summary: 'A limited product has no copy left.' },
  'product.changed': { scope: 'products:read', data: ProductResponse, summary: 'A product was created or changed.' },
  'coupon.changed': { scope: 'coupons:read', data: CouponResponse, summary: 'A coupon was created or changed.' },
  'category.changed': {
    scope: 'categories:read',
    data: CategoryResponse,
    summary: 'A category was created or renamed.',
  },
  'category.deleted': { scope: 'categories:read', data: DeletedCategory, summary: 'A category was deleted.' },
  'key.issued': {
    scope: 'keys:read',
    data: KeyResponse,
    summary: 'A key or an invitation was issued, or an invitation was accepted.',
  },
  'key.ended': { scope: 'keys:read', data: KeyResponse, summary: 'A key was revoked, or has ended itself.' },
  'payout.paid': { scope: 'payouts:read', data: PayoutResponse, summary: 'An avatar was paid what the store owed.' },
  'payout.failed': { scope: 'payouts:read', data: PayoutResponse, summary: 'A payout was not paid: it is owed again.' },
  'payout.unknown': {
    scope: 'payouts:read',
    data: PayoutResponse,
    summary: 'Nobody knows whether a payout was paid.',
  },
  'vendor.registered': {
    scope: 'vendors:read',
    data: VendorResponse,
    summary: 'A vendor has registered first, or after it was lost.',
  },
  'vendor.lost': { scope: 'vendors:read', data: VendorResponse, summary: 'A vendor has not registered for 30 hours.' },
  'store.closed': { scope: null, data: StoreState, summary: 'The store was closed.' },
  'store.opened': { scope: null, data: StoreState, summary: 'The store was opened.' },
} as const satisfies Record<string, { scope: Scope | null; data: z.ZodType; summary: string }>;

export type EventType = keyof typeof eventTypes;
export type EventData<T extends EventType> = z.input<(typeof eventTypes)[T]['data']>;

export const eventNames = Object.keys(eventTypes) as [EventType, ...EventType[]];

/** The scopes that a key lacks to read events of these types. */
export const scopesLacking = (types: readonly EventType[], held: readonly Scope[]): Scope[] => {
  const needed = types.flatMap((type) => eventTypes[type].scope ?? []);
  return [...new Set(needed)].filter((scope) => !held.includes(scope));
};

/** The types of the events that a key with these scopes may read. */
export const readableTypes = (held: readonly Scope[]): EventType[] =>
  eventNames.filter((type) => scopesLacking([type], held).length === 0);

/** The name of a type's schema: `CreditChangedEvent` for `credit.changed`. */
const schemaName = (type: EventType): string =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase()).replace('Giftcard', 'GiftCard')}Event`;

const eventOf = (type: EventType) => {
  const { data } = eventTypes[type];
  return z
    .object({
      id: uuid().describe('UUID of the event. Repeats of it have the same one.'),
      type: z.literal(type).describe('Type of the event.'),
      at: time().describe('When the change was made.'),
      data: (data as z.ZodType).describe('The answer of the API about the thing, as it was after the change.'),
    })
    .meta({ id: schemaName(type), description: eventTypes[type].summary });
};

const members = eventNames.map(eventOf) as [ReturnType<typeof eventOf>, ...ReturnType<typeof eventOf>[]];

export const EventResponse = z.discriminatedUnion('type', members).meta({ id: 'EventResponse' });

const filters = {
  type: z
    .enum(eventNames, { error: `must be one of ${eventNames.join(', ')}` })
    .optional()
    .describe('Only events of this type, which the key must be allowed to read.'),
  after: uuid()
    .optional()
    .describe('Begins behind the event with this id, which the store must still have. Not beside a cursor.'),
};

export type EventFilter = z.output<z.ZodObject<typeof filters>>;

export const listEvents = route('GET /v1/events', {
  id: 'events/list-events',
  summary: 'List events',
  scope: 'events:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf(
    'EventListResponse',
    'Events that the key may read, in the order in which they were noted',
    EventResponse,
  ),
  reads: ['EVENT'],
  extension: true,
});
