import { expect, test } from 'vitest';
import { type CreditChangeResponse, type ProductResponse, StoreProblem } from '../../../client/client.ts';
import { planCategories } from '../../import/categories.ts';
import { discountRows } from '../../import/chosen.ts';
import { givenIn, type Holder, planCredit } from '../../import/credit.ts';
import { importColumns as known } from '../../import/known-columns.ts';
import { type PlannedRow, type Written, writeRows } from '../../import/plan.ts';
import { type KnownStore, type ProductRow, planProducts, writeProduct } from '../../import/products.ts';
import { type ImportRow, readRows } from '../../import/rows.ts';
import type { Session } from '../../session.ts';

const rowsOf = (kind: 'products' | 'categories' | 'credit', ...lines: string[]): ImportRow[] => {
  const rows = readRows(kind, known, new TextEncoder().encode(lines.join('\n')));
  if (typeof rows === 'string') throw new Error(rows);
  return rows;
};

const uuid = (last: number): string => `11111111-1111-4111-8111-${String(last).padStart(12, '0')}`;

const product = (id: string, name: string, more: Partial<ProductResponse> = {}) => ({
  id,
  name,
  isListed: true,
  categories: [],
  card: { credit: 0, texture: null },
  product: {
    id,
    name,
    price: 100,
    activePrice: 100,
    image: '00000000-0000-0000-0000-000000000000',
    bloggable: false,
    active: true,
    blockCredits: false,
    item: name,
    limited: false,
    availableAmount: 0,
    permissions: { copy: true, modify: false, transfer: false },
    discount: { value: 0, type: 0 as const, startDate: null, endDate: null },
    description: '',
    demoId: null,
    mpListing: 7,
    profitShares: [],
    ...more,
  },
});

const store = (more: Partial<KnownStore> = {}): KnownStore => ({
  products: [],
  categories: [],
  ids: new Map(),
  categoryIds: new Map(),
  people: new Map(),
  ...more,
});

const told = (rows: readonly PlannedRow[]) =>
  rows.map(({ line, outcome, why }) => [line, outcome, ...(why ? [why] : [])]);

test('a product is known by its UUID, by what the command made of its id, or by its name if one alone has it', () => {
  const rows = rowsOf(
    'products',
    'id,name,price',
    `${uuid(1)},Coat,100`,
    '1042,Scarf,120',
    ',Hat,100',
    ',Glove,100',
    `${uuid(9)},Sock,1`,
    ',New,1',
    ',Hat,5',
  );

  const planned = planProducts(
    rows,
    known.products,
    store({
      products: [
        product(uuid(1), 'Coat'),
        product(uuid(2), 'Shawl'),
        product(uuid(3), 'Hat'),
        product(uuid(4), 'Glove'),
        product(uuid(5), 'Glove'),
      ],
      ids: new Map([
        [uuid(1), uuid(1)],
        [uuid(9), uuid(9)],
        ['1042', uuid(2)],
      ]),
    }),
  );

  expect(told(planned)).toEqual([
    [2, 'same'],
    [3, 'change'],
    [4, 'same'],
    [5, 'refused', expect.stringMatching(/^2 have this name/)],
    [6, 'refused', expect.stringMatching(/^There is nothing with the id/)],
    [7, 'create'],
    [8, 'refused', 'Line 4 is about the same.'],
  ]);
  expect(planned[1]?.changes).toEqual([
    { field: 'name', from: 'Shawl', to: 'Scarf' },
    { field: 'price', from: '100', to: '120' },
  ]);
});

test('columns that the file lacks stay, and an empty cell is the default', () => {
  const own = product(uuid(1), 'Coat', { description: 'Warm', price: 5, item: 'Box' });

  const [row] = planProducts(
    rowsOf('products', 'name,price,item', 'Coat,6,'),
    known.products,
    store({ products: [own] }),
  );

  expect(row?.wanted).toMatchObject({ description: 'Warm', price: 6, item: 'Coat', mpListing: 7 });
  expect(row?.changes.map(({ field }) => field)).toEqual(['price', 'item']);
});

test('a limited product keeps its copies and says so, unless the plan is to set them', () => {
  const own = [
    product(uuid(1), 'Coat', { limited: true, availableAmount: 6 }),
    product(uuid(2), 'Hat', { limited: true, availableAmount: 9 }),
    product(uuid(3), 'Glove'),
  ];
  const lines = ['name,price,limited,availableAmount', 'Coat,120,true,20', 'Hat,100,true,3', 'Glove,100,true,5'];
  const planWith = (setsCopies: boolean) =>
    planProducts(rowsOf('products', ...lines), known.products, store({ products: own }), setsCopies).map(
      ({ outcome, changes, kept }) => [outcome, changes.map(({ field, to }) => `${field} ${to}`).join(), kept],
    );

  expect(planWith(false)).toEqual([
    ['change', 'price 120', 'Copies stay: 6 here, 20 in the file.'],
    ['same', '', 'Copies stay: 9 here, 3 in the file.'],
    ['change', 'limited true,availableAmount 5', undefined],
  ]);
  expect(planWith(true)).toEqual([
    ['change', 'price 120,availableAmount 20', undefined],
    ['change', 'availableAmount 3', undefined],
    ['change', 'limited true,availableAmount 5', undefined],
  ]);
});

