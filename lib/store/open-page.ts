import { getResident } from '../avatars/customers.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { keyStage, newPageKey } from '../keys.ts';
import { notFound } from '../problem.ts';
import type { OpenedPage } from '../routes/me.ts';
import { isNew, put } from '../table/language.ts';
import { write } from '../table/table.ts';
import { codeMillis, endOf, pageKey, pageListKey, tokenMillis } from './pages.ts';
import { findStore } from './stores.ts';

/**
 * Makes the code of a page for an avatar. It makes nobody a customer. Throws 404 for an unknown resident, and for a
 * store that was deleted since the gateway let the key in.
 */
export const openPage = async (store: string, identifier: Identifier): Promise<OpenedPage> => {
  const [{ uuid, username }, known] = await Promise.all([getResident(store, identifier), findStore(store)]);
  if (!known) throw notFound();
  const { id, hash: codeHash, text } = newPageKey(keyStage());
  const end = now() + codeMillis;
  const codeUntil = timestamp(end);
  await write(put({ ...pageKey(id), id, store, uuid, username, codeHash, codeUntil, ...endOf(end) }, isNew));
  // Nobody knows the code before the list has the page, so an erasure finds every page that somebody may begin.
  const listed = { ...pageListKey(store, uuid, id), ...endOf(end + tokenMillis) };
  const opened: OpenedPage = { code: text, expiresAt: codeUntil };
  await write(put(listed, isNew), { answer: () => opened });
  return opened;
};
