import { issueKey } from '../cli/api-keys.ts';
import { createStore } from '../cli/stores.ts';
import { parseKey } from '../lib/keys.ts';
import { scopes } from '../lib/routes/route.ts';
import { findKey } from '../lib/store/api-keys.ts';
import { findStore, type Store } from '../lib/store/stores.ts';
import type { ServiceFile } from './state.ts';

/** The two stores of the local service, and their keys. */

export const demoStore = { id: 'DemoStore001', name: 'Demo Store' };
export const otherStore = { id: 'OtherStore01', name: 'Other Store' };

export const ensureStore = async ({ id, name }: { id: string; name: string }): Promise<Store> =>
  (await findStore(id)) ?? (await createStore(name, id));

const isKnown = async (text: string | undefined): Promise<boolean> => {
  const parsed = parseKey(text ?? '', 'test');
  const key = parsed && (await findKey(parsed.id));
  return key?.status === 'active' && !key.storeGone;
};

/** Reuses the keys of an earlier start while the table knows them. */
export const ensureKeys = async (
  earlier: ServiceFile | undefined,
): Promise<Pick<ServiceFile, 'keys' | 'otherStore'>> => {
  const issue = async (store: string, name: string, of: readonly (typeof scopes)[number][]): Promise<string> =>
    (await issueKey({ store, name, scopes: of, stage: 'test' })).text;
  const keep = async (known: string | undefined, make: () => Promise<string>): Promise<string> =>
    known !== undefined && (await isKnown(known)) ? known : make();
  const all = await keep(earlier?.keys.all, () => issue(demoStore.id, 'all scopes', scopes));
  const single = await Promise.all(
    scopes.map(async (scope) => [scope, await keep(earlier?.keys[scope], () => issue(demoStore.id, scope, [scope]))]),
  );
  const key = await keep(earlier?.otherStore.key, () => issue(otherStore.id, 'all scopes', scopes));
  return { keys: { all, ...Object.fromEntries(single) }, otherStore: { ...otherStore, key } };
};
