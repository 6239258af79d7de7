import type { Session } from '../session.ts';
import { planWords } from '../words/plan.ts';
import { finderOf, idsFrom, type Named, type PlannedRow, refusedRow, refuseTwins, thingOf } from './plan.ts';
import type { ImportRow } from './rows.ts';

const t = planWords;

export interface CategoryRow extends PlannedRow {
  /** The existing category. */
  id?: string;
}

/** The store's categories, and the UUIDs that the file's ids stand for. */
export interface KnownCategories {
  categories: readonly Named[];
  ids: ReadonlyMap<string, string>;
}

export const readCategories = async ({ client }: Session): Promise<Named[]> => {
  const read: Named[] = [];
  for await (const { id, name } of client.rows('/v1/categories', { query: { limit: 1000 } })) read.push({ id, name });
  return read;
};

export const readKnownCategories = async (session: Session, rows: readonly ImportRow[]): Promise<KnownCategories> => ({
  categories: await readCategories(session),
  ids: await idsFrom(
    session.store.id,
    'categories',
    rows.flatMap(({ values: { id } }) => (typeof id === 'string' ? [id] : [])),
  ),
});

/** Says what each row would do. */
export const planCategories = (
  rows: readonly ImportRow[],
  { categories, ids }: KnownCategories,
): (CategoryRow | PlannedRow)[] => {
  const finder = finderOf(categories);
  const planned = rows.map((row): CategoryRow => {
    const { line, values, faults } = row;
    const name = values.name as string;
    if (faults.length > 0) return refusedRow(row, name, faults.join(' '));
    const found = thingOf(row, finder, ids);
    if ('fault' in found) return refusedRow(row, name, found.fault);
    const { thing } = found;
    if (!thing) return { line, name, outcome: 'create', changes: [] };
    const changes = thing.name === name ? [] : [{ field: 'name', from: thing.name, to: name }];
    return { line, name, id: thing.id, outcome: changes.length > 0 ? 'change' : 'same', changes };
  });
  return refuseTwins(planned, ({ id, name }) => id ?? `name ${name}`);
};

/** Makes or renames a category, unless somebody has changed it since the plan. */
export const writeCategory = async (
  { client }: Session,
  { id, name, changes }: CategoryRow,
): Promise<string | undefined> => {
  if (id === undefined) {
    await client.post('/v1/categories', { body: { name } });
    return undefined;
  }
  const path = { id };
  const fresh = await client.get('/v1/categories/{id}', { path });
  if (fresh.name !== changes[0]?.from) return fresh.name === name ? undefined : t.faults.changed;
  await client.put('/v1/categories/{id}', { path, body: { name } });
  return undefined;
};
