import type { Action } from '../action.ts';
import { categoryActions } from './categories.ts';
import { couponActions } from './coupons.ts';
import { creditActions } from './credit.ts';
import { customerActions } from './customers.ts';
import { walkActions } from './lists.ts';
import { productActions } from './products.ts';
import { otherActions } from './reads.ts';
import { saleActions } from './sales.ts';

/** Every action, for the machines that play all of them. */
export const allActions: readonly Action[] = [
  ...creditActions,
  ...customerActions,
  ...productActions,
  ...categoryActions,
  ...couponActions,
  ...saleActions,
  ...walkActions,
  ...otherActions,
];
