import * as z from 'zod';
import { CustomerCouponResponse } from './coupons.ts';
import { CustomerCreditResponse } from './credit.ts';
import { CustomerBanStateResponse } from './customers.ts';
import { DeliveryResponse } from './deliveries.ts';
import { DispenserResponse } from './dispenser.ts';
import { GiftCardResponse } from './gift-cards.ts';
import { ProductResponse } from './products.ts';
import { route } from './route.ts';
import { SaleResponse } from './sales.ts';
import { StoreResponse } from './store.ts';
import { listOf, pageQuery, time, timeOrNull, uuid } from './wire.ts';

const ChangedCredit = CustomerCreditResponse.extend({
  sequence: z.int().describe('Number of the change in the history of the customer’s credit.'),
}).meta({ id: 'ChangedCredit' });

const GrantedGiftCard = GiftCardResponse.extend({
  reason: z.string().nullable().describe('Reason that the request gave; null: none.'),
  reference: z.string().nullable().describe('Reference that the request gave; null: none.'),
}).meta({ id: 'GrantedGiftCard' });

const RegisteredDispenser = DispenserResponse.omit({ secret: true }).meta({ id: 'RegisteredDispenser' });

const LostDispenser = RegisteredDispenser.extend({
  url: z.string().describe('The address at which no dispenser answers any more.'),
  lostAt: timeOrNull().describe('When a delivery found nobody there.'),
  lostReason: z.string().nullable().describe('How the last call failed.'),
}).meta({ id: 'LostDispenser' });

const StoreState = StoreResponse.omit({ key: true }).meta({ id: 'StoreState' });

/** The types of events, each with the schema of its data and one line for people. */
export const eventTypes = {
  'credit.changed': { data: ChangedCredit, summary: 'The credit of a customer has changed.' },
  'giftcard.granted': { data: GrantedGiftCard, summary: 'A gift card was granted.' },
  'giftcard.redeemed': { data: GiftCardResponse, summary: 'A gift card was redeemed.' },
  'giftcard.disabled': { data: GiftCardResponse, summary: 'A gift card was disabled.' },
  'sale.completed': { data: SaleResponse, summary: 'A product was sold.' },
  'sale.refused': { data: SaleResponse, summary: 'A sale was refused.' },
  'sale.refunded': { data: SaleResponse, summary: 'A sale was refunded.' },
  'delivery.delivered': { data: DeliveryResponse, summary: 'The dispenser gave an item.' },
  'delivery.failed': { data: DeliveryResponse, summary: 'A delivery has failed for good.' },
  'delivery.waiting': { data: DeliveryResponse, summary: 'A delivery waits for the dispenser to register.' },
  'dispenser.registered': { data: RegisteredDispenser, summary: 'The dispenser has another address.' },
  'dispenser.lost': { data: LostDispenser, summary: 'Nobody answers at the address of the dispenser.' },
  'coupon.applied': { data: CustomerCouponResponse, summary: 'A coupon was applied to a customer.' },
  'customer.banned': { data: CustomerBanStateResponse, summary: 'The store has banned a customer.' },
  'customer.unbanned': { data: CustomerBanStateResponse, summary: 'The ban of a customer was lifted.' },
  'product.sold_out': { data: ProductResponse, summary: 'A limited product has no copy left.' },
  'store.closed': { data: StoreState, summary: 'The store was closed.' },
  'store.opened': { data: StoreState, summary: 'The store was opened.' },
} as const;

export type EventType = keyof typeof eventTypes;
export type EventData<T extends EventType> = z.input<(typeof eventTypes)[T]['data']>;

export const eventNames = Object.keys(eventTypes) as [EventType, ...EventType[]];

/** `credit.changed` is `CreditChangedEvent`. */
const schemaName = (type: EventType): string =>
  `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const eventOf = (type: EventType) => {
  const { data } = eventTypes[type];
  return z
    .object({
      id: uuid().describe('UUID of the event. Repeats of it have the same one.'),
      type: z.literal(type).describe('Type of the event.'),
      at: time().describe('When the change was made.'),
      data: (data as z.ZodType).describe('The answer of the API about the thing, as it was after the change.'),
    })
    .meta({ id: schemaName(type) });
};

const members = eventNames.map(eventOf) as [ReturnType<typeof eventOf>, ...ReturnType<typeof eventOf>[]];

export const EventResponse = z.discriminatedUnion('type', members).meta({ id: 'EventResponse' });

const filters = {
  type: z
    .enum(eventNames, { error: `must be one of ${eventNames.join(', ')}` })
    .optional()
    .describe('Only events of this type.'),
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
  response: listOf('EventListResponse', 'Events, in the order in which they were noted', EventResponse),
  reads: ['EVENT'],
  extension: true,
});
