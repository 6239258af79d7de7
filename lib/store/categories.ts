import { newId } from '../clock.ts';
import type { Source } from '../lists/source.ts';
import { logSink } from '../log.ts';
import { notFound } from '../problem.ts';
import type { Category } from '../routes/categories.ts';
import { check, exists, isNew, put, remove, unchanged, update, type Write } from '../table/language.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, type Precondition, rowsOf, transact, updateExisting, write } from '../table/table.ts';

export const categoryKey = (store: string, id: string): Key => ({ pk: partition(store, 'CATEGORY'), sk: id });

export const createCategory = async (
  store: string,
  { name }: { name: string },
  { id = newId() }: { id?: string } = {},
): Promise<Category> => {
  const category = { id, name, productCount: 0 };
  await write(put({ ...categoryKey(store, id), ...category }, isNew), { answer: () => category });
  return category;
};

export const findCategory = (store: string, id: string): Promise<Category | undefined> =>
  get<Category>(categoryKey(store, id));

/** Throws 404. */
export const getCategory = async (store: string, id: string): Promise<Category> => {
  const category = await findCategory(store, id);
  if (!category) throw notFound();
  return category;
};

export const listCategories = (store: string): Source<Category> => rowsOf({ partition: partition(store, 'CATEGORY') });

/** Throws 404, and 412. */
export const renameCategory = (
  store: string,
  id: string,
  { name }: { name: string },
  ifMatch?: Precondition,
): Promise<Category> => updateExisting<Category>(categoryKey(store, id), { set: { name } }, { ifMatch });

/**
 * Deletes a category and its memberships. After the first write no reader finds the category. Memberships that a failure
 * leaves behind lead nowhere, and an import that uses the id again removes them first. The first write is a transaction
 * because of its token: a retry after a lost answer does not get 404. Throws 404 for an unknown category, and 412.
 */
export const deleteCategory = async (store: string, id: string, ifMatch?: Precondition): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const found = ifMatch && (await getCategory(store, id));
    if (found) ifMatch(found);
    const refusals = await transact([remove(categoryKey(store, id), found ? unchanged(found) : exists)]);
    if (!refusals) break;
    if (!found) throw notFound();
    await pauseOvertaken(attempt);
  }
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
    if (await transact([check(categoryKey(store, id), isNew), ...removals])) return;
  }
};

/** The memberships of a category, in the order of their keys: see memberships.ts. */
export const listMembers = (store: string, id: string): Source<Key> =>
  rowsOf({ partition: partition(store, 'MEMBER', id) });

/** Changes a category's count of products. Refused if the category is deleted. */
export const countBy = (store: string, id: string, step: number): Write =>
  update(categoryKey(store, id), { add: { productCount: step }, when: exists });
