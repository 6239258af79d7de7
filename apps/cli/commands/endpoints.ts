import { getCustomerItem } from '../../../lib/avatars/customers.ts';
import { listOwned } from '../../../lib/avatars/owned.ts';
import { getGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { listCreditHistory } from '../../../lib/credit/history-list.ts';
import { listCreditLots } from '../../../lib/credit/lot-list.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import { isDue } from '../../../lib/credit/rules.ts';
import { type Author, type CreditItem, creditOf, holdingOf } from '../../../lib/credit/state.ts';
import * as deliveries from '../../../lib/delivery/deliveries.ts';
import { dispenserAnswer, dispenserList } from '../../../lib/delivery/dispensers.ts';
import { redeliver } from '../../../lib/delivery/order.ts';
import { listSendings, webhookDelivery } from '../../../lib/events/sendings.ts';
import { testWebhook } from '../../../lib/events/test-webhook.ts';
import * as webhooks from '../../../lib/events/webhooks.ts';
import type { Source } from '../../../lib/lists/source.ts';
import { readUsernames } from '../../../lib/operator/residents.ts';
import * as creditRows from '../../../lib/routes/credit.ts';
import * as deliveryRows from '../../../lib/routes/deliveries.ts';
import { listDispensers } from '../../../lib/routes/dispenser.ts';
import { eventNames } from '../../../lib/routes/events.ts';
import * as cardRows from '../../../lib/routes/gift-cards.ts';
import { listOwnedProducts, redeliverProduct } from '../../../lib/routes/products.ts';
import * as saleRows from '../../../lib/routes/sales.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import * as vendorRows from '../../../lib/routes/vendors.ts';
import * as webhookRows from '../../../lib/routes/webhooks.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { getSale, saleOf, salesList } from '../../../lib/sale/sales.ts';
import type { Store } from '../../../lib/store/stores.ts';
import * as vendors from '../../../lib/vendor/vendors.ts';
import type { FieldColumn } from '../terminal/columns.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { parseEnd, parseEventTypes, parseIdOf, parseStart } from '../terminal/input.ts';
import { grouped, note } from '../terminal/output.ts';
import { command, demandResident, type EndpointCommand, mapped } from './endpoint-command.ts';
import { productNames } from './report.ts';

/** The commands that are made from endpoints. */

/** The author of a change by the operator. */
const byOperator = ({ reason, reference }: Pick<Author, 'reason' | 'reference'>): Author => ({
  by: `operator ${newId()}`,
  ...(reason && { reason }),
  ...(reference && { reference }),
});

const vendorColumns: FieldColumn<vendorRows.VendorAnswer>[] = [
  ...(['uuid', 'state', 'name', 'region', 'position'] as const),
  ['product', ({ product }) => product?.name],
  ['L$', ({ product }) => product?.activePrice],
  'seenAt',
];

const productOrNone = {
  flags: '<product>',
  about: 'UUID of the product, or none',
  parse: (text: string) => (text === 'none' ? null : parseIdOf('product')(text)),
};

const ofVendors = {
  list: command(vendorRows.listVendors, {
    about: 'They are in the order of their UUIDs.',
    examples: ['--state lost --json'],
    list: ({ store, fields }) => {
      const source = vendors.listVendors(store.id, fields);
      return async (range) => vendors.vendorAnswers(store.id, await source(range));
    },
    columns: vendorColumns,
    none: 'has no such vendor: one is known once it has registered.',
  }),
  show: command(vendorRows.getVendor, {
    about: 'Shows what it sells now.',
    thing: 'vendor',
    act: ({ store, params }) => vendors.getVendor(store.id, params.uuid),
    columns: vendorColumns,
  }),
  'set-product': command(vendorRows.setVendorProduct, {
    about: 'It learns that within seconds, if it has an address.',
    thing: 'vendor',
    fields: { productId: productOrNone },
    act: ({ store, params: { uuid }, fields: { productId }, log }) =>
      vendors.setProduct(store.id, uuid, productId, log('vendor.product_set', { vendor: uuid, productId })),
    columns: vendorColumns,
  }),
  remove: command(vendorRows.deleteVendor, {
    about: 'It is known again, as a new one, when it registers.',
    thing: 'vendor',
    asks: async ({ target, store, params }) => {
      const { name, region } = await vendors.getVendor(store.id, params.uuid);
      return `Forget ${name} in ${region}, of ${store.name} on ${target.name}?`;
    },
    act: async ({ store, params: { uuid }, log }) => {
      const { name, region } = await vendors.getVendor(store.id, uuid);
      return vendors.deleteVendor(store.id, uuid, log('vendor.removed', { vendor: uuid, name, region }));
    },
  }),
};

const cardState = ({ active, redeemed }: cardRows.GiftCard): string =>
  redeemed ? 'redeemed' : active ? 'active' : 'inactive';

const ofCards = {
  show: command(cardRows.getGiftCard, {
    thing: 'gift card',
    act: ({ store, params }) => getGiftCard(store.id, params.id),
    columns: [
      ...(['id', 'ownerUsername', 'credit'] as const),
      ['state', cardState],
      ['redeemed by', ({ transfer }) => (transfer ? 'anybody' : 'its owner')],
    ],
  }),
  redeem: command(cardRows.redeemGiftCard, {
    about: 'That is regular credit. A card without transfer is redeemed for its owner alone.',
    thing: 'gift card',
    fields: {
      identifier: { flags: '--for <resident>' },
      expiresAt: {
        flags: '--expires <when>',
        about: 'when the credit expires: after a duration (90d), on a day or at a time',
        parse: parseEnd,
      },
    },
    examples: ['--expires 90d --reason "Lost card" --reference T-17'],
    act: async ({ target, store, params: { id }, fields: { identifier, expiresAt, ...why }, log }) => {
      const { uuid, username } = await demandResident(target, store, identifier);
      const logged = log('giftcard.redeemed', { giftCard: id, for: uuid, ...(expiresAt && { expiresAt }) });
      const redeemed = await redeemGiftCard(store.id, id, { identifier: { uuid }, expiresAt }, byOperator(why), logged);
      note(`${username} has the credit of the card. See it with: store credit history ${uuid}`);
      return redeemed;
    },
    columns: [
      ['card', ({ giftCard }) => giftCard.id],
      ['state', ({ giftCard }) => cardState(giftCard)],
      ['credit now', ({ credit }) => credit.credit],
      ['restricted', ({ credit }) => credit.restrictedCredit],
    ],
  }),
};

const ofCustomers = {
  products: command(listOwnedProducts, {
    about: 'Shows the first purchase and the last delivery of each.',
    list: ({ store, resident }) => listOwned(store.id, resident.uuid),
    columns: ['productId', 'name', 'quantity', 'boughtAt', 'lastDeliveredAt'],
    none: 'owns no product here.',
  }),
  redeliver: command(redeliverProduct, {
    about: 'Its permissions must let them have copies. At most once a minute.',
    thing: 'product',
    examples: ['--message "Here it is again."'],
    act: async ({ store, resident: { uuid }, params: { productId }, fields: { message }, log }) => {
      const logged = log('product.redelivered', { product: productId, to: uuid });
      const ordered = await redeliver(store.id, { uuid }, productId, message, logged);
      note(`It is on the queue. See how it goes with: store deliveries show ${ordered.deliveryId}`);
      return ordered;
    },
    also: ['deliveryId'],
    columns: ['deliveryId', 'productId', 'recipientUsername'],
  }),
};

/** A webhook for the operator's log, with only the host of its address: the path may be a secret, as with Discord. */
const webhookFacts = ({ id, url, events }: webhooks.WebhookItem) => ({ webhook: id, host: new URL(url).host, events });

const health = ['failingSince', 'pausedUntil', 'oldSecretUntil'] as const;

const webhookColumns = [
  ...(['id', 'state', 'failingSince', 'pausedUntil', 'format', 'url', 'events', 'description'] as const),
];

/** Prints a new secret alone on standard output, and notes about it on standard error. */
const printSecret = (webhook: webhookRows.Webhook & { secret: string; oldSecretUntil?: unknown }): void => {
  const { id, state, events, url, secret, oldSecretUntil } = webhook;
  note(`Webhook ${id}, ${state}: ${events.join(', ')} go to ${url}`);
  note('Its messages are signed with this secret. It is shown only now: put it where your receiver reads it.');
  if (oldSecretUntil) note(`The secret before signs too, until ${oldSecretUntil}.`);
  process.stdout.write(`${secret}\n`);
};

const eventsField = {
  flags: '--events <types>',
  about: `types of events, separated by commas: ${eventNames.join(', ')}`,
  parse: parseEventTypes,
  example: 'sale.completed,delivery.failed',
};

const ofWebhooks = {
  list: command(webhookRows.listWebhooks, {
    about: 'Never shows their secrets.',
    list: ({ store }) => webhooks.listWebhooks(store.id),
    also: health,
    columns: webhookColumns,
    none: 'has no webhook. Create one: store webhooks create',
  }),
  show: command(webhookRows.getWebhook, {
    about: 'Never shows its secret.',
    thing: 'webhook',
    act: ({ store, params }) => webhooks.getWebhook(store.id, params.id),
    also: health,
    columns: webhookColumns,
  }),
  create: command(webhookRows.createWebhook, {
    about: 'Its secret is printed once.',
    fields: { url: { example: 'https://shop.example.com/hook' }, events: eventsField },
    examples: ['--description "Our books"'],
    act: ({ store, fields, log }) =>
      webhooks.createWebhook(store.id, fields, scopes, (made) => log('webhook.created', webhookFacts(made))),
    prints: printSecret,
  }),
  update: command(webhookRows.updateWebhook, {
    summary: 'Change a webhook',
    about: 'What no option says stays as it is.',
    thing: 'webhook',
    partial: true,
    fields: { events: eventsField },
    examples: ['--events sale.completed,sale.refunded', '--state active'],
    act: async ({ store, params: { id }, fields, log }) => {
      const { url, events, description, format } = await webhooks.getWebhook(store.id, id);
      const changed = Object.assign({ url, events, description, format }, fields);
      return webhooks.updateWebhook(store.id, id, changed, scopes, (now) =>
        log('webhook.changed', { ...webhookFacts(now), state: now.state }),
      );
    },
    also: health,
    columns: webhookColumns,
  }),
  delete: command(webhookRows.deleteWebhook, {
    about: 'What was not sent yet is not sent.',
    thing: 'webhook',
    act: async ({ store, params: { id }, log }) => {
      const webhook = await webhooks.getWebhook(store.id, id);
      return webhooks.deleteWebhook(store.id, id, log('webhook.deleted', webhookFacts(webhook)));
    },
  }),
  'rotate-secret': command(webhookRows.rotateWebhookSecret, {
    about: 'It is printed once. The one before signs too for 24 hours.',
    thing: 'webhook',
    act: ({ store, params: { id }, log }) =>
      webhooks.rotateSecret(store.id, id, log('webhook.rotated', { webhook: id })),
    also: health,
    prints: printSecret,
  }),
  test: command(webhookRows.testWebhook, {
    about: 'That is webhook.ping, which a disabled webhook gets too.',
    thing: 'webhook',
    act: async ({ store, params: { id } }) => {
      const tested = await testWebhook(store.id, id);
      note(`It is on the queue. See how it goes with: store webhooks deliveries ${id}`);
      return tested;
    },
    columns: ['eventId'],
  }),
  deliveries: command(webhookRows.listWebhookDeliveries, {
    about: 'They are those of the last 30 days, the newest first.',
    thing: 'webhook',
    examples: ['--state failed --json'],
    list: async ({ store, params: { id }, fields }) => {
      await webhooks.getWebhook(store.id, id);
      return mapped(listSendings(store.id, id, fields.state), webhookDelivery);
    },
    columns: ['eventId', 'type', 'state', 'attempts', 'status', 'nextAt', 'lastError'],
    none: 'has sent nothing to it yet, or nothing that is in that state.',
  }),
};

const wholeDelivery = (delivery: deliveries.Delivery) => ({ ...delivery, ...deliveries.deliveryAnswer(delivery) });

const deliveryColumns: FieldColumn<deliveryRows.DeliveryAnswer>[] = [
  ...(['id', 'createdAt', 'state', 'attempts', 'item', 'recipientUsername', 'lastError'] as const),
];

/** The deliveries that are not made yet, state by state. */
const undelivered =
  (store: string): Source<deliveries.Delivery> =>
  async (range) => {
    const states = deliveryRows.deliveryStates.filter((state) => state !== 'delivered');
    const lists = await Promise.all(states.map((state) => deliveries.listDeliveries(store, state)(range)));
    return lists.flat().slice(0, range.limit);
  };

const ofDeliveries = {
  list: command(deliveryRows.listDeliveries, {
    about: 'Without an option those that are not delivered, the oldest first; else the newest first.',
    examples: ['--state failed --json', '--recipient ada.lovelace'],
    list: async ({ store, fields }) => {
      const isFiltered = fields.state !== undefined || fields.recipient !== undefined;
      const source = isFiltered ? (await deliveries.deliveriesList(store.id, fields)).source : undelivered(store.id);
      return mapped(source, wholeDelivery);
    },
    also: ['message', 'expiresAt'],
    columns: deliveryColumns,
    none: 'has no such delivery.',
  }),
  show: command(deliveryRows.getDelivery, {
    thing: 'delivery',
    unknown: ' One that no worker has tried yet has no record.',
    act: async ({ store, params }) => wholeDelivery(await deliveries.getDelivery(store.id, params.id)),
    also: ['message', 'expiresAt'],
    columns: deliveryColumns,
  }),
};

const ofDispensers = {
  list: command(listDispensers, {
    about: 'They are in the order in which they are asked.',
    list: ({ store }) => mapped(dispenserList(store.id), dispenserAnswer),
    columns: ['name', 'priority', 'region', 'state', 'registeredAt', 'lostAt', 'lastError'],
    none: 'has no dispenser that has registered: see apps/inworld/README.md.',
  }),
};

const causeOf = ({ reason, reference, saleId, giftCardId, keyId, requestId }: creditRows.CreditChange): string => {
  const named = { reference, sale: saleId, card: giftCardId, key: keyId, request: requestId };
  const ids = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return [...(reason === null ? [] : [reason]), ...ids].join('; ');
};

const ofCredit = {
  show: command(creditRows.getCredit, {
    about: 'Unlotted is what is in no lot, and does not expire. See the rest with store credit lots.',
    act: async ({ store, resident: { uuid } }) => {
      const item: CreditItem = await getCustomerItem(store.id, uuid);
      if (item.pending) note('A large change is still being written to the lots; "store sweep" completes it.');
      const { unlotted, due: nextExpiresAt } = holdingOf(item, 'regular');
      const { unlotted: restrictedUnlotted, due: nextRestrictedExpiresAt } = holdingOf(item, 'restricted');
      return { ...creditOf(item), unlotted, nextExpiresAt, restrictedUnlotted, nextRestrictedExpiresAt };
    },
    also: ['unlotted', 'nextExpiresAt', 'restrictedUnlotted', 'nextRestrictedExpiresAt'],
    columns: [
      'username',
      'credit',
      'unlotted',
      'nextExpiresAt',
      'restrictedCredit',
      'restrictedUnlotted',
      'nextRestrictedExpiresAt',
    ],
  }),
  lots: command(creditRows.listCreditLots, {
    about: 'One that is due ends with the next change or sweep: store sweep does it now.',
    examples: ['--state open --json'],
    list: async ({ store, resident, fields }) =>
      listCreditLots(store.id, await getCustomerItem(store.id, resident.uuid), fields),
    columns: [
      'type',
      ['state', ({ state, expiresAt }) => (state === 'open' && isDue(expiresAt, timestamp(now())) ? 'due' : state)],
      ...(['amount', 'remaining', 'createdAt', 'expiresAt', 'endedAt', 'id'] as const),
    ],
    none: 'has no such credit in lots.',
  }),
  history: command(creditRows.listCreditHistory, {
    about: 'The newest comes first, and each has its cause and the balances after it.',
    examples: ['--type restricted --limit 1000 --json'],
    list: ({ store, resident, fields }) => listCreditHistory(store.id, resident.uuid, fields.type),
    columns: [
      ...(['sequence', 'at', 'type'] as const),
      ['kind', ({ kind, undone }) => (undone ? `${kind}, undone` : kind)],
      {
        heading: 'L$',
        cell: ({ amount }) => amount,
        signed: true,
        style: ({ amount }) => (amount < 0 ? 'red' : 'green'),
      },
      ['expired', ({ expired }) => -expired || undefined],
      ...(['credit', 'restrictedCredit'] as const),
      ['why', causeOf],
    ],
    none: 'has no such change of credit.',
  }),
};

type Names = (uuid: string | null) => string;

/** Reads the names of the avatars and products in sales. The UUID replaces a missing name. */
const saleNames = async (store: string, sales: readonly saleRows.Sale[]): Promise<Names> => {
  const avatars = sales.flatMap(({ buyerUuid, recipientUuid, shares }) => [
    ...[buyerUuid, recipientUuid].flatMap((uuid) => uuid ?? []),
    ...shares.map(({ residentUuid }) => residentUuid),
  ]);
  const usernames = await readUsernames(store, [...new Set(avatars)]);
  const products = await productNames(store, [...new Set(sales.map(({ productId }) => productId))]);
  return (uuid) => (uuid === null ? 'unknown' : (usernames.get(uuid) ?? products.get(uuid) ?? uuid));
};

const saleColumns = (nameOf: Names): FieldColumn<saleRows.Sale>[] => [
  ...(['id', 'at'] as const),
  ['state', ({ state, refusal }) => (refusal === null ? state : `${state}: ${refusal}`)],
  'total',
  ['credit', ({ credit, restrictedCredit }) => credit + restrictedCredit],
  ...(['paid', 'refund'] as const),
  ['product', ({ productId }) => nameOf(productId)],
  ['buyer', ({ buyerUuid }) => nameOf(buyerUuid)],
  ['for', ({ buyerUuid, recipientUuid }) => (recipientUuid === buyerUuid ? '' : nameOf(recipientUuid))],
];

/** The columns of a single sale, which has more room. */
const columnsOfSale = (nameOf: Names): FieldColumn<saleRows.Sale>[] => [
  ...saleColumns(nameOf),
  [
    'owed',
    ({ shares }) =>
      shares
        .map(({ residentUuid, kind, percent, amount }) => `${nameOf(residentUuid)} ${amount} (${kind} ${percent} %)`)
        .join(', '),
  ],
  [
    'changePaid',
    ({ changePaid }) => (changePaid ? `${changePaid.amount} at ${changePaid.at}, ${changePaid.transactionId}` : ''),
  ],
  ...(['refundedAt', 'deliveryId'] as const),
];

const wholeSale = async (sales: saleRows.Sale[], store: Store) => columnsOfSale(await saleNames(store.id, sales));

const momentText = 'a duration ago (90d), the start of a day in UTC, or a time';

const ofSales = {
  list: command(saleRows.listSales, {
    about: 'The newest comes first.',
    fields: {
      from: { flags: '--from <when>', about: `only sales from then on: ${momentText}`, parse: parseStart },
      to: { flags: '--to <when>', about: `only sales before then: ${momentText}`, parse: parseStart },
    },
    examples: ['--state refused', '--buyer "Ada Lovelace" --limit 1000 --json'],
    list: async ({ store, fields }) =>
      mapped((await salesList(store.id, fields)).source, (sale) => saleOf(sale, false)),
    columnsFor: async (sales, { store }) => saleColumns(await saleNames(store.id, sales)),
    none: 'has no such sale.',
  }),
  show: command(saleRows.getSale, {
    about: 'Shows its price, how it was paid, who has a share, and its delivery.',
    thing: 'sale',
    act: async ({ store, params }) => saleOf(await getSale(store.id, params.id), false),
    columnsFor: (sales, { store }) => wholeSale(sales, store),
  }),
  refund: command(saleRows.refundSale, {
    about:
      'Credit, stock, coupon use, spend and ownership go back at once. You give the L$ back inworld, unless it is to be paid out.',
    thing: 'sale',
    examples: ['--reason "Bought twice" --reference T-17'],
    fields: { payOut: { about: 'let the store owe the L$ to the buyer, as a payout' } },
    act: async ({ store, params: { id }, fields: { payOut, ...why }, log }) => {
      const before = await getSale(store.id, id);
      const together = log('sale.refunded', { sale: id, buyer: before.buyerUuid });
      const sale = await refundSale(store.id, id, byOperator(why), { payOut, together });
      const due = `L$ ${grouped(sale.refund - sale.change)}`;
      if (before.state === 'refunded') note('It was refunded before, so nothing was changed.');
      else if (sale.payOut) note(`The store owes ${due} to the buyer: see store payouts.`);
      else if (sale.refund > sale.change)
        note(`Now give ${due} back to the buyer inworld. The credit that paid is back already.`);
      return sale;
    },
    columnsFor: (sales, { store }) => wholeSale(sales, store),
  }),
};

/** The groups of commands by name. Some groups get further commands elsewhere. */
export const groups = {
  vendors: ['The objects inworld that sell: see where they are, set what they sell, forget them.', ofVendors],
  giftcards: ['Gift cards: show, redeem.', ofCards],
  customer: ['A customer: the products that they own, and delivering one again.', ofCustomers],
  webhooks: ['Webhooks, which send the events of a store to an address: manage them, see what was sent.', ofWebhooks],
  deliveries: ['Deliveries: list, show, retry, dead letters.', ofDeliveries],
  dispenser: ['The boxes that hand out products: list, show, rotate a secret, remove.', ofDispensers],
  credit: ['Store credit: show, lots, history, give, repair, backfill.', ofCredit],
  sales: ['Sales: list, show, refund.', ofSales],
} satisfies Record<string, [about: string, Readonly<Record<string, EndpointCommand>>]>;

/** Adds a group with its commands of this table. */
export const addGroup = (program: StoreCommand, name: keyof typeof groups): StoreCommand => {
  const [about, commands] = groups[name];
  const group = program.command(name).description(about);
  for (const [word, one] of Object.entries<EndpointCommand>(commands)) one.add(group, word);
  return group;
};
