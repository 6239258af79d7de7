import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../lib/clock.ts';
import { explain, Failure } from '../terminal/errors.ts';
import { type Finding, ok } from './finding.ts';

/** Steps that use a deployment as integrators do. They run in a store that was made for them. */

export interface Trial {
  baseUrl: string;
  /** The address at which a webhook can reach the same API. */
  publicUrl: string;
  /** A key with all scopes, and another with `products:read` alone. */
  keys: { all: string; reader: string };
  /** The UUID of an avatar whose name the store knows. */
  avatar: string;
  /** How long history, events, deliveries and webhooks may take to show a change. */
  patienceMillis: number;
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a step looks at the members that it needs.
  body: any;
  headers: Headers;
}

type Call = (method: string, path: string, status: number, body?: object, headers?: object) => Promise<Answer>;

/** The ids that earlier steps made, for later ones. */
type Made = Partial<Record<'product' | 'sale' | 'delivery', string>>;

interface Step {
  check: string;
  needs?: keyof Made;
  /** Throws a failure that says what differs. Returns what it saw. */
  run: (trial: Trial, call: Call, made: Made) => Promise<string>;
  /** The advice if the step fails and no status says more. */
  fix: string;
}

const callMillis = 40_000;

/** The advice for a status that no step expects. */
const adviceFor = (status: number, request: string | null): string => {
  if (status === 403) return 'The firewall, the authorizer or a scope refused it: see the authorizer’s log.';
  if (status === 429)
    return 'The limits of the store or of its key are too low: see docs/operate/deploy.md, "Settings".';
  if (status === 503 || status === 504)
    return 'The table or a function is throttled: see the alarms, and "quota" and "table" above.';
  if (status >= 500)
    return `Read what its function logged${request ? ` of ${request}` : ''} (docs/operate/operator.md, "The requests"). A role may lack a right.`;
  return 'This version of the API answers otherwise: deploy again (docs/operate/deploy.md, "Update").';
};

/** A failed expectation, with advice. */
class Difference extends Failure {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}

const expectThat = (isTrue: boolean, message: string): void => {
  if (!isTrue) throw new Difference(message);
};

const caller =
  ({ baseUrl }: Trial, key: string | undefined): Call =>
  async (method, path, status, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key !== undefined && { 'X-API-Key': key }),
        ...(method === 'POST' && { 'Idempotency-Key': newId() }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(callMillis),
    });
    const text = await response.text();
    const request = response.headers.get('x-request-id');
    if (response.status !== status) {
      const told = `${method} ${path.split('?')[0]} answers ${response.status} instead of ${status}`;
      throw new Difference(request ? `${told} (request ${request})` : told, adviceFor(response.status, request));
    }
    return { status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  };

/** Calls `look` about every second until it finds something. Throws after `patienceMillis`. */
const waitFor = async <T>({ patienceMillis }: Trial, what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const end = performance.now() + patienceMillis;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end)
      throw new Difference(`${what} did not come within ${Math.round(patienceMillis / 1000)} seconds`);
    await sleep(Math.min(1000, patienceMillis / 10));
  }
};

const price = 100;
const givenCredit = 60;
const cardCredit = 25;

const checkKeys: Step['run'] = async (trial, call) => {
  const { body } = await call('GET', '/v1/store', 200);
  await caller(trial, undefined)('GET', '/v1/store', 401);
  await caller(trial, trial.keys.reader)('POST', '/v1/categories', 403, { name: 'Refused' });
  return `${body.key.scopes.length} scopes; without a key 401, without the scope 403`;
};

const checkCatalogue: Step['run'] = async (_, call, made) => {
  const fields = { name: 'Verification', price, limited: true, availableAmount: 1, item: 'Verification' };
  const { body: product, headers } = await call('POST', '/v1/products', 201, fields);
  made.product = product.id;
  const path = `/v1/products/${product.id}`;
  await call('PUT', path, 412, fields, { 'If-Match': '"0123456789abcdefghijkl"' });
  await call('PUT', path, 200, fields, { 'If-Match': headers.get('etag') ?? '' });
  const { body: category } = await call('POST', '/v1/categories', 201, { name: 'Verification' });
  await call('POST', `/v1/categories/${category.id}/products/${product.id}`, 204);
  const { body: listed } = await call('GET', `/v1/products?category=${category.id}`, 200);
  expectThat(listed.data.length === 1, 'the category does not list its product');
  await call('GET', `/v1/products/${newId()}`, 404);
  return 'product and category made, changed and listed';
};

