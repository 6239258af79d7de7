import * as categories from './categories.ts';
import * as coupons from './coupons.ts';
import * as credit from './credit.ts';
import * as customers from './customers.ts';
import * as deliveries from './deliveries.ts';
import * as dispenser from './dispenser.ts';
import * as events from './events.ts';
import * as giftCards from './gift-cards.ts';
import * as journal from './journal.ts';
import * as keys from './keys.ts';
import * as me from './me.ts';
import * as names from './names.ts';
import * as payouts from './payouts.ts';
import * as products from './products.ts';
import * as residents from './residents.ts';
import type { Route } from './route.ts';
import * as rules from './rules.ts';
import * as sales from './sales.ts';
import * as store from './store.ts';
import * as vendors from './vendors.ts';
import * as webhooks from './webhooks.ts';

const isRoute = (value: object): value is Route => 'path' in value;

/** Every endpoint of the service. Everything that spans endpoints loops over these rows. */
export const routes: readonly Route[] = [
  coupons,
  customers,
  names,
  credit,
  giftCards,
  products,
  categories,
  deliveries,
  sales,
  payouts,
  vendors,
  dispenser,
  store,
  keys,
  rules,
  events,
  journal,
  webhooks,
  residents,
  me,
].flatMap((resource) => Object.values(resource).filter(isRoute));