test('rows that were chosen change the discount alone, and leave a product that has it already', () => {
  const discount = { value: 20, type: 0 as const, startDate: null, endDate: null };
  const own = [
    product(uuid(1), 'Coat', { limited: true, availableAmount: 3, price: 5 }),
    product(uuid(2), 'Hat', { discount }),
  ];

  const rows = discountRows(known, [uuid(1), uuid(2), uuid(9)], { 'discount.value': '20' }, 0);
  const planned = planProducts(
    rows,
    known.products,
    store({ products: own, ids: new Map([1, 2, 9].map((last) => [uuid(last), uuid(last)])) }),
  );

  expect(told(planned)).toEqual([
    [1, 'change'],
    [2, 'same'],
    [3, 'refused', expect.stringMatching(/^There is nothing with the id/)],
  ]);
  expect(planned[0]?.changes).toEqual([{ field: 'discount.value', from: '0', to: '20' }]);
  expect(planned[0]).toMatchObject({ name: 'Coat', wanted: { limited: true, availableAmount: 3, price: 5 } });
});

test('a demo may be in the store or in another line, before which its product is not written, but in no circle', () => {
  const rows = rowsOf(
    'products',
    'name,price,demoId',
    'A,1,B',
    'B,1,Old',
    'C,1,D',
    'D,1,C',
    'E,1,None',
    'F,1,E',
    'Old,100,',
  );

  const planned = planProducts(rows, known.products, store({ products: [product(uuid(1), 'Old')] }));

  expect(told(planned)).toEqual([
    [2, 'create'],
    [3, 'create'],
    [4, 'refused', 'Its demo leads back to it.'],
    [5, 'refused', 'Its demo leads back to it.'],
    [6, 'refused', expect.stringMatching(/^Its demo None is neither/)],
    [7, 'refused', expect.stringMatching(/^Its demo E is neither/)],
    [8, 'same'],
  ]);
  expect(planned[0]?.after).toBe(3);
  expect(planned[1]?.wanted.demoId).toBe(uuid(1));
});

test('shares and categories are told by names, and only the command sets a listing', () => {
  const rows = rowsOf(
    'products',
    'name,price,profitShares,categories,mpListing',
    'A,1,ada:60,Hats,0',
    'B,1,eve:60,,',
    'C,1,,Twin,0',
    'D,1,,,5',
  );

  const planned = planProducts(
    rows,
    known.products,
    store({
      people: new Map([['ada', uuid(7)]]),
      categories: [
        { id: uuid(20), name: 'Hats' },
        { id: uuid(21), name: 'Twin' },
        { id: uuid(22), name: 'Twin' },
      ],
    }),
  );

  expect(planned[0]?.wanted).toMatchObject({
    profitShares: [{ userUuid: uuid(7), percent: 60 }],
    categories: [uuid(20)],
  });
  expect(planned[0]?.changes).toContainEqual({ field: 'categories', from: '', to: 'Hats' });
  expect(told(planned.slice(1))).toEqual([
    [3, 'refused', 'Nobody is known as eve.'],
    [4, 'refused', expect.stringMatching(/^There is no category Twin, or several/)],
    [5, 'refused', expect.stringMatching(/mpListing/)],
  ]);
});

test('a category is made, renamed or left', () => {
  const rows = rowsOf('categories', 'id,name', `${uuid(1)},Warm hats`, ',Caps', ',Hats', ',Caps');
  const categories = [
    { id: uuid(1), name: 'Hats' },
    { id: uuid(2), name: 'Hats' },
  ];

  expect(told(planCategories(rows, { categories, ids: new Map([[uuid(1), uuid(1)]]) }))).toEqual([
    [2, 'change'],
    [3, 'create'],
    [4, 'refused', expect.stringMatching(/^2 have this name/)],
    [5, 'refused', 'Line 3 is about the same.'],
  ]);
});

const change = (more: Partial<CreditChangeResponse>): CreditChangeResponse =>
  ({
    kind: 'increment',
    type: 'regular',
    amount: 100,
    reference: 'SUMMER',
    lots: [{ id: null, amount: 100, expiresAt: null }],
    ...more,
  }) as CreditChangeResponse;

const until = '2030-01-31T12:00:00.000Z';

test('the history tells what a run gave, by type and end', () => {
  const given = givenIn(
    [
      change({}),
      change({ type: 'restricted', amount: 5, lots: [{ id: uuid(1), amount: 5, expiresAt: until }] }),
      change({ reference: 'OTHER', amount: 7 }),
      change({ kind: 'set', amount: 8 }),
      change({ amount: -9 }),
    ],
    'SUMMER',
  );

  expect(Object.fromEntries(given)).toEqual({ 'regular ': 100, [`restricted ${until}`]: 5 });
});