const checkCoupon: Step['run'] = async ({ avatar }, call, made) => {
  const { body: coupon } = await call('POST', '/v1/coupons', 201, {
    code: 'Verification',
    discount: 10,
    ownerIdentifier: avatar,
  });
  const use = { couponId: coupon.id, scope: 1, productId: made.product };
  await call('POST', `/v1/customers/${avatar}/actions/apply-coupon`, 200, use);
  const { body: quote } = await call('POST', '/v1/quotes', 200, { productId: made.product, buyerIdentifier: avatar });
  expectThat(quote.total === 90, `a coupon of 10 % makes ${quote.total} of ${price}`);
  await call('POST', `/v1/customers/${avatar}/actions/revoke-coupon`, 200, use);
  return 'made, applied, quoted and revoked';
};

const checkCredit: Step['run'] = async ({ avatar }, call) => {
  const { body } = await call('POST', `/v1/customers/${avatar}/actions/increment-credit`, 200, { delta: givenCredit });
  expectThat(body.credit === givenCredit, `the credit is ${body.credit} instead of ${givenCredit}`);
  return `L$ ${givenCredit} given`;
};

const checkSale: Step['run'] = async ({ avatar }, call, made) => {
  const asked = { productId: made.product, buyerIdentifier: avatar, useCredit: true };
  const { body: quote } = await call('POST', '/v1/quotes', 200, asked);
  const order = { ...asked, id: newId(), paid: quote.toPay, quote: quote.quote };
  const { body: sale } = await call('POST', '/v1/sales', 201, order);
  expectThat(sale.state === 'completed', `the sale is ${sale.state} (${sale.refusal})`);
  expectThat(sale.credit === givenCredit, `the sale takes ${sale.credit} of credit instead of ${givenCredit}`);
  Object.assign(made, { sale: sale.id, delivery: sale.deliveryId });
  const { body: again } = await call('POST', '/v1/sales', 201, order);
  expectThat(again.deliveryId === sale.deliveryId, 'the same request made a second sale');
  const { body: other } = await call('POST', '/v1/sales', 201, { ...asked, id: newId(), paid: price });
  expectThat(other.refusal === 'sold-out', `a second sale of the last copy is ${other.state}`);
  return 'quoted, sold once for its id, and sold out';
};

const checkDelivery: Step['run'] = async (trial, call, made) => {
  const state = await waitFor(trial, 'the delivery', async () => {
    const { body } = await call('GET', '/v1/deliveries', 200);
    const row = body.data.find(({ id }: { id: string }) => id === made.delivery);
    return row && row.state !== 'queued' ? (row.state as string) : undefined;
  });
  return state === 'waiting' ? 'taken up by the worker; it waits for a box, as it should' : `taken up: ${state}`;
};

const checkRefund: Step['run'] = async ({ avatar }, call, made) => {
  const { body } = await call('POST', `/v1/sales/${made.sale}/actions/refund`, 200);
  expectThat(body.state === 'refunded', `the sale is ${body.state} after its refund`);
  const { body: credit } = await call('GET', `/v1/customers/${avatar}/credit`, 200);
  expectThat(credit.credit === givenCredit, `the refund leaves ${credit.credit} of credit instead of ${givenCredit}`);
  const { body: product } = await call('GET', `/v1/products/${made.product}`, 200);
  expectThat(product.availableAmount === 1, 'the refund did not bring the copy back');
  return 'credit and copy came back';
};

const checkCard: Step['run'] = async ({ avatar }, call) => {
  const { body: card } = await call('POST', `/v1/customers/${avatar}/actions/grant-gift-card`, 200, {
    credit: cardCredit,
  });
  const { body } = await call('POST', `/v1/giftcards/${card.id}/actions/redeem`, 200, { identifier: avatar });
  expectThat(
    body.credit.credit === givenCredit + cardCredit,
    `the redeemed card makes the credit ${body.credit.credit}`,
  );
  await call('POST', `/v1/giftcards/${card.id}/actions/redeem`, 400, { identifier: avatar });
  return 'granted, redeemed once';
};

