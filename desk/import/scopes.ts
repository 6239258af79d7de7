import type { Scope } from '../session.ts';
import type { ImportKind } from './rows.ts';

/** The scopes that an import asks for. */
export const importScopes: Record<ImportKind, readonly Scope[]> = {
  products: ['products:read', 'products:write', 'categories:read', 'categories:write', 'customers:read'],
  categories: ['categories:read', 'categories:write'],
  credit: ['credits:read', 'credits:write', 'customers:read'],
};
