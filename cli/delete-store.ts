import { setTimeout as sleep } from 'node:timers/promises';
import { now, timestamp } from '../lib/clock.ts';
import { type ApiKey, listKeys } from '../lib/store/api-keys.ts';
import { deleteStore, forgetStore, removeRows, type Store } from '../lib/store/stores.ts';
import { ask } from './ask.ts';
import { exportAll } from './data/export-all.ts';
import { explain } from './errors.ts';
import { isLive } from './keys.ts';
import { counted, Failure, isJson, note, print, UsageError } from './output.ts';
import { startProgress } from './progress.ts';
import type { Target } from './target.ts';

export interface DeleteOptions {
  confirm?: string;
  exportTo?: string;
  wait: boolean;
}

const confirmDelete = async ({ name }: Store, target: Target, given: string | undefined): Promise<void> => {
  const fault = (answer: string | undefined): string | undefined =>
    answer === name ? undefined : `That is not the name of the store, which is ${name}. Nothing was deleted.`;
  const question = `This deletes ${name} on ${target.name} with all its data. Type its name to go on`;
  const answer = given ?? (await ask(question, `--confirm "${name}"`, fault));
  const refusal = fault(answer);
  if (refusal) throw new UsageError(refusal);
};

/** Where a store's export goes unless told: a directory named after the store and the day. */
const defaultDir = ({ name, id }: Store): string => {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [id];
  return `./${words.join('-').toLowerCase()}-${timestamp(now()).slice(0, 10)}`;
};

const exportFirst = async ({ id }: Store, dir: string): Promise<void> => {
  try {
    const files = await exportAll(id, dir);
    note(`Exported to ${dir}: ${files.map(({ kind, rows }) => `${kind} ${rows}`).join(', ')}.`);
  } catch (error) {
    throw new Failure(`The export failed, so nothing was deleted. ${explain(error)}`, { cause: error });
  }
};

/** A function runs this long at the most. */
const callMillis = 30_000;

/**
 * The time after which no call with one of these keys can write any more: the gateway keeps its answer about a key for a
 * while, and a call that it let in has to end.
 */
const quietAt = (keys: readonly ApiKey[], { authorizerTtlSeconds }: Target): number => {
  const ends = keys.map((key) => (isLive(key) ? now() : Date.parse(key.revokedAt ?? key.expiresAt ?? key.createdAt)));
  return Math.max(0, ...ends) + authorizerTtlSeconds * 1000 + callMillis;
};

/**
 * Exports a store, then deletes it with all its data. From its first write on no call finds the store; whatever then
 * interrupts the rest, the same command goes on. The residents stay, since other stores share them.
 */
export const deleteWithData = async (store: Store, target: Target, options: DeleteOptions): Promise<void> => {
  await confirmDelete(store, target, options.confirm);
  const dir = options.exportTo ?? defaultDir(store);
  if (store.deletedAt) note(`${store.name} was deleted and exported before: what is left of it is removed now.`);
  else await exportFirst(store, dir);
  const keys = await listKeys(store.id);
  await deleteStore(store.id);
  const quiet = store.deletedAt
    ? Date.parse(store.deletedAt) + target.authorizerTtlSeconds * 1000 + callMillis
    : quietAt(keys, target);
  const remove = async (): Promise<number> => {
    const progress = startProgress('Removing');
    const count = await removeRows(store.id, (count) => progress.update(count));
    progress.end();
    return count;
  };
  let removed = await remove();
  const waitMillis = keys.length > 0 && options.wait ? quiet - now() : 0;
  if (waitMillis > 0) {
    note(
      `Waiting ${counted(Math.ceil(waitMillis / 1000), 'second')} for calls that the gateway still lets in; --no-wait would not.`,
    );
    await sleep(waitMillis);
    removed += await remove();
  }
  await forgetStore(store.id);
  const result = { ...store, removedItems: removed, ...(store.deletedAt ? {} : { exportedTo: dir }) };
  if (isJson()) print(result, []);
  note(`Deleted ${store.name}: ${counted(removed, 'item')}.`);
  note(
    'Kept: the export; the names of residents, which all stores share; and a mark for each key, so that it is answered 404.',
  );
};
