import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createCategory, deleteCategory, listMembers } from '../../lib/catalogue/categories.ts';
import { addMember, memberOf, removeMember } from '../../lib/catalogue/memberships.ts';
import { createProduct, getProduct, listProducts, updateProduct } from '../../lib/catalogue/products.ts';
import { source } from '../../lib/clock.ts';
import { isolateAsDynamoDB } from '../../test/support/isolation.ts';
import { productWith } from '../../test/support/rows.ts';
import { freshTable } from '../../test/support/service.ts';
import { trials } from '../../test/support/volume.ts';
import { auditStore } from '../workload/checks/books.ts';

/**
 * Lists of a category, with every filter, while its products change: one change after another against a model, and
 * changes at the same time against what the table holds in the end. `MEMBERSHIP_MODEL_RUNS` asks for more,
 * `MEMBERSHIP_MODEL_SEED` replays some.
 */
const numRuns = Number(process.env.MEMBERSHIP_MODEL_RUNS ?? trials(5, 60));
const seed = Number(process.env.MEMBERSHIP_MODEL_SEED ?? Date.now() % 2 ** 31);
const parameters = { seed, numRuns };

beforeAll(async () => {
  await freshTable();
  // Without jitter, retries do not wait.
  source.random = () => 0;
});

const productCount = 3;
const categoryCount = 4;

const product = fc.nat(productCount - 1);
const category = fc.nat(categoryCount - 1);
const kindOf = <const K extends string>(kind: K) => ({ kind: fc.constant(kind) });
const flags = fc.record({
  active: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  listed: fc.boolean(),
  bloggable: fc.boolean(),
});
type Flags = typeof flags extends fc.Arbitrary<infer T> ? T : never;
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...kindOf('add'), product, category }) },
  { weight: 2, arbitrary: fc.record({ ...kindOf('remove'), product, category }) },
  { weight: 3, arbitrary: fc.record({ ...kindOf('put'), product, flags }) },
  { weight: 1, arbitrary: fc.record({ ...kindOf('renew'), category }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const maybe = [undefined, false, true];
const filters = maybe.flatMap((listed) => maybe.map((bloggable) => ({ listed, bloggable })));

/** The products that a category's list shows, by filter. */
const shown = async (store: string, id: string): Promise<string[][]> =>
  Promise.all(
    filters.map(async (filter) => {
      const rows = await listProducts(store, { ...filter, category: id })({ descending: false });
      return rows.map((row) => row.id);
    }),
  );

const expectedOf = (members: Iterable<string>, flagsOf: ReadonlyMap<string, Flags>): string[][] =>
  filters.map(({ listed, bloggable }) =>
    [...members]
      .filter((id) => {
        const flags = flagsOf.get(id);
        return (
          flags?.active &&
          flags.listed === (listed ?? flags.listed) &&
          flags.bloggable === (bloggable ?? flags.bloggable)
        );
      })
      .sort(),
  );

/** A store for one run, with products and categories without any membership. */
const newStore = async () => {
  const store = randomUUID();
  const products = await Array.fromAsync({ length: productCount }, async () => createProduct(store, productWith()));
  const categories = await Array.fromAsync({ length: categoryCount }, async () => createCategory(store, { name: 'C' }));
  return { store, products: products.map(({ id }) => id), categories: categories.map(({ id }) => id) };
};

type Store = Awaited<ReturnType<typeof newStore>>;

/** Makes a change. `renew` deletes a category, and another replaces it. */
const make = async ({ store, products, categories }: Store, one: Change): Promise<void> => {
  if (one.kind === 'renew') {
    const gone = categories[one.category] as string;
    categories[one.category] = (await createCategory(store, { name: 'C' })).id;
    return deleteCategory(store, gone);
  }
  const id = products[one.product] as string;
  if (one.kind === 'put') return void (await updateProduct(store, id, productWith(one.flags)));
  const into = categories[one.category] as string;
  return one.kind === 'add' ? addMember(store, into, id) : removeMember(store, into, id);
};

test('after any changes, one after another, each filter of a category finds its products', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 25 }), async (changes) => {
      const one = await newStore();
      const flagsOf = new Map<string, Flags>(one.products.map((id) => [id, productWith()]));
      const members = one.categories.map(() => new Set<string>());

      for (const next of changes) {
        await make(one, next);
        if (next.kind === 'renew') members[next.category] = new Set();
        else {
          const id = one.products[next.product] as string;
          if (next.kind === 'put') flagsOf.set(id, next.flags);
          else if (next.kind === 'add') members[next.category]?.add(id);
          else members[next.category]?.delete(id);
        }
      }

      for (const [index, id] of one.categories.entries())
        expect(await shown(one.store, id)).toEqual(expectedOf(members[index] ?? [], flagsOf));
      expect(await auditStore(one.store)).toEqual([]);
    }),
    parameters,
  );
}, 300_000);

const rounds = fc.array(fc.array(change, { minLength: 4, maxLength: 10 }), { minLength: 1, maxLength: 3 });

/** Makes the changes of each round at once. */
const changeAtOnce = async (one: Store, changes: Change[][], mayFail: readonly number[]): Promise<void> => {
  for (const together of changes) {
    const outcomes = await Promise.allSettled(together.map((next) => make(one, next)));
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failed.filter(({ status }) => !mayFail.includes(status))).toEqual([]);
  }
};

const expectAgreement = async ({ store, products, categories }: Store): Promise<void> => {
  const flagsOf = new Map<string, Flags>();
  for (const id of products) flagsOf.set(id, await getProduct(store, id));
  for (const id of categories) {
    const rows = await listMembers(store, id)({ descending: false });
    expect(await shown(store, id)).toEqual(expectedOf(rows.map(memberOf), flagsOf));
  }
  expect(await auditStore(store)).toEqual([]);
};

test.each([
  ['after any changes at once, filters, counts and audit agree with the memberships that are there', false],
  ['they agree even if readers see the items of a transaction one by one, as DynamoDB documents', true],
])(
  '%s',
  async (_, isIsolated) => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.nat(), async (changes, isolationSeed) => {
        const one = await newStore();

        const stop = isIsolated ? isolateAsDynamoDB(isolationSeed) : () => undefined;
        // A category may be deleted before a product comes into it. With isolated writers and no pauses, one writer may
        // lose against all others. It has then changed nothing.
        await changeAtOnce(one, changes, isIsolated ? [404, 503] : [404]).finally(stop);

        await expectAgreement(one);
      }),
      parameters,
    );
  },
  300_000,
);
