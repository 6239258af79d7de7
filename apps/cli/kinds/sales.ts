import * as z from 'zod';
import { now } from '../../../lib/clock.ts';
import { creditTypes } from '../../../lib/credit/rules.ts';
import { findDelivery } from '../../../lib/delivery/deliveries.ts';
import { keepDays } from '../../../lib/delivery/settings.ts';
import { nilUuid } from '../../../lib/identifier.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { type SaleFields, saleImporter } from '../../../lib/operator/imports/sales.ts';
import { shareOf } from '../../../lib/price.ts';
import { discountSources, refusals, saleStates } from '../../../lib/routes/sales.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer, maxLength, objectUuid, text, uuid } from '../../../lib/routes/wire.ts';
import type { Share } from '../../../lib/sale/rules.ts';
import { isOwed, listedAs, listSales, type SaleItem, type TakenCredit } from '../../../lib/sale/sales.ts';
import { orderOf } from '../../../lib/sale/unsent.ts';
import { saleKey } from '../../../lib/table/keys.ts';
import { get } from '../../../lib/table/table.ts';
import { fixed, type ItemForm, readNumber, readParts } from '../../shared/cells.ts';
import { nested } from '../../shared/nested.ts';
import { type Check, forEvery } from './audit.ts';
import { givenChecker } from './audit-given.ts';
import { columns, flag, foreignId, idHelp, optionalId, rowsFrom, timeOfSale, type Values } from './columns.ts';
import type { ImportFile, Kind } from './kind.ts';
import { matching, personal, replaced } from './personal.ts';

const saleState = z.enum(saleStates, { error: 'must be completed, refused or refunded' }).default('completed');
const refusal = z.enum(refusals, { error: `must be one of ${refusals.join(', ')}` }).optional();
const discountSource = z
  .enum(discountSources, { error: `must be one of ${discountSources.join(', ')}` })
  .default('none');
const bonusType = z.enum(creditTypes, { error: 'must be regular or restricted' }).default('restricted');
const percent = z
  .number({ error: 'must be a number from 0 to 100' })
  .min(0, { error: 'must be a number from 0 to 100' })
  .max(100, { error: 'must be a number from 0 to 100' })
  .default(0);
const reference = text({ min: 0, max: maxLength.reference }).optional();

/** A share of a sale as CSV, such as commission ada.lovelace 10 25. */
const shareForm: ItemForm<Share> = {
  read: (item) =>
    readParts(
      item,
      ([kind = '', residentUuid = '', percent = '', amount = '']) => ({
        residentUuid,
        kind,
        percent: readNumber(percent),
        amount: readNumber(amount),
      }),
      4,
    ),
  write: ({ kind, residentUuid, percent, amount }) => `${kind} ${residentUuid} ${fixed(percent)} ${amount}`,
};

const saleShareWords =
  'must be shares as kind, avatar, percent and L$, such as commission ada.lovelace 10 25;share bob 40 100';

/** Checks shares of a sale, from CSV or as the API writes them. */
const saleShares = () =>
  z
    .array(
      z
        .object(
          {
            residentUuid: identifier(),
            kind: z.enum(['commission', 'share'], { error: saleShareWords }),
            percent: z.number({ error: saleShareWords }).min(0).max(100),
            amount: integer(0),
          },
          { error: saleShareWords },
        )
        .transform(({ residentUuid, ...share }) => ({ user: residentUuid, ...share })),
      { error: saleShareWords },
    )
    .default([]);

/** Credit from a lot as CSV, such as 2030-01-31T00:00:00.000Z 30. */
const takenForm: ItemForm<{ expiresAt: string; amount: number }> = {
  read: (item) => readParts(item, ([expiresAt = '', amount = '']) => ({ expiresAt, amount: readNumber(amount) }), 2),
  write: ({ expiresAt, amount }) => `${expiresAt} ${amount}`,
};

const takenWords = 'must be amounts with the end of their lot, such as 2030-01-31T00:00:00.000Z 30';

/** Checks credit that a sale took from lots. */
const taken = () =>
  z
    .array(
      z
        .object({ expiresAt: timestamp(), amount: integer(1) }, { error: takenWords })
        .transform(({ expiresAt, amount }): TakenCredit[number] => [expiresAt, amount]),
      { error: takenWords },
    )
    .default([]);

