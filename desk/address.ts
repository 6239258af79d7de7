import { useEffect, useState } from 'preact/hooks';

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

export const go = (to: string, { replace = false } = {}): void => {
  if (replace) location.replace(to);
  else location.hash = to;
};

/** The path at this moment. `useAddress` gives one of `go` only after the event. */
export const currentPath = (): string => parse(location.hash).path;

export const useAddress = (): Address => {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return parse(hash);
};

/** The parameters with which a pattern such as `/customers/:name` takes a path. Undefined where it does not. */
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
 * A name as a part of the API's path. An empty one would make another path; of a blank one the service says what is
 * wrong.
 */
export const pathOf = (name: string): string => name || ' ';
