import { createCategory, findCategory } from '../../lib/catalogue/categories.ts';
import { createProduct, productItem } from '../../lib/catalogue/products.ts';
import { nilUuid } from '../../lib/identifier.ts';
import { setMembers } from '../../lib/operator/memberships.ts';
import { DiscountType } from '../../lib/price.ts';
import type { ProductFields } from '../../lib/routes/products.ts';
import type { Store } from '../../lib/store/stores.ts';
import { isNew, put } from '../../lib/table/language.ts';
import { transact } from '../../lib/table/table.ts';
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

/** Products that show rules. */
const special = (): (Partial<ProductFields> & { name: string })[] => [
  // A search must take % and _ literally.
  { name: 'Willow cottage, 100%_mesh', price: 500, description: 'Two rooms and a porch, 64 land impact.' },
  { name: 'Fireflies in a jar', price: 75, description: 'They glow from dusk to dawn. Touch the jar to let them out.' },
  {
    name: 'Linen summer dress',
    price: 333,
    description: 'Fits six bodies, with eight colours in the HUD.',
    discount: { value: 50, type: 0, startDate: inDays(-7), endDate: inDays(7) },
  },
  {
    name: 'Wool winter coat',
    price: 900,
    description: 'With and without the hood.',
    discount: { value: 250, type: 1, startDate: null, endDate: inDays(30) },
  },
  {
    name: 'Gallery frames, set of five',
    price: 1200,
    description: 'Drop your own textures in.',
    discount: { value: 750, type: 2, startDate: inDays(-1), endDate: null },
  },
  { name: 'Straw hat', price: 150, discount: { value: 20, type: 0, startDate: inDays(30), endDate: inDays(60) } },
  {
    name: 'Cable-knit scarf',
    price: 150,
    discount: { value: 20, type: 0, startDate: inDays(-60), endDate: inDays(-30) },
  },
  {
    name: 'Skybox, built to order',
    price: 2000,
    listed: false,
    description: 'By appointment, so the shop does not list it.',
  },
  { name: 'Blogger pack, spring collection', price: 0, bloggable: true, description: 'For our bloggers.' },
  { name: 'Paper lamp, first edition', price: 40, active: false, description: 'No longer sold.' },
  {
    name: 'Numbered print: Harbour at dawn',
    price: 5000,
    description: 'Fifty were made, each with its number.',
    limited: true,
    availableAmount: 12,
    permissions: transferOnly,
  },
  {
    name: 'Chaise longue «Été»',
    price: 650,
    item: 'Chaise longue',
    description: 'Linen in six shades, with twelve poses.',
  },
  {
    name: 'Duet bench',
    price: 800,
    description: 'Seats two, with eight poses.\nTwo builders made it, and share the profit.',
    profitShares: [
      { userUuid: demoUuid(2, 1), percent: 60 },
      { userUuid: demoUuid(2, 3), percent: 40 },
    ],
  },
  {
    name: 'Wingback armchair',
    price: 450,
    description: 'Velvet, 3 land impact. Try the demo first.',
    blockCredits: true,
    demoId: demoUuid(3, 255),
  },
];

const lines = { Fjord: 0, Harbour: 10, Meadow: 20, Atelier: 80 };
const finishes = ['oak', 'walnut', 'white', 'sage', 'black'];
/** The price in the simplest line, and the land impact. */
const pieces = {
  chair: [120, 2],
  table: [190, 3],
  lamp: [75, 1],
  rug: [60, 1],
  shelf: [140, 3],
  vase: [35, 1],
  curtain: [55, 2],
  mirror: [90, 1],
  clock: [65, 1],
  candle: [25, 1],
  sofa: [320, 5],
  bed: [450, 7],
};

const collections = () =>
  Object.entries(lines).flatMap(([line, more]) =>
    finishes.flatMap((finish) =>
      Object.entries(pieces).map(([piece, [price = 0, impact]]) => ({
        name: `${line} ${piece}, ${finish}`,
        price: price + more,
        description: `Original mesh, ${impact} land impact.`,
      })),
    ),
  );

const demo = { name: 'Wingback, demo', price: 0, description: 'Gone after ten minutes.' };

const catalogue = (): ProductFields[] =>
  [...special(), ...collections(), demo].map((product) => ({ ...plain, item: product.name, ...product }));

const productId = (index: number): string => demoUuid(3, index + 1);

const byName = new Map(catalogue().map(({ name, price }, index) => [name, { id: productId(index), price }]));

/** The id and the full price in L$ of a product. */
export const demoProduct = (name: string): { id: string; price: number } => {
  const product = byName.get(name);
  if (!product) throw new Error(`The demo has no product with the name ${name}.`);
  return product;
};

/** A product belongs to a category if its name contains one of the category's words. The last category stays empty. */
const categories = [
  { name: 'Seating', words: ['chair', 'sofa', 'bench', 'Chaise'] },
  { name: 'Light', words: ['lamp', 'candle'] },
  { name: 'On sale', words: ['summer', 'winter', 'Gallery'] },
  { name: 'Fjord collection', words: ['Fjord'] },
  { name: 'Coming soon', words: [] },
];

/** Leaves an existing category alone, since creating it again would lose its product count. */
const ensureCategory = async (store: string, id: string, name: string): Promise<void> => {
  if (!(await findCategory(store, id))) await createCategory(store, { name }, { id });
};

const atOnce = 100;

/** Writes the demo store's categories and products. Some products show a rule, and many are ordinary. */
export const seedCatalogue = async ({ id: store }: Store): Promise<void> => {
  const products = catalogue();
  const items = products.map((product, index) => {
    const imported = { id: productId(index), mpListing: index < 3 ? 7_000_001 + index : 0 };
    return put(productItem(store, product, imported), isNew);
  });
  // Existing products stay as they are. An interrupted run has written all products of a transaction or none.
  for (let start = 0; start < items.length; start += atOnce) await transact(items.slice(start, start + atOnce));
  for (const [place, { name, words }] of categories.entries()) {
    const id = demoUuid(7, place + 1);
    await ensureCategory(store, id, name);
    const has = (product: ProductFields): boolean => words.some((word) => product.name.includes(word));
    const members = products.flatMap((product, index) => (has(product) ? [productId(index)] : []));
    await setMembers(
      store,
      id,
      members.map((productId) => ({ productId, wanted: true })),
    );
  }
};

/** Gives the other store rows that the demo store's keys must not reach. */
export const seedOther = async ({ id: store }: Store): Promise<void> => {
  const lamp = { ...plain, name: 'Tide lamp', item: 'Tide lamp', price: 95 };
  await createProduct(store, lamp, { id: demoUuid(8, 1) });
  await ensureCategory(store, demoUuid(9, 1), 'By the sea');
};