type Report = (field: string, message: string) => void;

/** A sale has a refusal only if it was refused, and the time of a refund only if it was refunded. */
const checkState = ({ state, refusal, buyer, at, refundedAt, payOut }: SaleFields, report: Report): void => {
  const isRefused = state === 'refused';
  if (isRefused !== (refusal !== undefined))
    report('refusal', isRefused ? 'must say why the sale was refused' : 'must be empty unless the sale was refused');
  if (!isRefused && !buyer) report('buyer', 'must not be empty unless the sale was refused');
  if ((state === 'refunded') !== (refundedAt !== undefined))
    report('refundedAt', 'must be there where the state is refunded, and only there');
  else if (refundedAt !== undefined && refundedAt < at) report('refundedAt', 'must not be before the sale');
  if (payOut && state !== 'refunded') report('payOut', 'must be false or empty unless the sale was refunded');
};

/** The total equals the credit and the L$ paid for it, less the change. */
const checkMoney = (fields: SaleFields, report: Report): void => {
  const { state, base, total, credit, restrictedCredit, paid, refund, change } = fields;
  const isRefused = state === 'refused';
  if (total > base) report('total', 'must be at most the base');
  const due = state === 'completed' ? change : paid;
  if (refund !== due) report('refund', `must be ${due}: ${state === 'completed' ? 'the change' : 'all that was paid'}`);
  if (change > paid || (isRefused && change !== paid))
    report('change', isRefused ? `must be ${paid}: all that was paid` : 'must be at most what was paid');
  if (!isRefused && total !== credit + restrictedCredit + paid - change)
    report('total', 'must be the credit, the restricted credit and what was paid less the change, together');
};

/** Bonus and shares are at most what was paid less the change. Credit from lots is at most the credit. */
const checkParts = (fields: SaleFields, report: Report): void => {
  const { state, paid, change, shares, credit, restrictedCredit, bonus } = fields;
  if (bonus > (state === 'refused' ? 0 : paid - change))
    report('bonus', 'must be at most what was paid less the change');
  const shared = shares.reduce((sum, { amount }) => sum + amount, 0);
  const { transactionId, amount, at } = fields.changePaid ?? {};
  const told = [transactionId, amount, at].filter((value) => value !== undefined).length;
  if (told === 1 || told === 2)
    report('changePaid.transactionId', 'must be there with changePaid.amount and changePaid.at, or all must be empty');
  if ((amount ?? 0) > change) report('changePaid.amount', `must be at most the change, which is ${change}`);
  if (shared > (state === 'refused' ? 0 : paid - change))
    report('shares', 'must be at most what was paid less the change');
  if ((fields.coupon.id === undefined) !== (fields.coupon.couponOwnerUuid === undefined))
    report('coupon.couponOwnerUuid', 'must be there where there is a coupon.id, and only there');
  for (const [type, most] of [
    ['regular', credit],
    ['restricted', restrictedCredit],
  ] as const)
    if (fields.taken[type].reduce((sum, [, amount]) => sum + amount, 0) > most)
      report(`taken.${type}`, 'must be at most the credit that paid');
};

/** A sale adds up as the service's own sales do. */
const checkSaleRow: ImportFile['checkRow'] = (row, report) => {
  const fields = nested(Object.entries(row)) as unknown as SaleFields;
  checkState(fields, report);
  checkMoney(fields, report);
  checkParts(fields, report);
};

const lotPart = ([expiresAt, amount]: TakenCredit[number]) => ({ expiresAt, amount });

/** The sales of a store, in the order of their ids. */
const listSaleRows = (store: string): AsyncGenerator<Values> =>
  rowsFrom(listSales(store), 'sk', ({ sk, productId, buyerUuid, recipientUuid, shares, taken, bonus, ...sale }) => ({
    payOut: false,
    ...sale,
    ...(bonus && { bonus: bonus.amount, bonusType: bonus.type, bonusExpiresAt: bonus.expiresAt }),
    id: sk,
    product: productId,
    buyer: buyerUuid,
    recipient: recipientUuid,
    // The table keeps the members of an object in no order.
    shares: shares.map(({ residentUuid, kind, percent, amount }) => ({ residentUuid, kind, percent, amount })),
    taken: taken && { regular: taken.regular.map(lotPart), restricted: taken.restricted.map(lotPart) },
  }));

