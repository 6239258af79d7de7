import { changeKinds } from '../../lib/routes/credit.ts';
import { eventNames } from '../../lib/routes/events.ts';
import { subjectTypes } from '../../lib/routes/journal-kinds.ts';
import { keyStates } from '../../lib/routes/keys.ts';
import type { Route } from '../../lib/routes/route.ts';
import { refusals } from '../../lib/routes/sales.ts';
import { sentTypes } from '../../lib/routes/webhooks.ts';
import type { JsonSchema } from './schemas.ts';

/** Names and texts of the document's schemas. They become the types of generated clients, with their comments. */

/** Ends the text of an enumeration to which a later version may add values (docs/guides/versions.md). */
const grows = 'Later versions may add values.';

/** The schemas that are neither a list, nor an event, nor the body of one request. */
const texts: Record<string, string> = {
  AppliedCouponResponse: 'A coupon that was applied to a customer, and until when it counts.',
  BeginPageResponse: 'The token of a page that was begun, and the avatar whose page it is.',
  Bonus: 'The credit that a sale gives to its buyer.',
  BonusRequest: 'The credit that a sale is to give to its buyer.',
  CategoryResponse: 'A category of products.',
  ChangePaid: 'How the change of a sale was given back.',
  ChangedCredit: 'A change of a customer’s credit, with the balances after it.',
  ClaimPayoutResponse: 'The payout that a cashier is to pay now, if there is one.',
  CouponResponse: 'A coupon.',
  CreditChangeResponse: 'A change in the history of a customer’s credit.',
  CreditLotPart: 'The part of a lot, or of permanent credit, in a change.',
  CreditLotResponse: 'Credit of a customer that has an end of its own.',
  CreditUndo: 'How a change of credit was undone.',
  CustomerBanStateResponse: 'Whether a customer is banned.',
  CustomerCouponResponse: 'A coupon that counts for a customer now, and where.',
  CustomerCreditResponse: 'The balances of a customer.',
  CustomerNameResponse: 'A present or former name of a customer.',
  CustomerResponse: 'A customer as the store knows them.',
  CustomerSpendResponse: 'How much a customer has spent, and how much they own.',
  DaysResponse: 'The sums of a store or of a vendor, day by day.',
  DeliveryResponse: 'An item on its way to a resident.',
  DispenserResponse: 'A box of the store.',
  DispenserSecretResponse: 'A box that has registered, and the secret of its messages.',
  EventResponse: 'An event of any type: `type` says which.',
  DeletedCategory: 'A category that is gone.',
  JournalRowResponse: 'A change, with who made it.',
  JournalKind: `What was done to a thing. ${grows}`,
  JournalSubject: 'A thing that was changed.',
  JournalActor: 'Who made a change.',
  JournalChange: 'A field that was changed.',
  GiftCardResponse: 'A gift card.',
  GrantedGiftCard: 'A gift card that was granted, and why.',
  InvitationResponse: 'What an invitation offers.',
  InvitingStore: 'The store whose key an invitation makes.',
  KeyPreset: `What a key is for, which gives it its scopes. ${grows}`,
  KeyScope: `Something that a key may do. ${grows}`,
  KeyIssuer: 'The key that has issued another one.',
  KeyResponse: 'An API key or an invitation, without its text.',
  KeySecretResponse: 'A key or an invitation that was just made, with its text.',
  LostDispenser: 'A box at whose address nobody answers any more.',
  MeResponse: 'What the store holds for the customer whose page it is.',
  OpenPageResponse: 'The code of a page.',
  OwnCardResponse: 'An own gift card that can be redeemed.',
  OwnChangeResponse: 'A change of the own credit.',
  OwnCouponResponse: 'A coupon that counts for the customer now.',
  OwnLotPart: 'The part of credit with one end in a change.',
  OwnLotResponse: 'Own credit that ends.',
  OwnProductResponse: 'A product that the customer owns.',
  OwnedProductResponse: 'A product that a customer owns.',
  Pagination: 'Where a page stands in its list.',
  PayeeResponse: 'An avatar that the store has owed or paid something.',
  PayoutResponse: 'L$ that the store pays to an avatar.',
  ProductDeliveryResponse: 'A delivery that was ordered.',
  ProductDiscount: 'The discount of a product.',
  ProductDiscountRequest: 'The discount that a product is to have.',
  ProductGiftCardResponse: 'The gift card that each sale of a product makes.',
  ProductName: 'A product, by id and name.',
  ProductPermissions: 'The permissions that the next owner of an item has.',
  ProductPermissionsRequest: 'The permissions that the next owner of an item is to have.',
  ProductResponse: 'A product.',
  ProfitShare: 'The share that an avatar has in each sale of a product.',
  ProfitShareRequest: 'The share that an avatar is to have in each sale of a product.',
  QuoteResponse: 'The price of a sale for a buyer, as of now.',
  RedeemedCardsResponse: 'The gift cards that were redeemed together.',
  RedeemedGiftCardResponse: 'A gift card that was redeemed, and the balances after it.',
  RedeliverOwnResponse: 'Whether a product is on its way to its owner again.',
  RegisteredDispenser: 'A box that has registered, as an event tells of it.',
  ResidentResponse: 'An avatar, and all names that lead to them.',
  RevokedCouponResponse: 'Whether a coupon was revoked.',
  SaleDiscount: 'A discount of a sale, and where it comes from.',
  SaleResponse: 'A sale.',
  SaleShare: 'The share of an avatar in a sale.',
  StoreDay: 'The sums of one day.',
  StoreKey: 'The API key of a request.',
  StoreOfPage: 'The store, as its customers see it.',
  StoreResponse: 'The store, and the API key of the request.',
  StoreRulesResponse: 'The rules by which a store gives discounts and bonuses.',
  StoreState: 'Whether the store sells, and why.',
  TestedWebhookResponse: 'The event that a test sends to a webhook.',
  Tier: 'A discount for what a buyer spent in the last year.',
  TierRequest: 'A discount that the store is to give for what a buyer spent in the last year.',
  UndoCreditChangeResponse: 'The balances after an undo, and what it gave back or took.',
  VendorChoice: 'The product that a vendor sells.',
  VendorProduct: 'A product as a vendor shows it.',
  VendorResponse: 'An object inworld that sells.',
  WebhookDeliveryResponse: 'An event on its way to a webhook.',
  WebhookResponse: 'A webhook.',
  WebhookSecretResponse: 'A webhook, and the secret of its signatures.',
};

