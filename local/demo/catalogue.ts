import { nilUuid } from '../../lib/identifier.ts';
import { DiscountType } from '../../lib/price.ts';
import type { ProductFields } from '../../lib/routes/products.ts';
import { createCategory, findCategory } from '../../lib/store/categories.ts';
import { addMember } from '../../lib/store/memberships.ts';
import { createProduct } from '../../lib/store/products.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoUuid, inDays } from './residents.ts';

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

const transferOnly = { copy: false, modify: false, transfer: true };

/** Products that each show a rule. */
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
  { name: 'Numbered print', price: 5000, limited: true, availableAmount: 12, permissions: transferOnly },
  { name: 'Chaise longue «Été»', price: 650, item: 'Chaise longue', description: 'ÉTÉ finds été.' },
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
const things = 'chair table lamp rug shelf vase curtain mirror clock candle sofa bed'.split(' ');
const styles = ['oak', 'glass', 'velvet', 'steel'];

const catalogue = (): ProductFields[] => {
  const ordinary = styles.flatMap((style) =>
    colours.flatMap((colour) =>
      things.map((thing) => ({ name: `${colour} ${style} ${thing}`, price: 10 + 5 * (thing.length + colour.length) })),
    ),
  );
  return [...special(), ...ordinary].map((product) => ({ ...plain, item: product.name, ...product }));
};

/** Categories, each with words: a product belongs if its name has one of them. The last category stays empty. */
const categories = [
  { name: 'Seating', words: ['chair', 'sofa', 'bench', 'Chaise'] },
  { name: 'Light', words: ['lamp', 'candle'] },
  { name: 'On sale', words: ['Summer', 'Winter', 'Gallery'] },
  { name: 'Everything red', words: ['Red'] },
  { name: 'Coming soon', words: [] },
];

/** Leaves an existing category alone: creating it again would lose its product count. */
const ensureCategory = async (store: string, id: string, name: string): Promise<void> => {
  if (!(await findCategory(store, id))) await createCategory(store, { name }, { id });
};

/** Writes the demo store's categories and products: some that each show a rule, and many ordinary ones. */
export const seedCatalogue = async ({ id: store }: Store): Promise<void> => {
  const products = catalogue();
  // Only independent writes run at the same time, so that the order of ids is the order of this file.
  await Promise.all(
    products.map((product, index) =>
      createProduct(store, product, { id: demoUuid(3, index + 1), mpListing: index < 3 ? 7_000_001 + index : 0 }),
    ),
  );
  for (const [place, { name, words }] of categories.entries()) {
    const id = demoUuid(7, place + 1);
    await ensureCategory(store, id, name);
    for (const [index, product] of products.entries())
      if (words.some((word) => product.name.includes(word))) await addMember(store, id, demoUuid(3, index + 1));
  }
};

/** Gives the other store rows that the demo store's keys must not reach. */
export const seedOther = async ({ id: store }: Store): Promise<void> => {
  const vase = { ...plain, name: 'Somebody else’s vase', item: 'Vase', price: 1 };
  await createProduct(store, vase, { id: demoUuid(8, 1) });
  await ensureCategory(store, demoUuid(9, 1), 'Of the other store');
};