/** The sales that an avatar paid for, whose product they received, or in which they have a share. */
export const findSales = (store: string, uuid: string): Promise<SaleItem[]> =>
  matching(listSales(store), ({ buyerUuid, recipientUuid, shares, coupon }) =>
    [buyerUuid, recipientUuid, coupon?.couponOwnerUuid, ...shares.map((share) => share.residentUuid)].includes(uuid),
  );

const sharesFaults = ({ shares, paid, change, state }: SaleItem): string[] => {
  let left = state === 'refused' ? 0 : paid - change;
  const kept = left;
  return shares.flatMap(({ residentUuid, kind, percent, amount }) => {
    const due = Math.min(shareOf(kept, percent), left);
    left -= amount;
    return amount === due ? [] : [`owes ${residentUuid} L$ ${amount} as ${kind}, not L$ ${due}`];
  });
};

/** Checks the rules that need only the sale. Answers a sentence for each broken rule. */
const saleFaults = (store: string, sale: SaleItem): string[] => {
  const { sk, state, refusal, total, credit, restrictedCredit, paid, refund, change, refundedAt, bonus } = sale;
  const faults = sharesFaults(sale);
  if (bonus && (bonus.amount < 1 || bonus.amount > (state === 'refused' ? 0 : paid - change)))
    faults.push(`gives a bonus of L$ ${bonus.amount} for L$ ${paid - change}`);
  if ((state === 'refused') !== (refusal !== null)) faults.push(`is ${state}, with the refusal ${refusal}`);
  if ((state === 'refunded') !== (refundedAt !== undefined)) faults.push(`is ${state}, refunded at ${refundedAt}`);
  if (state !== 'refused' && credit + restrictedCredit + paid - change !== total)
    faults.push(`costs L$ ${total}, but L$ ${credit + restrictedCredit + paid - change} paid for it`);
  const due = state === 'completed' ? change : paid;
  if (refund !== due) faults.push(`gives L$ ${refund} back, not L$ ${due}`);
  for (const [name, place] of Object.entries(listedAs(store, sale)))
    if (sale[name as keyof SaleItem] !== place)
      faults.push(`is listed at ${sale[name as keyof SaleItem]}, not ${place}`);
  return faults.map((fault) => `sale ${sk}: ${fault}.`);
};

/**
 * The sums of each sale are right, and its shares follow from the L$ it kept. It gave its bonus and card. Lists contain
 * it.
 */
export const checkSales: Check = (store, listener) => {
  const checkGiven = givenChecker(store);
  return forEvery(
    everyRow(listSales(store), ({ sk }) => sk),
    listener,
    async ({ sk }) => {
      const sale = await get<SaleItem>(saleKey(store, sk));
      return sale ? [...saleFaults(store, sale), ...(await checkGiven(sale))] : [];
    },
  );
};

/** True if a worker has begun the delivery of a sale. */
const wasTried = async (sale: SaleItem): Promise<boolean> => {
  const { store, id } = orderOf(sale);
  return (await findDelivery(store, id)) !== undefined;
};

export const saleItems = personal<SaleItem>({
  words: ['sale', 'sales'],
  effect: 'pseudonym; where they bought or received, note and references go',
  find: findSales,
  // After an erasure nothing orders the delivery, and a message on the queue still has the avatar's name.
  blocker: async (sale) =>
    isOwed(sale) && Date.parse(sale.at) > now() - keepDays * 86_400_000 && !(await wasTried(sale))
      ? `The delivery of the sale ${sale.sk} has not begun yet. Wait until it has: the next sweeps order it (store sweep).`
      : undefined,
  // An avatar who only has a share wrote none of the sale's texts, so they stay. A refund needs the reference.
  kept: (item, { store, uuid, pseudonym }) => {
    const { message, reference, refundReference, recipientUsername, ...rest } = item;
    const isTheirs = item.buyerUuid === uuid || item.recipientUuid === uuid;
    // The id of the grid's transaction leads to the avatar. But the sale must still say that the change was paid, or
    // somebody would pay it again.
    const changePaid = item.changePaid && { ...item.changePaid, transactionId: nilUuid };
    const left = { ...rest, ...(changePaid && { changePaid }) };
    const sale = replaced(isTheirs ? left : item, uuid, pseudonym) as SaleItem;
    return { ...sale, ...listedAs(store, sale) };
  },
});

