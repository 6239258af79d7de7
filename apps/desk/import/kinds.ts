import type { Scope } from '../../../lib/routes/scopes.ts';

/** The files that can be imported, as in `store import` and `store credit give`. */
export const importKinds = ['products', 'categories', 'credit'] as const;
export type ImportKind = (typeof importKinds)[number];

/** A file with more rows must be imported with the command. */
export const maxRows = 2000;

/** The scopes that an import asks for. */
export const importScopes: Record<ImportKind, readonly Scope[]> = {
  products: ['products:read', 'products:write', 'categories:read', 'categories:write', 'customers:read'],
  categories: ['categories:read', 'categories:write'],
  credit: ['credits:read', 'credits:write', 'customers:read'],
};
