import { beforeEach, expect, test } from 'vitest';
import { updateProductCard } from '../../../../lib/catalogue/product-cards.ts';
import { auditHistory } from '../../../../lib/operator/audit-history.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { updateRules } from '../../../../lib/store/rules.ts';
import { update } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { removeMany, write } from '../../../../lib/table/table.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { startTestQueue } from '../../../../test/support/deliveries.ts';
import { freshStore } from '../../../../test/support/files.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { historyRows, type SeededChange } from '../../../../test/support/history-rows.ts';
import { ada } from '../../../../test/support/residents.ts';
import { setClock, wholeTable } from '../../../../test/support/service.ts';
import { auditGiven } from '../../kinds/audit-given.ts';
import { checkSales } from '../../kinds/sales.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
let store: string;
let [sale, ofCard] = ['', ''];

/** Ada buys a lamp, which gives her L$ 10 of credit, and a gift card, whose sale is refunded if `isRefunded`. */
const sellBoth = async (isRefunded: boolean): Promise<void> => {
  setClock(start);
  await startTestQueue();
  store = await freshStore();
  await keepHistory();
  const bonus = { percent: 10, groupPercent: 0, type: 'regular' as const, expiresInDays: null };
  await updateRules(store, { groupDiscount: 0, tiers: [], bonus });
  const [lamp, card] = [await newProduct(store), await newProduct(store)];
  await updateProductCard(store, card, { credit: 50, texture: null });
  sale = (await buy(store, { productId: lamp, buyer: ada.uuid, paid: 100 })).id;
  ofCard = (await buy(store, { productId: card, buyer: ada.uuid, paid: 100 })).id;
  if (isRefunded) await refundSale(store, ofCard, { by: 'test' });
  await catchUp();
  // History has had its time.
  setClock(start + 60_000);
};

const rows = async (part: string): Promise<Key[]> =>
  ((await wholeTable(`${store}#`)) as unknown as Key[]).filter(({ pk }) => pk.includes(part));

/** The faults that the command finds, once the same are found among the raw items. */
const faultsOf = async (): Promise<string[]> => {
  const faults: string[] = [];
  await checkSales(store, { onFault: (fault) => faults.push(fault), onChecked: () => undefined });
  expect(auditGiven(await rows('#'))).toEqual(faults);
  return faults;
};

const setCard = (set: object) => async () => {
  const [card] = await rows('#GIFTCARD');
  await write(update(card as Key, { set: { ...set } }));
};

beforeEach(() => sellBoth(false));

test.each([false, true])(
  'nothing is wrong with sales that gave a bonus and a card, refunded: %s',
  async (isRefunded) => {
    if (isRefunded) await sellBoth(true);

    expect(await faultsOf()).toEqual([]);
  },
);

test.each<[string, boolean, () => Promise<unknown>, () => RegExp]>([
  [
    'no row of its bonus',
    false,
    async () => removeMany(await rows('#HISTORY#')),
    () => new RegExp(`${sale}: gave a bonus of L\\$ 10, but history has 0`),
  ],
  [
    'no gift card',
    false,
    async () => removeMany(await rows('#GIFTCARD')),
    () => new RegExp(`${ofCard}: the gift card .* is not there`),
  ],
  [
    'a card that is disabled',
    false,
    setCard({ refundedAt: 'then' }),
    () => new RegExp(`${ofCard}: is completed, but its gift card`),
  ],
  [
    'a card that can be redeemed after its refund',
    true,
    setCard({ active: true }),
    () => new RegExp(`${ofCard}: is refunded, but its gift card`),
  ],
  [
    'a card that was redeemed and refunded',
    true,
    setCard({ redeemed: true }),
    () => new RegExp(`${ofCard}: is refunded, but its gift card`),
  ],
])('finds a sale with %s', async (_, isRefunded, damage, fault) => {
  if (isRefunded) await sellBoth(true);
  await damage();

  expect(await faultsOf()).toEqual([expect.stringMatching(fault())]);
});

test.each<[string, number[], number]>([
  ['given once and taken back in part', [10, -4], 0],
  ['of a sale that an import brought taken back', [30, -4], 0],
  ['given twice', [10, 10], 1],
  ['taken back twice', [10, -4, -4], 1],
  ['taken back beyond what was given', [10, -11], 1],
])('history of a bonus that was %s has so many faults', (kind, amounts, count) => {
  const first: SeededChange[] = [{ amount: 100 }];
  const isImported = kind.includes('import');
  const bonus = amounts.map((amount): SeededChange => ({ kind: 'bonus', saleId: 's', amount }));
  if (isImported) delete bonus[0]?.saleId;
  const changes = historyRows('S', ada.uuid, [...first, ...bonus]);
  const { sk = '0', credit = 0 } = changes.at(-1) ?? {};
  const customer = {
    pk: 'S#CUSTOMER',
    sk: ada.uuid,
    username: 'ada',
    credit,
    creditUnlotted: credit,
    creditVersion: Number(sk),
  };

  const faults = auditHistory(customer as never, changes, []);

  expect(faults.filter((fault) => fault.includes('the sale s gave'))).toHaveLength(count);
});
