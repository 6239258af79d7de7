import { expect, test } from 'vitest';
import { parseKey } from '../../../lib/keys.ts';
import { contractScopes, scopes } from '../../../lib/routes/scopes.ts';
import { findKey } from '../../../lib/store/api-keys.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import type { ServiceFile } from '../../../local/start/state.ts';
import { demoStore, ensureKeys, ensureStore, otherStore } from '../../../local/start/stores.ts';
import { freshTable } from '../../support/service.ts';

await freshTable();
await ensureStore(demoStore);
await ensureStore(otherStore);

test('keys of an earlier start are kept, except one from before a scope was added', async () => {
  const first = await ensureKeys(undefined);
  const narrow = await issueKey({ store: demoStore.id, name: 'all scopes', scopes: contractScopes, stage: 'test' });
  const earlier = { ...first, keys: { ...first.keys, all: narrow.text } } as ServiceFile;

  const { keys, otherStore: other } = await ensureKeys(earlier);

  expect(keys.all).not.toBe(narrow.text);
  expect((await findKey(parseKey(keys.all, 'test')?.id ?? ''))?.scopes).toEqual([...scopes]);
  expect({ ...keys, all: '' }).toEqual({ ...first.keys, all: '' });
  expect(other).toEqual(first.otherStore);
});