test('credit is given once to each, and never where the history cannot tell', () => {
  const holder = (last: number, more: Partial<Holder> = {}): Holder => ({
    customer: { uuid: uuid(last), username: `name${last}`, credit: 40, restrictedCredit: 2 },
    given: new Map(),
    isWhole: true,
    ...more,
  });
  const rows = rowsOf(
    'credit',
    'resident,amount,type,expiresAt',
    'one,100,,',
    'two,100,,',
    'three,100,,',
    'four,100,,',
    `one,100,,2030-01-31T12:00:00Z`,
    `${uuid(1)},5,,`,
    'nobody,5,,',
    'one,5,restricted,2020-01-31T12:00:00Z',
    'five,3,restricted,',
  );
  const holders = new Map([
    ['one', holder(1)],
    [uuid(1), holder(1)],
    ['two', holder(2, { given: new Map([['regular ', 100]]) })],
    ['three', holder(3, { given: new Map([['regular ', 90]]) })],
    ['four', holder(4, { isWhole: false })],
    ['five', holder(5)],
  ]);

  const planned = planCredit(rows, holders, Date.parse('2027-01-01T00:00:00Z'));

  expect(told(planned)).toEqual([
    [2, 'create'],
    [3, 'same', 'Given already.'],
    [4, 'refused', expect.stringMatching(/^The run of this name gave L\$\u00a090 already/)],
    [5, 'refused', expect.stringMatching(/history of this customer is not complete/)],
    [6, 'create'],
    [7, 'refused', 'Line 2 is about the same.'],
    [8, 'refused', 'Nobody is known by this name.'],
    [9, 'refused', expect.stringMatching(/Enter a day that is still to come/)],
    [10, 'create'],
  ]);
  expect(planned[8]?.changes).toEqual([{ field: 'restricted', from: 'L$\u00a02', to: 'L$\u00a05' }]);
});

const row = (line: number, after?: number): PlannedRow => ({
  line,
  name: '',
  outcome: 'create',
  changes: [],
  ...(after !== undefined && { after }),
});

const problem = (status: number): StoreProblem =>
  new StoreProblem(status, { detail: 'No.' }, '', { requestId: undefined, idempotencyKey: undefined });

test('a refused row keeps none of the others, and a row waits for the one that it needs', async () => {
  const written: number[] = [];
  const told = new Map<number, Written>();

  await writeRows(
    [row(2, 4), row(3, 2), row(4), row(5), row(6)],
    async ({ line }) => {
      written.push(line);
      if (line === 5) throw problem(400);
      return line === 6 ? 'Changed.' : undefined;
    },
    { tell: ({ line }, how) => told.set(line, how), signal: new AbortController().signal },
  );

  expect(written.indexOf(4)).toBeLessThan(written.indexOf(2));
  expect(written.indexOf(2)).toBeLessThan(written.indexOf(3));
  expect(Object.fromEntries(told)).toEqual({
    2: { isDone: true },
    3: { isDone: true },
    4: { isDone: true },
    5: { isDone: false, why: 'No.' },
    6: { isDone: false, why: 'Changed.' },
  });
});

test.each([429, 500, 503, 401, 403])(
  'a %i stops the import, and leaves the row to be written later',
  async (status) => {
    const told: number[] = [];
    const ending = new AbortController();
    const write = async ({ line }: PlannedRow) => {
      if (line === 3) throw problem(status);
      return undefined;
    };
    const rows = Array.from({ length: 20 }, (_, at) => row(at + 2));

    const work = writeRows(rows, write, { tell: ({ line }) => told.push(line), signal: ending.signal });

    await expect(work).rejects.toThrow();
    expect(told).not.toContain(3);
    expect(told.length).toBeLessThan(4);
  },
);

/** A session with a product that was taken off the lists after it was planned, and the bodies that it gets. */
const unlistedMeanwhile = ({ product: row }: ReturnType<typeof product>) => {
  const bodies: object[] = [];
  async function* rows(_: string, { query }: { query: { listed: boolean } }) {
    if (!query.listed) yield row;
  }
  const put = async (_: string, { body }: { body: object }) => void bodies.push(body);
  return { bodies, session: { client: { get: async () => row, rows, put } } as unknown as Session };
};

test('a product that somebody has taken off the lists since the plan stays off them, or is left where the file lists it', async () => {
  const chair = product(uuid(1), 'Chair');
  const off = { ...product(uuid(2), 'Sofa'), isListed: false };
  const plan = (...lines: string[]) =>
    planProducts(rowsOf('products', ...lines), known.products, store({ products: [chair, off] })) as ProductRow[];
  const [price] = plan('name,price', 'Chair,120');
  const [listing] = plan('name,price,listed', 'Sofa,100,true');
  const [back] = plan('name,price,listed', 'Chair,100,false');
  if (!price || !listing || !back) throw new Error('The plan lacks a row.');
  const { session, bodies } = unlistedMeanwhile(chair);
  const write = (row: ProductRow, by = session) => writeProduct(by, row, known.products, new Map());

  expect(await write(price)).toBeUndefined();
  expect(await write(back)).toContain('changed');
  expect(await write(listing, unlistedMeanwhile(off).session)).toBeUndefined();

  expect(bodies).toMatchObject([{ price: 120, listed: false }]);
});
