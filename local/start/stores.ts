import { parseKey } from '../../lib/keys.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { type Scope, scopes } from '../../lib/routes/scopes.ts';
import { findKey } from '../../lib/store/api-keys.ts';
import { issueKey } from '../../lib/store/issued-keys.ts';
import { findStore, type Store } from '../../lib/store/stores.ts';
import type { ServiceFile } from './state.ts';

/** The two stores of the local service, their keys, and the keys with which the desk opens other stores. */

export const demoStore = { id: 'DemoStore001', name: 'Demo Store' };
export const otherStore = { id: 'OtherStore01', name: 'Other Store' };

export const ensureStore = async ({ id, name }: { id: string; name: string }): Promise<Store> =>
  (await findStore(id)) ?? (await createStore(name, id));

/**
 * Says whether the table has a live key with this text and these scopes. An older key may lack a scope that was added
 * later.
 */
const isKnown = async (text: string | undefined, of: readonly Scope[]): Promise<boolean> => {
  const parsed = parseKey(text ?? '', 'test');
  const key = parsed && (await findKey(parsed.id));
  return key?.status === 'active' && !key.storeGone && of.every((scope) => key.scopes.includes(scope));
};

/** Reuses the keys of an earlier start if the table still has them with their scopes. */
export const ensureKeys = async (
  earlier: ServiceFile | undefined,
): Promise<Pick<ServiceFile, 'keys' | 'otherStore'>> => {
  const keep = async (known: string | undefined, store: string, name: string, of: readonly Scope[]): Promise<string> =>
    known !== undefined && (await isKnown(known, of))
      ? known
      : (await issueKey({ store, name, scopes: of, stage: 'test' })).text;
  const all = await keep(earlier?.keys.all, demoStore.id, 'all scopes', scopes);
  const single = await Promise.all(
    scopes.map(async (scope) => [scope, await keep(earlier?.keys[scope], demoStore.id, scope, [scope])]),
  );
  const key = await keep(earlier?.otherStore.key, otherStore.id, 'all scopes', scopes);
  return { keys: { all, ...Object.fromEntries(single) }, otherStore: { ...otherStore, key } };
};

/**
 * Makes a function that finds a key with all scopes for a store of this machine. If no key works, it issues one and
 * calls `save`. It throws 404 for an unknown store.
 */
export const keysOfDesk = (service: ServiceFile, save: () => void) => {
  const find = async (store: string): Promise<string> => {
    const { store: demo, keys, otherStore: other, deskKeys } = service;
    const known = { [demo.id]: keys.all, [other.id]: other.key, ...deskKeys }[store];
    if (known !== undefined && (await isKnown(known, scopes))) return known;
    const { text } = await issueKey({ store, name: 'desk on this machine', scopes, stage: 'test' });
    service.deskKeys = { ...deskKeys, [store]: text };
    save();
    return text;
  };
  // One after the other, so that two pages at the same time get the same key.
  let last: Promise<unknown> = Promise.resolve();
  return (store: string): Promise<string> => {
    const next = last.then(() => find(store));
    last = next.catch(() => undefined);
    return next;
  };
};
