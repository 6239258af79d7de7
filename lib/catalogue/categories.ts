import { millisOf, newId, now } from '../clock.ts';
import { loaded, type Source } from '../lists/source.ts';
import { logSink } from '../log.ts';
import { notFound } from '../problem.ts';
import type { Category } from '../routes/categories.ts';
import { decide, writeAll, writeOne } from '../table/decide.ts';
import { categoryKey, partition } from '../table/keys.ts';
import { check, isNew, missing, present, put, remove, unchanged, update, type Write } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { get, type Precondition, rowsOf, transact, updateExisting, write } from '../table/table.ts';

/** The item under a category's key; without a name, the category was deleted. */
export type CategoryItem = Key & Partial<Category> & { member?: readonly string[] };

const isCategory = (item: CategoryItem): item is Key & Category => item.name !== undefined;

/** The condition that the category was not deleted. */
const isThere = present('name');
export const isNameless = missing('name');

/** Only an import gives an id. It may bring back a deleted category; a late copy of a request may not. */
export const createCategory = async (
  store: string,
  { name }: { name: string },
  { id }: { id?: string } = {},
): Promise<Category> => {
  const category = { id: id ?? newId(), name, productCount: 0 };
  const when = id === undefined ? isNew : isNameless;
  await write(put({ ...categoryKey(store, category.id), ...category }, when), { answer: () => category });
  return category;
};

export const findCategory = async (store: string, id: string): Promise<Category | undefined> => {
  const item = await get<CategoryItem>(categoryKey(store, id));
  return item && isCategory(item) ? item : undefined;
};

/** Throws 404. */
export const getCategory = async (store: string, id: string): Promise<Category> => {
  const category = await findCategory(store, id);
  if (!category) throw notFound();
  return category;
};

/** Rows read beyond a page, so that it can leave deleted categories out without a second call. */
const spare = 10;

export const listCategories = (store: string): Source<Key & Category> => {
  const items = rowsOf<CategoryItem>({ partition: partition(store, 'CATEGORY') });
  return loaded(
    ({ limit = Number.POSITIVE_INFINITY, ...range }) => items({ ...range, limit: limit + spare }),
    ({ sk }) => sk,
    async (some) => some.filter(isCategory),
  );
};

/** Throws 404, and 412. */
export const renameCategory = (
  store: string,
  id: string,
  { name }: { name: string },
  ifMatch?: Precondition,
): Promise<Category> => updateExisting<Category>(categoryKey(store, id), { set: { name }, when: isThere }, { ifMatch });

const hourMillis = 3_600_000;

/** True for an id that this service made less than an hour ago. A copy of the request that made it may still arrive. */
const isYoung = (id: string): boolean => id[14] === '7' && now() < millisOf(id) + hourMillis;

/** The attributes of a category that was deleted young: its item stays for an hour, so no copy creates it again. */
const buried = () => ({
  id: undefined,
  name: undefined,
  productCount: undefined,
  member: undefined,
  [ttlAttribute]: Math.ceil((now() + hourMillis) / 1000),
});

/**
 * Deletes a category and its memberships. After the first write no reader finds the category. Memberships that a
 * failure leaves behind lead nowhere, and an import that uses the id again removes them first. A removal is a
 * transaction because of its token: a retry after a lost answer does not get 404. Throws 404 for an unknown category,
 * and 412.
 */
export const deleteCategory = async (store: string, id: string, ifMatch?: Precondition): Promise<void> => {
  const key = categoryKey(store, id);
  await decide<void>(async () => {
    const found = ifMatch && (await getCategory(store, id));
    if (found) ifMatch(found);
    const asRead = found ? unchanged(found) : isThere;
    const ifRefused = () => {
      if (!found) throw notFound();
      return undefined;
    };
    return isYoung(id)
      ? writeOne(update(key, { set: buried(), when: asRead }), { result: () => undefined, ifRefused })
      : writeAll([remove(key, asRead)], { result: undefined, ifRefused });
  });
  try {
    await freeMembers(store, id);
  } catch (error) {
    logSink.write({ level: 'WARN', unfreed: id, stack: error instanceof Error ? error.stack : String(error) });
  }
};

/** A transaction takes 100 items; one is the category's. */
const together = 99;

/**
 * Removes the memberships of a category that is deleted or not created yet. Stops if an import creates the category in
 * the meantime: its memberships are then valid.
 */
export const freeMembers = async (store: string, id: string): Promise<void> => {
  const members = listMembers(store, id);
  for (;;) {
    const some = await members({ descending: false, limit: together });
    if (some.length === 0) return;
    const removals = some.map((member) => remove(member));
    if (await transact([check(categoryKey(store, id), isNameless), ...removals])) return;
  }
};

/** The memberships of a category, in the order of their keys: see memberships.ts. */
export const listMembers = (store: string, id: string): Source<Key> =>
  rowsOf({ partition: partition(store, 'MEMBER', id) });

/**
 * Changes a category's count of products. `member` names the products that come in and go, each by `+` or `-` and its
 * id, for the journal. Refused if the category is deleted.
 */
export const countBy = (store: string, id: string, step: number, member?: readonly string[]): Write =>
  update(categoryKey(store, id), { add: { productCount: step }, ...(member && { set: { member } }), when: isThere });
