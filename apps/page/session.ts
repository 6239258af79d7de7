import { codeIn } from './code.ts';

/**
 * The page's secrets. They are kept in `sessionStorage` alone: a reload goes on, and the tab forgets them when it
 * closes. A code is kept until it has begun a page, since a phone may throw the tab away between the terminal and
 * *Open*.
 */

type Name = 'page.code' | 'page.token' | 'page.unanswered';

/** Keeps the secrets where the browser has switched its storage off. */
const memory = new Map<Name, string>();

export const kept = (name: Name): string | undefined => {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return memory.get(name);
  }
};

/** Keeps a text; undefined forgets it. */
export const keep = (name: Name, text: string | undefined): void => {
  try {
    if (text === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    if (text === undefined) memory.delete(name);
    else memory.set(name, text);
  }
};

/** Forgets everything that this tab knows of a page. */
export const forgetAll = (): void => {
  for (const name of ['page.code', 'page.token', 'page.unanswered'] as const) keep(name, undefined);
};

/**
 * Takes what follows the path out of the address, and keeps the code in it. Answers false if something was there that
 * has no whole code. Must be called before all else.
 */
export const takeCode = (): boolean => {
  const { hash, search, pathname } = location;
  if (hash === '' && search === '') return true;
  history.replaceState(null, '', pathname);
  const code = codeIn(hash);
  if (code !== undefined) keep('page.code', code);
  return code !== undefined;
};
