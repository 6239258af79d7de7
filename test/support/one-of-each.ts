/** The kinds of row with ids, by the path segment before the id. */
export const kindOf = {
  coupons: 'coupon',
  products: 'product',
  categories: 'category',
  giftcards: 'giftcard',
} as const;

export type Kind = (typeof kindOf)[keyof typeof kindOf];

/** The id of one row of each kind, and of a second gift card, since one that is redeemed takes no other change. */
export type OneOfEach = Record<Kind | 'redeemable', string>;

/** A client of a service under test. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>;

interface Seed {
  /** A code that no coupon of the store has. It is also the name of the other rows. */
  code: string;
  /** The owner of the coupon. */
  owner: string;
  /** The customer who gets the gift card and the coupon. */
  customer: string;
  /** False makes coupon and product inactive. */
  active?: boolean;
}

/** Makes a row. Throws with the answer if the service refuses it. */
const make = async (call: Call, path: string, body: object): Promise<string> => {
  const answer = await call('POST', path, body);
  if (answer.status > 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id;
};

/**
 * Makes one row of each kind over HTTP, puts the product into the category, gives the customer two lots of credit, and
 * applies the coupon to the whole store and to the product: the customer's list of applied coupons has two rows. The service refuses the latter two where
 * `active` is false. Every suite takes its rows from here, so that a new kind of row is added in one place.
 */
export const seedOneOfEach = async (call: Call, { code, owner, customer, active = true }: Seed): Promise<OneOfEach> => {
  const grant = (): Promise<string> => make(call, `/v1/customers/${customer}/actions/grant-gift-card`, { credit: 5 });
  // Where the clock stands still, the ids of two cards are in no order.
  const [giftcard = '', redeemable = ''] = [await grant(), await grant()].sort();
  const rows = {
    coupon: await make(call, '/v1/coupons', { code, ownerIdentifier: owner, active }),
    product: await make(call, '/v1/products', { name: code, price: 10, active }),
    category: await make(call, '/v1/categories', { name: code }),
    giftcard,
    redeemable,
  };
  // Two lots of credit, so that their list has a second page.
  for (const expiresAt of ['2098-01-01T00:00:00Z', '2099-01-01T00:00:00Z'])
    await call('POST', `/v1/customers/${customer}/actions/increment-credit`, { delta: 5, expiresAt });
  await call('POST', `/v1/categories/${rows.category}/products/${rows.product}`);
  for (const scope of [{ scope: 0 }, { scope: 1, productId: rows.product }])
    await call('POST', `/v1/customers/${customer}/actions/apply-coupon`, { couponId: rows.coupon, ...scope });
  return rows;
};