const checkHistory: Step['run'] = async (trial, call) => {
  const rows = await waitFor(trial, 'the history of credit', async () => {
    const { body } = await call('GET', `/v1/customers/${trial.avatar}/credit/history`, 200);
    return body.data[0]?.credit === givenCredit + cardCredit ? body.data : undefined;
  });
  const kinds = rows.map(({ kind }: { kind: string }) => kind).toReversed();
  expectThat(kinds.join() === 'increment,sale,refund,redeem', `history has ${kinds.join(', ')}`);
  return `${kinds.length} changes, in order`;
};

const checkEvents: Step['run'] = async (trial, call) => {
  const wanted = ['credit.changed', 'sale.completed', 'sale.refused', 'sale.refunded', 'giftcard.redeemed'];
  await waitFor(trial, 'an event', async () => {
    const { body } = await call('GET', '/v1/events?limit=100', 200);
    const types = new Set(body.data.map(({ type }: { type: string }) => type));
    return wanted.every((type) => types.has(type)) || undefined;
  });
  const { body } = await call('GET', '/v1/store/days', 200);
  const [day] = body.data;
  expectThat(day?.sales === 1 && day.refunds === 1, 'the day does not count one sale and one refund');
  return `${wanted.length} types of events, and the sums of the day`;
};

const checkWebhook: Step['run'] = async (trial, call) => {
  const { body: webhook } = await call('POST', '/v1/webhooks', 201, {
    // The API refuses this call, since it has no key. But its answer shows that the worker reaches the outside.
    url: `${trial.publicUrl}/v1/store`,
    events: ['sale.completed'],
  });
  await call('POST', `/v1/webhooks/${webhook.id}/actions/test`, 202);
  const status = await waitFor(trial, 'the call of the webhook', async () => {
    const { body } = await call('GET', `/v1/webhooks/${webhook.id}/deliveries`, 200);
    const [sending] = body.data;
    if (sending?.lastError && sending.status === null)
      throw new Difference(`the webhook reached nobody: ${sending.lastError}`);
    return sending?.status as number | undefined;
  });
  await call('DELETE', `/v1/webhooks/${webhook.id}`, 204);
  return `the worker reached the API from outside, which answered ${status}`;
};

const streamFix = 'Nothing reads the table’s stream: see "stream" above, the alarms and the log of stream-consumer.';
const workerFix = 'The queue or the worker stands still: see "queue" above, and the log of delivery-worker.';
const deployFix = 'Deploy again (docs/operate/deploy.md, "Update"), and report it with this table if it stays.';

const steps: readonly Step[] = [
  { check: 'keys', run: checkKeys, fix: deployFix },
  { check: 'catalogue', run: checkCatalogue, fix: deployFix },
  { check: 'coupons', needs: 'product', run: checkCoupon, fix: deployFix },
  { check: 'credit', run: checkCredit, fix: deployFix },
  { check: 'sale', needs: 'product', run: checkSale, fix: deployFix },
  { check: 'delivery', needs: 'delivery', run: checkDelivery, fix: workerFix },
  { check: 'refund', needs: 'sale', run: checkRefund, fix: deployFix },
  { check: 'gift cards', run: checkCard, fix: deployFix },
  { check: 'history', needs: 'sale', run: checkHistory, fix: streamFix },
  { check: 'events and days', needs: 'sale', run: checkEvents, fix: streamFix },
  { check: 'webhooks', run: checkWebhook, fix: workerFix },
];

/**
 * Runs each step, reports it to `onStep`, and returns a finding for each. A step also fails if an earlier step has not
 * made what it needs.
 */
export const playSteps = async (trial: Trial, onStep: (check: string) => void): Promise<Finding[]> => {
  const call = caller(trial, trial.keys.all);
  const made: Made = {};
  const findings: Finding[] = [];
  for (const { check, needs, run, fix } of steps) {
    onStep(check);
    if (needs && made[needs] === undefined) {
      findings.push({ check, state: 'fail', detail: `not tried, since there is no ${needs}`, fix: 'See above.' });
      continue;
    }
    try {
      findings.push(ok(check, await run(trial, call, made)));
    } catch (error) {
      const better = error instanceof Difference ? error.fix : undefined;
      findings.push({ check, state: 'fail', detail: explain(error), fix: better ?? fix });
    }
  }
  return findings;
};
