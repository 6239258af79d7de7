import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../clock.ts';
import type { Source } from '../lists/page.ts';
import { logSink } from '../log.ts';
import { notFound } from '../problem.ts';
import { putNew, transactOnce } from '../table/idempotency.ts';
import { type Key, rowsOf } from '../table/query.ts';
import { refusedToNotFound, transact } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';

/** A category. `productCount` counts its memberships, those of inactive products included. */
export interface Category {
  id: string;
  name: string;
  productCount: number;
}

export const categoryKey = (store: string, id: string): Key => ({ pk: partition(store, 'CATEGORY'), sk: id });
export const memberKey = (store: string, id: string, productId: string) => ({
  pk: partition(store, 'MEMBER', id),
  sk: productId,
});

export const createCategory = async (
  store: string,
  { name }: { name: string },
  { id = newId() }: { id?: string } = {},
): Promise<Category> => {
  const category = { id, name, productCount: 0 };
  await putNew({ ...categoryKey(store, category.id), ...category }, category);
  return category;
};

export const findCategory = async (store: string, id: string): Promise<Category | undefined> => {
  return findItem<Category>(categoryKey(store, id));
};

/** Throws 404. */
export const getCategory = async (store: string, id: string): Promise<Category> => {
  const category = await findCategory(store, id);
  if (!category) throw notFound();
  return category;
};

export const listCategories = (store: string): Source<Category> => rowsOf({ partition: partition(store, 'CATEGORY') });

/** Throws 404. */
export const renameCategory = async (store: string, id: string, { name }: { name: string }): Promise<Category> => {
  const { Attributes } = await refusedToNotFound(() =>
    db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: categoryKey(store, id),
        UpdateExpression: 'SET #name = :name',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':name': name },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
  return Attributes as Category;
};

/**
 * Deletes a category and frees its memberships, however many. The first write alone makes it gone for every reader:
 * memberships left behind by a call that dies or fails after it lead nowhere, and an import that uses the id again frees
 * them first. It is a transaction for its token: sent again after a lost answer, it does not find itself and say 404. Throws 404.
 */
export const deleteCategory = async (store: string, id: string): Promise<void> => {
  const refusals = await transact([
    {
      Delete: {
        TableName: tableName(),
        Key: categoryKey(store, id),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
  ]);
  if (refusals) throw notFound();
  try {
    await freeMembers(store, id);
  } catch (error) {
    logSink.write({ level: 'WARN', unfreed: id, stack: error instanceof Error ? error.stack : String(error) });
  }
};

/** A transaction takes 100 items; one is the category's. */
const together = 99;

/**
 * Removes the memberships of a category that is gone, or not there yet. It stops where an import has made the category
 * meanwhile: what is in it then is its own.
 */
export const freeMembers = async (store: string, id: string): Promise<void> => {
  const isGone = {
    ConditionCheck: {
      TableName: tableName(),
      Key: categoryKey(store, id),
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
  const members = listMembers(store, id);
  for (;;) {
    const some = await members({ descending: false, limit: together });
    if (some.length === 0) return;
    const deletions = some.map(({ pk, sk }) => ({ Delete: { TableName: tableName(), Key: { pk, sk } } }));
    if (await transact([isGone, ...deletions])) return;
    if (some.length < together) return;
  }
};

/** The memberships of a category, in the order of the products' ids (`sk`). */
export const listMembers = (store: string, id: string): Source<{ pk: string; sk: string }> =>
  rowsOf({ partition: partition(store, 'MEMBER', id) });

/** The change of a category's count of products, refused where the category is gone. */
export const countBy = (store: string, id: string, step: number) => ({
  Update: {
    TableName: tableName(),
    Key: categoryKey(store, id),
    UpdateExpression: 'ADD productCount :step',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':step': step },
  },
});

/**
 * Adds a product to a category; the count moves in the same transaction, and only if the product was not in it.
 * Throws 404 for an unknown category or product.
 */
export const addMember = async (store: string, id: string, productId: string): Promise<void> => {
  const refusals = await transactOnce(
    [
      countBy(store, id, 1),
      {
        ConditionCheck: {
          TableName: tableName(),
          Key: { pk: partition(store, 'PRODUCT'), sk: productId },
          ConditionExpression: 'attribute_exists(pk)',
        },
      },
      {
        Put: {
          TableName: tableName(),
          Item: memberKey(store, id, productId),
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
    ],
    undefined,
  );
  if (refusals?.[0]?.refused || refusals?.[1]?.refused) throw notFound();
};

/**
 * Removes a product from a category; the count moves in the same transaction, and only if the product was in it.
 * Throws 404 for an unknown category; `whenNotIn` decides about a product that is not in it.
 */
export const removeMember = async (
  store: string,
  id: string,
  productId: string,
  whenNotIn: () => Promise<unknown>,
): Promise<void> => {
  const refusals = await transact([
    countBy(store, id, -1),
    {
      Delete: {
        TableName: tableName(),
        Key: memberKey(store, id, productId),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
  ]);
  if (refusals?.[0]?.refused) throw notFound();
  if (refusals) await whenNotIn();
};
