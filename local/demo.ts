import { now, timestamp } from '../lib/clock.ts';
import { nilUuid } from '../lib/identifier.ts';
import { DiscountType } from '../lib/price.ts';
import { addMember, createCategory } from '../lib/store/categories.ts';
import { applyCoupon } from '../lib/store/coupon-actions.ts';
import { createCoupon } from '../lib/store/coupons.ts';
import { changeCredit } from '../lib/store/credit.ts';
import { banCustomer, updateCustomer } from '../lib/store/customers.ts';
import { putGiftCard } from '../lib/store/gift-cards.ts';
import { createProduct, type ProductFields } from '../lib/store/products.ts';
import { putResident, type Resident } from '../lib/store/residents.ts';
import { recordPurchase } from '../lib/store/spend.ts';
import type { Store } from '../lib/store/stores.ts';

const firstNames = 'ada bob cleo dara ezra faye gus hana ivo juno kai lena milo nora otis pia quin rhea sol tess'.split(
  ' ',
);
const lastNames = ['lovelace', 'linden', 'moonwall', 'resident'];

/** A made-up UUID that is the same at every start: `kind` and `number` tell what it stands for. */
const demoUuid = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-dede-4ede-8ede-${String(number).padStart(12, '0')}`;

/** Residents whom no store has touched, with names of one and of two parts. */
export const untouchedResidents: readonly Resident[] = firstNames
  .flatMap((first) => lastNames.map((last) => (last === 'resident' ? first : `${first}.${last}`)))
  .map((username, index) => ({ uuid: demoUuid(1, index + 1), username }));

/** Residents who have to do with the demo store; the second was renamed twice. */
const friends = [
  { uuid: demoUuid(2, 1), username: 'vera.vendor' },
  { uuid: demoUuid(2, 2), username: 'nova', formerNames: ['stella', 'stella.star'] },
  { uuid: demoUuid(2, 3), username: 'partner.builder' },
];

/** Writes the residents of the virtual world: the same at every start. */
export const seedResidents = async (): Promise<void> => {
  await Promise.all(untouchedResidents.map((resident) => putResident(resident)));
  await Promise.all(friends.map(({ formerNames, ...resident }) => putResident(resident, formerNames)));
};

const plain: ProductFields = {
  name: '',
  price: 0,
  image: nilUuid,
  listed: true,
  bloggable: false,
  permissions: { copy: true, modify: false, transfer: false },
  discount: { value: 0, type: DiscountType.percent, startDate: null, endDate: null },
  availableAmount: 0,
  limited: false,
  item: '',
  blockCredits: false,
  description: '',
  profitShares: [],
  demoId: null,
  active: true,
};

const day = 86_400_000;
const inDays = (days: number): string => timestamp(now() + days * day);

/** Products of which each shows a rule. */
const special = (): (Partial<ProductFields> & { name: string })[] => [
  { name: '100%_off', price: 500, description: 'Its name shows that % and _ are searched for literally.' },
  { name: 'Nameless wonder', price: 75 },
  { name: 'Summer dress', price: 333, discount: { value: 50, type: 0, startDate: inDays(-7), endDate: inDays(7) } },
  { name: 'Winter coat', price: 900, discount: { value: 250, type: 1, startDate: null, endDate: inDays(30) } },
  { name: 'Gallery frame', price: 1200, discount: { value: 99, type: 2, startDate: inDays(-1), endDate: null } },
  { name: 'Spring hat', price: 150, discount: { value: 20, type: 0, startDate: inDays(30), endDate: inDays(60) } },
  { name: 'Autumn scarf', price: 150, discount: { value: 20, type: 0, startDate: inDays(-60), endDate: inDays(-30) } },
  { name: 'Hidden gem', price: 2000, listed: false, description: 'Active, but not listed.' },
  { name: 'Blogger kit', price: 0, bloggable: true, description: 'For bloggers only.' },
  { name: 'Retired lamp', price: 40, active: false, description: 'No longer sold: not in the list, but found by id.' },
  {
    name: 'Numbered print',
    price: 5000,
    limited: true,
    availableAmount: 12,
    permissions: { copy: false, modify: false, transfer: true },
  },
  {
    name: 'Chaise longue «Été»',
    price: 650,
    item: 'Chaise longue',
    description: 'Capitals and accents: ÉTÉ finds été.',
  },
  {
    name: 'Duet bench',
    price: 800,
    description: 'Made together.\nProfit is shared.',
    profitShares: [
      { userUuid: demoUuid(2, 1), percent: 60 },
      { userUuid: demoUuid(2, 3), percent: 40 },
    ],
  },
  { name: 'Full armchair', price: 450, blockCredits: true, demoId: demoUuid(3, 2) },
];

const colours = ['Red', 'Green', 'Blue', 'White', 'Black'];
const things = [
  'chair',
  'table',
  'lamp',
  'rug',
  'shelf',
  'vase',
  'curtain',
  'mirror',
  'clock',
  'candle',
  'sofa',
  'bed',
];
const styles = ['oak', 'glass', 'velvet', 'steel'];

const catalogue = (): ProductFields[] => {
  const ordinary = styles.flatMap((style) =>
    colours.flatMap((colour) =>
      things.map((thing) => ({ name: `${colour} ${style} ${thing}`, price: 10 + 5 * (thing.length + colour.length) })),
    ),
  );
  return [...special(), ...ordinary].map((product) => ({ ...plain, item: product.name, ...product }));
};

/** Categories by name, with the products in them by a word of their name; one stays empty. */
const categories = [
  { name: 'Seating', words: ['chair', 'sofa', 'bench', 'Chaise'] },
  { name: 'Light', words: ['lamp', 'candle'] },
  { name: 'On sale', words: ['Summer', 'Winter', 'Gallery'] },
  { name: 'Everything red', words: ['Red'] },
  { name: 'Coming soon', words: [] },
];

const seedStore = async (store: Store): Promise<void> => {
  const products = catalogue();
  // Nothing of the demo happens side by side but what is independent: the order of ids is the order of this file.
  await Promise.all(
    products.map((product, index) =>
      createProduct(store.id, product, { id: demoUuid(3, index + 1), mpListing: index < 3 ? 7_000_001 + index : 0 }),
    ),
  );
  for (const [place, { name, words }] of categories.entries()) {
    const category = await createCategory(store.id, { name }, { id: demoUuid(7, place + 1) });
    for (const [index, product] of products.entries())
      if (words.some((word) => product.name.includes(word)))
        await addMember(store.id, category.id, demoUuid(3, index + 1));
  }
};

/** Customers of which each shows a rule: credit with and without lots, spend, a ban, a subscription, a discount. */
const seedCustomers = async ({ id }: Store): Promise<void> => {
  const [vendor, renamed, partner] = friends as [Resident, Resident, Resident];
  const by = 'demo';
  const vendorId = { uuid: vendor.uuid };
  await changeCredit(id, vendorId, 'regular', { kind: 'set', credit: 500 }, by);
  await changeCredit(id, vendorId, 'regular', { kind: 'increment', delta: 200, expiresAt: inDays(1) }, by);
  await changeCredit(id, vendorId, 'regular', { kind: 'increment', delta: 300, expiresAt: inDays(30) }, by);
  await changeCredit(id, vendorId, 'regular', { kind: 'increment', delta: -50 }, by);
  await changeCredit(id, vendorId, 'restricted', { kind: 'set', credit: 1000, expiresAt: inDays(90) }, by);
  await updateCustomer(id, { uuid: renamed.uuid }, { discount: 10, newsSubscriber: true });
  await banCustomer(id, { uuid: partner.uuid }, 'Asked for refunds of gifts.');
  for (const [index, days] of [1, 40, 200, 500].entries())
    await recordPurchase(id, {
      id: `demo-${index + 1}`,
      buyer: renamed,
      productId: demoUuid(3, index + 1),
      price: 100 * (index + 1),
      at: inDays(-days),
    });
  await recordPurchase(id, { id: 'demo-5', buyer: vendor, productId: demoUuid(3, 1), price: 500, at: inDays(-3) });
};

/** Coupons and gift cards of which each shows a rule; one coupon is applied, to the whole store and to one product. */
const seedCoupons = async ({ id }: Store): Promise<void> => {
  const [vendor, renamed, partner] = friends as [Resident, Resident, Resident];
  const fields = { discount: 10, ownerProfit: 5, active: true, bloggersSync: false };
  const make = (number: number, owner: Resident, code: string, other: object = {}, imported: object = {}) =>
    createCoupon(id, owner, { ...fields, code, ...other }, { id: demoUuid(4, number), ...imported });
  const expired = { usesPerCustomer: 1, expiration: inDays(-1), createdAt: inDays(-30) };
  await make(1, vendor, 'WELCOME10', { ownerProfit: 0 });
  await make(2, partner, 'Partner20', { discount: 20, bloggersSync: true }, { createdAt: inDays(-3) });
  await make(3, partner, 'Partner-old', { discount: 15 }, { createdAt: inDays(-20) });
  await make(4, partner, 'Partner-paused', { active: false }, { createdAt: inDays(-1) });
  await make(5, renamed, 'LastYear', {}, expired);
  await make(6, renamed, 'Été', { discount: 12.5 }, { usesPerCustomer: 3, expiration: inDays(60) });

  const customer = { uuid: renamed.uuid };
  await applyCoupon(id, customer, { couponId: demoUuid(4, 1), expiresInHours: 168 });
  await applyCoupon(id, customer, { code: 'partner20', productId: demoUuid(3, 3), expiresInHours: 24 });

  const card = { credit: 500, texture: null, transfer: false, active: true };
  const owner = { uuid: vendor.uuid, username: vendor.username };
  const give = (number: number, other: object = {}, imported: object = {}) =>
    putGiftCard(id, owner, { ...card, ...other }, { id: demoUuid(5, number), ...imported });
  await give(1);
  await give(2, { active: false });
  await give(3, { credit: 0 }, { redeemed: true });
  await give(4, { credit: 1000, texture: demoUuid(6, 1) }, { purchased: true });
  await give(5, { credit: 250, transfer: true });
};

/** Fills the two demo stores. */
export const seedDemo = async (store: Store, other: Store): Promise<void> => {
  await seedStore(store);
  await seedCustomers(store);
  await seedCoupons(store);
  await createProduct(other.id, { ...plain, name: 'Somebody else’s vase', item: 'Vase', price: 1 });
  await createCategory(other.id, { name: 'Of the other store' });
};
