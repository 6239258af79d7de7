import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { askToLeave } from './unsaved.ts';

/** The part of the address behind `#`: a path and a query, such as `#/sales?state=refunded`. */
export interface Address {
  path: string;
  query: Record<string, string>;
}

const parse = (hash: string): Address => {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  return { path: path || '/', query: Object.fromEntries(new URLSearchParams(query)) };
};

/** The link to a page. Parts of `path` that are data must be encoded. Empty members of the query are left out. */
export const link = (path: string, query: Record<string, string | undefined> = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given);
  return `#${path}${search.size > 0 ? `?${search}` : ''}`;
};

export const go = (to: string): void => {
  location.hash = to;
};

/** The path at this moment. `useAddress` gives the path after `go` only after the event. */
export const currentPath = (): string => parse(location.hash).path;

/** The address of the shown page. It equals the browser's, except while somebody is asked about leaving. */
let shown: string | undefined;
const followers = new Set<(hash: string) => void>();

/** The place of the shown page in the browser's history. Each entry of the history keeps its own place. */
let place = 0;

const placeOfEntry = (): number | undefined => (history.state as { place?: number } | null)?.place;

const show = (hash: string): void => {
  shown = hash;
  place = placeOfEntry() ?? place + 1;
  history.replaceState({ place }, '');
  for (const follower of followers) follower(hash);
};

/** Changes the address of the shown page, in the same place of the history. */
export const goInstead = (to: string): void => {
  history.replaceState(history.state, '', to);
  show(location.hash);
};

// This is first called when the key of a link has left the address.
const shownHash = (): string => {
  if (shown === undefined) show(location.hash);
  return shown ?? '';
};

addEventListener('hashchange', () => {
  const wanted = location.hash;
  // The key of a link belongs to the session, which loads the page again.
  if (wanted === shown || /^#(?:key|invitation)=/.test(wanted)) return;
  const isNew = placeOfEntry() === undefined;
  const steps = isNew ? 1 : (placeOfEntry() ?? 0) - place;
  const isAsked = askToLeave(() => {
    if (location.hash === wanted) show(wanted);
    else if (isNew) go(wanted);
    else history.go(steps);
  });
  // The answer comes later, so the browser goes back to the page that stays visible.
  if (isAsked) history.go(-steps);
});

export const useAddress = (): Address => {
  const [hash, setHash] = useState(shownHash);
  useEffect(() => {
    setHash(shownHash());
    followers.add(setHash);
    return () => {
      followers.delete(setHash);
    };
  }, []);
  return parse(hash);
};

/** A form of a page, which a link with `do` opens too. Closed, it leaves the address. */
export const useForm = (name: 'give' | 'sell' | 'close') => {
  const { path, query } = useAddress();
  const isAsked = query.do === name;
  const [isOpen, setOpen] = useState(isAsked);
  useLayoutEffect(() => {
    if (isAsked) setOpen(true);
  }, [isAsked]);
  const close = () => {
    setOpen(false);
    if (isAsked) goInstead(link(path, { ...query, do: undefined }));
  };
  return { isOpen, open: () => setOpen(true), close };
};

/** The parameters with which a path fits a pattern such as `/customers/:name`. Undefined if it does not fit. */
export const match = (pattern: string, path: string): Record<string, string> | undefined => {
  const [ours, theirs] = [pattern.split('/'), path.split('/')];
  if (ours.length !== theirs.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of ours.entries()) {
    const given = theirs[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== given) return undefined;
      continue;
    }
    try {
      parameters[part.slice(1)] = decodeURIComponent(given);
    } catch {
      return undefined;
    }
  }
  return parameters;
};

/**
 * A name as a part of the API's path. An empty name would make another path. About a blank one the service says what is
 * wrong.
 */
export const pathSegment = (name: string): string => name || ' ';
