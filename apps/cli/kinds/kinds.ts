import { appliedCoupons } from './applied-coupons.ts';
import type { AuditCheck } from './audit.ts';
import { categories } from './categories.ts';
import { couponUses } from './coupon-uses.ts';
import { coupons } from './coupons.ts';
import { credit } from './credit.ts';
import { customerNames } from './customer-names.ts';
import { customers } from './customers.ts';
import { days } from './days.ts';
import { deliveries } from './deliveries.ts';
import { dispensers } from './dispensers.ts';
import { events } from './events.ts';
import { giftCards } from './gift-cards.ts';
import { giving } from './giving.ts';
import { history } from './history.ts';
import { journalOfStore } from './journal-rows.ts';
import { keys } from './keys.ts';
import type { DataFile, ImportFile, Kind } from './kind.ts';
import { log } from './log.ts';
import { memberships } from './memberships.ts';
import { ownedProducts } from './owned-products.ts';
import { pages } from './pages.ts';
import { payees } from './payees.ts';
import { payouts } from './payouts.ts';
import type { PersonalItems } from './personal.ts';
import { products } from './products.ts';
import { purchases } from './purchases.ts';
import { residents } from './residents.ts';
import { rules } from './rules.ts';
import { sales } from './sales.ts';
import { spend } from './spend.ts';
import { vendors } from './vendors.ts';
import { webhooks } from './webhooks.ts';

/**
 * All kinds of data in a store. A kind with a file comes after the kinds that its rows refer to, so that an import
 * finds them.
 */
const kinds: readonly Kind[] = [
  // An erasure needs the things of an avatar to find the rows of the journal about them, so these rows go first.
  events,
  rules,
  residents,
  categories,
  memberships,
  products,
  customers,
  customerNames,
  credit,
  coupons,
  appliedCoupons,
  giftCards,
  purchases,
  sales,
  payouts,
  payees,
  vendors,
  dispensers,
  webhooks,
  keys,
  journalOfStore,
  pages,
  history,
  days,
  spend,
  ownedProducts,
  couponUses,
  giving,
  deliveries,
  log,
];

const isImported = (file: DataFile): file is ImportFile => 'importer' in file;

/** All files of an export. */
export const exportFiles: readonly DataFile[] = kinds.flatMap(({ file }) => file ?? []);

/** The files that an import reads, in the order in which they can be imported. */
export const importFiles: readonly ImportFile[] = exportFiles.filter(isImported);

export const personalItems: readonly PersonalItems[] = kinds.flatMap(({ personal = [] }) => personal);

/** The checks that come first in the report: money, and then the things on sale. All others follow. */
const checkedFirst = [
  'customers',
  'histories',
  'days',
  'buyers',
  'sales',
  'payees',
  'uses of coupons',
  'products',
  'coupons',
  'codes',
  'categories',
  'memberships',
  'gift cards',
];
const turnOf = ({ what }: AuditCheck): number => {
  const turn = checkedFirst.indexOf(what);
  return turn < 0 ? checkedFirst.length : turn;
};

/** The checks of an audit, in this order. */
export const auditChecks: readonly AuditCheck[] = kinds
  .flatMap(({ audit = [] }) => audit)
  .sort((a, b) => turnOf(a) - turnOf(b));