export const sales: Kind = {
  file: {
    name: 'sales',
    summary:
      'sales that the service made, refused and refunded ones too; spend, owned products and uses of coupons follow',
    columns: columns({
      id: ['text', foreignId(), idHelp],
      state: ['text', saleState, 'completed, refused or refunded'],
      refusal: ['text', refusal, 'why it was refused, if it was'],
      product: ['text', foreignId(), 'the product, by id or as the file of products names it', 'products'],
      buyer: ['person', identifier().optional(), 'who paid, by UUID or username; empty: nobody had the name'],
      recipient: ['person', identifier().optional(), 'who got the product; empty: the buyer'],
      base: ['integer', integer(0), 'the price before the discount, in whole L$'],
      'discount.source': ['text', discountSource, 'none, coupon, customer, tier or group: whose percentage counted'],
      'discount.percent': ['number', percent, 'the percentage'],
      'discount.couponId': [
        'text',
        foreignId().nullable().default(null),
        'the coupon whose percentage counted',
        'coupons',
      ],
      total: ['integer', integer(0), 'the price after the discount'],
      credit: ['integer', integer(0).default(0), 'the regular store credit that paid'],
      restrictedCredit: ['integer', integer(0).default(0), 'the restricted store credit that paid'],
      paid: ['integer', integer(0), 'the L$ that were paid inworld'],
      refund: ['integer', integer(0).default(0), 'the L$ that the buyer got back in all'],
      change: ['integer', integer(0).default(0), 'the part of it that was due at once'],
      'changePaid.transactionId': ['text', uuid().optional(), 'the transaction inworld that gave the change back'],
      'changePaid.amount': ['integer', integer(1).optional(), 'the L$ that it gave back'],
      'changePaid.at': ['text', timeOfSale('sale').optional(), 'when the service heard of it'],
      shares: [shareForm, saleShares(), 'who is owed what: kind user percent L$;kind user percent L$'],
      'coupon.id': ['text', optionalId, 'the coupon of which it is a use', 'coupons'],
      'coupon.couponOwnerUuid': ['person', identifier().optional(), "that coupon's owner"],
      'coupon.ownerProfit': ['number', percent, "that owner's commission in percent"],
      'coupon.usesPerCustomer': ['integer', integer(0).default(0), 'how often a customer could use it; 0: no limit'],
      'taken.regular': [takenForm, taken(), 'the regular credit that it took from lots: expiry L$;expiry L$'],
      'taken.restricted': [takenForm, taken(), 'the restricted credit that it took from lots'],
      bonus: ['integer', integer(0).default(0), 'the credit that it gave to the buyer'],
      bonusType: ['text', bonusType, 'regular or restricted'],
      bonusExpiresAt: ['text', timestamp().optional(), 'when that credit expires; empty: never'],
      giftCardId: ['text', uuid().optional(), 'the UUID of the gift card that it made'],
      deliveryId: ['text', uuid().nullable().default(null), 'the UUID of its delivery'],
      at: ['text', timeOfSale('sale'), 'when; not in the future'],
      reference: ['text', reference, "the request's own reference"],
      refundedAt: ['text', timeOfSale('sale').optional(), 'when it was refunded, if it was'],
      refundReference: ['text', reference, "the refund's own reference"],
      refundReason: ['text', text({ min: 0, max: maxLength.reason }).optional(), 'why it was refunded'],
      payOut: ['boolean', flag, 'whether its refund was owed to the buyer, to be paid out'],
      request: ['text', text({ min: 0, max: 64 }).default(''), 'tells the request from others under the same id'],
      vendorUuid: ['text', objectUuid().optional(), 'the object inworld that sold it'],
    }),
    checkRow: checkSaleRow,
    id: {},
    onlyAdded: true,
    importer: () => saleImporter,
    rows: listSaleRows,
  },
  personal: [saleItems],
  audit: [
    {
      what: 'sales',
      check: checkSales,
      holds:
        'price = credit + what was paid; shares are those of what was kept; bonus and gift card were given; each is in its lists',
    },
  ],
};
