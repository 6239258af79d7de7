import { StoreProblem } from '../../client/client.ts';
import { idOfHash, textOfId } from '../../shared/row-id.ts';
import { isUuid } from '../format.ts';
import { wordsAlone } from '../messages.ts';
import { planWords } from '../words/plan.ts';
import type { ImportRow } from './rows.ts';

/** The plan of an import, row by row, and its writing. */

const t = planWords;

/** A value that would change. */
export interface Change {
  field: string;
  from: string;
  to: string;
}

/** Where the rows of a plan come from: a file, or things that were chosen in a list. */
export type RowsFrom = 'file' | 'customers' | 'products';

/** `same`: there is nothing to write. */
export type Outcome = 'create' | 'change' | 'same' | 'refused';

export interface PlannedRow {
  line: number;
  /** The name of the thing. */
  name: string;
  outcome: Outcome;
  changes: readonly Change[];
  /** Why it is refused, or has nothing to write. */
  why?: string;
  /** A value of the file that the import does not take. */
  kept?: string;
  /** The line that must be written before this one. */
  after?: number;
}

export const refusedRow = ({ line }: Pick<ImportRow, 'line'>, name: unknown, why: string): PlannedRow => ({
  line,
  name: String(name ?? ''),
  outcome: 'refused',
  changes: [],
  why,
});

const hashOf = async (text: string): Promise<string> => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/**
 * A UUID that is always the same for a text: the id of a row, as in the command's imports, or the Idempotency-Key of a
 * change.
 */
export const idFrom = async (store: string, kind: string, text: string): Promise<string> =>
  isUuid(text) ? text.toLowerCase() : idOfHash(await hashOf(textOfId(store, kind, text)));

/** The UUIDs of texts, each once. */
export const idsFrom = async (store: string, kind: string, of: readonly string[]): Promise<Map<string, string>> =>
  new Map(await Promise.all([...new Set(of)].map(async (text) => [text, await idFrom(store, kind, text)] as const)));

/** A thing of the store that a row may be about. */
export interface Named {
  id: string;
  name: string;
}

/** Things of a store by id, and by name if only one has the name. */
export const finderOf = <T extends Named>(things: readonly T[]) => {
  const byId = new Map(things.map((thing) => [thing.id, thing]));
  const byName = new Map<string, T[]>();
  for (const thing of things) {
    const others = byName.get(thing.name);
    if (others) others.push(thing);
    else byName.set(thing.name, [thing]);
  }
  return { byId, named: (name: string): readonly T[] => byName.get(name) ?? [] };
};

/**
 * The thing that a row is about: the one with its id, otherwise the one with its name. Undefined for a new thing. `ids`
 * has the UUIDs that the command makes from ids that are not UUIDs.
 */
export const thingOf = <T extends Named>(
  { values }: ImportRow,
  { byId, named }: ReturnType<typeof finderOf<T>>,
  ids: ReadonlyMap<string, string>,
): { thing: T | undefined } | { fault: string } => {
  const id = values.id as string | undefined;
  const known = id === undefined ? undefined : byId.get(ids.get(id) ?? '');
  if (known) return { thing: known };
  if (id !== undefined && isUuid(id)) return { fault: t.faults.unknownId(id) };
  const same = named(values.name as string);
  return same.length > 1 ? { fault: t.faults.sameName(same.length) } : { thing: same[0] };
};

/** Refuses rows about the same thing as an earlier row. `of` names the thing. */
export const refuseTwins = <R extends PlannedRow>(rows: readonly R[], of: (row: R) => string): (R | PlannedRow)[] => {
  const taken = new Map<string, number>();
  return rows.map((row) => {
    if (row.outcome === 'refused') return row;
    const other = taken.get(of(row));
    if (other !== undefined) return refusedRow(row, row.name, t.faults.twin(other));
    taken.set(of(row), row.line);
    return row;
  });
};

/** How a write ended: done, or not done, with a sentence why. */
export type Written = { isDone: true } | { isDone: false; why: string };

/** The statuses with which the service refuses one row although others may be written. */
const refusals = [400, 404, 412, 422];

/**
 * Writes rows, some side by side. Throws if the service gives no answer or is in trouble. Rows that were not reported
 * until then can be written later. A row that needs another one comes after it.
 */
export const writeRows = async <R extends PlannedRow>(
  rows: readonly R[],
  write: (row: R) => Promise<string | undefined>,
  { tell, signal }: { tell: (row: R, written: Written) => void; signal: AbortSignal },
): Promise<void> => {
  const atOnce = 4;
  const open = [...rows].sort((a, b) => Number(a.after !== undefined) - Number(b.after !== undefined));
  const waiting = new Set(open.map(({ line }) => line));
  const writeOne = async (row: R): Promise<void> => {
    try {
      const why = await write(row);
      tell(row, why === undefined ? { isDone: true } : { isDone: false, why });
    } catch (error) {
      if (!(error instanceof StoreProblem) || !refusals.includes(error.status)) throw error;
      const messages = error.errors.length > 0 ? error.errors : [error.detail];
      tell(row, { isDone: false, why: messages.map(wordsAlone).join(' ') });
    }
    waiting.delete(row.line);
  };
  while (open.length > 0 && !signal.aborted) {
    const ready = open.filter(({ after }) => after === undefined || !waiting.has(after)).slice(0, atOnce);
    for (const row of ready) open.splice(open.indexOf(row), 1);
    await Promise.all(ready.map(writeOne));
  }
};

/** Reads something for each, some side by side, and reports how many are done. */
export const readEach = async <T, R>(
  all: readonly T[],
  read: (one: T) => Promise<R>,
  onDone: (done: number) => void,
): Promise<R[]> => {
  const atOnce = 4;
  const found: R[] = [];
  for (let at = 0; at < all.length; at += atOnce) {
    found.push(...(await Promise.all(all.slice(at, at + atOnce).map(read))));
    onDone(found.length);
  }
  return found;
};
