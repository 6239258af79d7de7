import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Scope } from '../../lib/routes/scopes.ts';
import { StoreProblem, type StoreResponse } from '../client/client.ts';
import type { Client } from './api.ts';

/** The key of the tab, and what the key may do. */

const keyName = 'desk.key';
/** Set while the key of the tab is one that `store desk` made for a link. */
const linkName = 'desk.link';
/** The key or the code of a link that was opened in this tab, until the page is loaded again. */
const openedNames = { key: 'desk.opened', invitation: 'desk.invitation' } as const;

type LinkKind = keyof typeof openedNames;

/**
 * Takes the key or the code of a link out of the address, and replaces it with `address`. The browser has noted the
 * link in its history before any script runs: docs/operate/desk.md says what to do about it.
 */
const takeLink = (address: string): Partial<Record<LinkKind, string>> => {
  const [, kind, text = ''] = /^#(key|invitation)=(.*)$/.exec(location.hash) ?? [];
  if (kind === undefined) return {};
  history.replaceState(null, '', address);
  return { [kind]: text };
};

const takeOpened = (): Partial<Record<LinkKind, string>> => {
  const found: Partial<Record<LinkKind, string>> = {};
  for (const kind of Object.keys(openedNames) as LinkKind[]) {
    const kept = sessionStorage.getItem(openedNames[kind]);
    if (kept !== null) found[kind] = kept;
    sessionStorage.removeItem(openedNames[kind]);
  }
  return { ...found, ...takeLink(location.pathname) };
};

/**
 * If a link is opened in a tab that already shows the desk, no page is loaded. This loads its page again with the link.
 */
const followLinks = (): void =>
  addEventListener('hashchange', ({ oldURL }) => {
    const [taken] = Object.entries(takeLink(oldURL)) as [LinkKind, string][];
    if (taken === undefined) return;
    sessionStorage.setItem(openedNames[taken[0]], taken[1]);
    location.reload();
  });

/** The key that this tab or this device has kept. */
export const keptKey = (): string | undefined =>
  sessionStorage.getItem(keyName) ?? localStorage.getItem(keyName) ?? undefined;

export interface Keys {
  /** The key of a link. */
  opened: string | undefined;
  /** The code of an invitation. */
  invitation: string | undefined;
  kept: string | undefined;
}

/** The keys of a page that is being loaded. Must be called first, so that a link's key leaves the address at once. */
export const keysAtStart = (): Keys => {
  const { key: opened, invitation } = takeOpened();
  followLinks();
  return { opened, invitation, kept: keptKey() };
};

/**
 * Recognises the name that `store desk` gives the key of a link. A link may hold any other key too, which programs may
 * use.
 */
const isMadeForLink = (name: string): boolean => /^desk \d{4}-\d\d-\d\dT/.test(name);

interface KeepOptions {
  /** For all later tabs too. */
  remember?: boolean;
  /** The name of the key, if a link brought it. */
  nameInLink?: string;
}

/** Keeps a key for this tab. A key that this device remembers stays beside the key of a link. */
export const saveKey = (key: string, { remember = false, nameInLink = '' }: KeepOptions = {}): void => {
  if (sessionStorage.getItem(keyName) !== key) sessionStorage.clear();
  sessionStorage.setItem(keyName, key);
  if (isMadeForLink(nameInLink)) sessionStorage.setItem(linkName, 'yes');
  if (remember) localStorage.setItem(keyName, key);
};

/** Replaces a key that has ended by another key of the same store. Everything else in the tab stays. */
export const keepInstead = (key: string): void => {
  sessionStorage.setItem(keyName, key);
  sessionStorage.removeItem(linkName);
  if (localStorage.getItem(keyName) !== null) localStorage.setItem(keyName, key);
};

/** Opens the desk with another key. Loading the page again drops what memory has of the earlier store. */
export const openWithKey = (key: string, hash: string): void => {
  saveKey(key);
  history.replaceState(null, '', `${location.pathname}${hash}`);
  location.reload();
};

/** True if signing out ends the key of the tab. */
export const endsAtSignOut = (): boolean => sessionStorage.getItem(linkName) !== null;

/** Ends the key of the session for ever. Answers false if nobody knows whether it has ended. */
const endKey = async (client: Client): Promise<boolean> => {
  try {
    await client.post('/v1/store/key/actions/end');
    return true;
  } catch (error) {
    // The key or its store had ended before.
    return error instanceof StoreProblem && [401, 404].includes(error.status);
  }
};

/** The key of a link that still works although the person has signed out. The page that is loaded next says so. */
interface SignOutNotice {
  livesOn: string;
}

const leave = (notice: SignOutNotice | null): void => {
  localStorage.removeItem(keyName);
  // If the call that ends a key gets no answer, it leaves its Idempotency-Key behind.
  sessionStorage.clear();
  history.replaceState(notice, '', location.pathname);
  location.reload();
};

/**
 * Leaves nothing behind: loading the page again also drops what is in memory. The key of a link was made only for this
 * person, so it ends.
 */
export const signOut = async (session: Session): Promise<void> => {
  if (endsAtSignOut()) return endTheKey(session);
  leave(null);
};

/** Ends the key for ever, and signs out. */
export const endTheKey = async ({ client, store: { key } }: Session): Promise<void> => {
  localStorage.removeItem(keyName);
  sessionStorage.clear();
  leave((await endKey(client)) ? null : { livesOn: key.name });
};

/** The name of the key that still works after the person has signed out. Answers it once. */
export const takeLivesOn = (): string | undefined => {
  const { livesOn } = (history.state ?? {}) as Partial<SignOutNotice>;
  history.replaceState(null, '');
  return livesOn;
};

/** The things that this tab has shown last, the newest first. */
const lastName = 'desk.last';
const mostLast = 5;

interface LastThing {
  path: string;
  words: string;
}

export const lastThings = (): LastThing[] => JSON.parse(sessionStorage.getItem(lastName) ?? '[]');

export const noteThing = (path: string, words: string): void => {
  const others = lastThings().filter((last) => last.path !== path);
  sessionStorage.setItem(lastName, JSON.stringify([{ path, words }, ...others].slice(0, mostLast)));
};

export interface Session {
  client: Client;
  store: StoreResponse;
  /** True if the key has all of these scopes. The desk hides what the key may not do. */
  can: (...scopes: Scope[]) => boolean;
  /** Reads the store again. */
  refresh: () => Promise<void>;
}

/** The scope that the events and changes of a thing need beside the list's own. */
const scopeOfThing: Partial<Record<string, Scope>> = {
  credit: 'credits:read',
  giftcard: 'giftcards:read',
  sale: 'sales:read',
  delivery: 'deliveries:read',
  dispenser: 'deliveries:read',
  coupon: 'coupons:read',
  customer: 'customers:read',
  product: 'products:read',
  payout: 'payouts:read',
  vendor: 'vendors:read',
  category: 'categories:read',
  key: 'keys:read',
  webhook: 'webhooks:write',
};

/** True if the key may read events of a type, or changes of the journal. */
export const canRead = (
  { can }: Session,
  type: string,
  list: 'events:read' | 'journal:read' = 'events:read',
): boolean => {
  const scope = scopeOfThing[type.split('.')[0] ?? ''];
  return can(list, ...(scope ? [scope] : []));
};

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of a page. A page is shown only to somebody who has signed in. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is signed in.');
  return session;
};