/** Enumerations that occur in several places: each is a schema of its own, so that clients get one type. */
const enumerations: Record<string, { enum: readonly (string | number)[]; description: string }> = {
  CouponScope: {
    enum: ['store', 'product'],
    description: 'Where a coupon counts: in the whole store, or for a product.',
  },
  CreditChangeKind: { enum: changeKinds, description: `A kind of change of credit. ${grows}` },
  CreditLotState: { enum: ['open', 'drained', 'expired', 'superseded'], description: 'How a lot of credit stands.' },
  CreditType: { enum: ['regular', 'restricted'], description: 'A type of store credit.' },
  DeliveryState: { enum: ['queued', 'waiting', 'delivered', 'failed'], description: 'How a delivery stands.' },
  DiscountType: { enum: [0, 1, 2], description: '0: percent. 1: flat amount off. 2: override price.' },
  EventType: { enum: eventNames, description: `A type of event. ${grows}` },
  JournalSubjectType: { enum: subjectTypes, description: `A kind of thing that can be changed. ${grows}` },
  PayoutState: { enum: ['claimed', 'unknown', 'paid', 'failed'], description: 'How a payout stands.' },
  Refusal: {
    enum: refusals,
    description: `The reason for which a sale is refused. ${grows}`,
  },
  SentEventType: { enum: sentTypes, description: `A type of event, or a test. ${grows}` },
  SaleState: { enum: ['completed', 'refused', 'refunded'], description: 'How a sale stands.' },
  VendorState: { enum: ['active', 'lost'], description: 'Whether a vendor still registers.' },
  KeyState: { enum: [...keyStates], description: 'How a key or an invitation stands.' },
  WebhookDeliveryState: { enum: ['pending', 'delivered', 'failed'], description: 'How a message to a webhook stands.' },
  WebhookFormat: { enum: ['standard', 'discord'], description: 'The form of the messages to a webhook.' },
  WebhookState: { enum: ['active', 'disabled'], description: 'Whether a webhook is sent anything.' },
};

/** Tells whether a later version may add values to the enumeration. */
export const mayGrow = ({ description }: { description?: string }): boolean => description?.endsWith(grows) ?? false;

const keyOf = (values: readonly unknown[]): string => [...values].map(String).sort().join(' ');

const names = new Map(Object.entries(enumerations).map(([name, one]) => [keyOf(one.enum), name]));

/** A part of the document in which references replace the named enumerations. */
export const withEnumerations = <T>(part: T): T => {
  if (Array.isArray(part)) return part.map(withEnumerations) as T;
  if (typeof part !== 'object' || part === null) return part;
  const { enum: values, type, ...others } = part as { enum?: unknown; type?: unknown };
  const name = Array.isArray(values) ? names.get(keyOf(values)) : undefined;
  if (name !== undefined) return { $ref: `#/components/schemas/${name}`, ...others } as T;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withEnumerations(value)])) as T;
};

const lower = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1);

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The sentence of a schema by its name, or undefined. */
const textsOf = (schemas: Schemas, routes: readonly Route[]): ((name: string) => string | undefined) => {
  const bodies = Map.groupBy(routes, ({ body }) => body?.meta()?.id);
  return (name) => {
    const rows = bodies.get(name);
    const ofBody = rows && `The body that is sent to ${rows.map(({ summary }) => lower(summary)).join(', or to ')}.`;
    return schemas[name]?.description ?? texts[name] ?? ofBody;
  };
};

/** A line for each schema without a text, and for each text without a schema. */
export const schemaTextFaults = (schemas: Schemas, routes: readonly Route[]): string[] => {
  const textOf = textsOf(schemas, routes);
  const silent = Object.keys(schemas).filter((name) => textOf(name) === undefined);
  const needless = Object.keys(texts).filter((name) => !(name in schemas));
  return [
    ...silent.map((name) => `apps/reference/schema-texts.ts has no text for ${name}`),
    ...needless.map((name) => `apps/reference/schema-texts.ts has a text for ${name}, which is no schema`),
  ];
};

/** The schemas with a sentence for each, and the named enumerations. */
export const withTexts = (schemas: Schemas, routes: readonly Route[]): Record<string, JsonSchema> => {
  const textOf = textsOf(schemas, routes);
  const described = Object.entries(schemas).map(([name, schema]) => [
    name,
    { description: textOf(name), ...withEnumerations(schema) },
  ]);
  const named = Object.entries(enumerations).map(([name, { enum: values, description }]) => [
    name,
    { description, type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values] },
  ]);
  return Object.fromEntries([...described, ...named].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
};
