import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clients of one store that repeat each request until it is answered finally, and remember what was acknowledged. */

// biome-ignore lint/suspicious/noExplicitAny: bodies of any endpoint.
type Body = any;

interface Acknowledged {
  /** Changes of credit by their reference: whose, and by how much. */
  credit: Map<string, { uuid: string; amount: number }>;
  sales: Map<string, Body>;
  /** The ids of deliveries that were ordered. */
  ordered: Set<string>;
  /** Gift cards that were redeemed. */
  redeemed: Set<string>;
}

interface Options {
  baseUrl: string;
  key: string;
  random: () => number;
}

const customerCount = 12;
const giveUpMillis = 120_000;
const repeated = new Set([409, 429, 500, 502, 503, 504]);

export const startTraffic = ({ baseUrl, key, random }: Options) => {
  const acknowledged: Acknowledged = { credit: new Map(), sales: new Map(), ordered: new Set(), redeemed: new Set() };
  const faults: string[] = [];
  /** How often each status was answered; those that are repeated are part of an update. */
  const statuses: Record<string, number> = {};
  let answered = 0;
  let isEnding = false;

  const send = async (method: string, path: string, body?: object): Promise<Body> => {
    const headers = { 'X-API-Key': key, ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }) };
    const end = Date.now() + giveUpMillis;
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(baseUrl + path, {
        ...{ method, headers, signal: AbortSignal.timeout(35_000) },
        ...(body && { body: JSON.stringify(body) }),
      }).catch(() => undefined);
      const status = response?.status ?? 0;
      statuses[status || 'none'] = (statuses[status || 'none'] ?? 0) + 1;
      const text = (await response?.text().catch(() => undefined)) ?? '';
      if (response && !repeated.has(status)) {
        answered += 1;
        if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
        return text === '' ? undefined : JSON.parse(text);
      }
      if (Date.now() > end) throw new Error(`${method} ${path} had no final answer in 2 minutes: ${status} ${text}`);
      await sleep(Math.min(100 * 2 ** attempt, 3000) * (0.5 + random()));
    }
  };

  /** All rows of a list. */
  const walk = async (path: string): Promise<Body[]> => {
    const rows: Body[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const separator = path.includes('?') ? '&' : '?';
      const query = `limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
      const page = await send('GET', `${path}${separator}${query}`);
      rows.push(...page.data);
      cursor = page.pagination.nextCursor;
    }
    return rows;
  };

  const customers = Array.from({ length: customerCount }, (_, index) => ({
    uuid: `5e51de27-0000-4000-8000-${String(index).padStart(12, '0')}`,
    username: `resident${index}.upgrade`,
  }));
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  let product: Body;

  const increment = async (type: string): Promise<void> => {
    const { uuid } = pick(customers);
    const [reference, delta] = [randomUUID(), 1 + Math.floor(random() * 50)];
    const expires = random() < 0.3 && { expiresAt: new Date(Date.now() + 3_600_000 + random() * 1e6).toISOString() };
    await send('POST', `/v1/customers/${uuid}/actions/increment-${type}`, { delta, reference, ...expires });
    acknowledged.credit.set(reference, { uuid, amount: delta });
  };
  const sell = async (): Promise<void> => {
    const [id, { uuid }] = [randomUUID(), pick(customers)];
    const isOnCredit = random() < 0.5;
    const parties = { productId: product.id, buyerIdentifier: uuid };
    const sale = await send('POST', '/v1/sales', { id, ...parties, paid: product.activePrice, useCredit: isOnCredit });
    if (sale.state !== 'completed') faults.push(`The sale ${id} was ${sale.state}: ${sale.refusal}`);
    acknowledged.sales.set(id, sale);
  };
  const refund = async (): Promise<void> => {
    const sale = pick([...acknowledged.sales.values()]);
    if (!sale) return;
    const refunded = await send('POST', `/v1/sales/${sale.id}/actions/refund`, { reference: sale.id });
    acknowledged.sales.set(sale.id, refunded);
  };
  const redeem = async (): Promise<void> => {
    const [{ uuid }, reference, credit] = [pick(customers), randomUUID(), 1 + Math.floor(random() * 20)];
    const card = await send('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit });
    await send('POST', `/v1/giftcards/${card.id}/actions/redeem`, { identifier: uuid, reference });
    acknowledged.redeemed.add(card.id);
    acknowledged.credit.set(reference, { uuid, amount: credit });
  };
  const deliver = async (): Promise<void> => {
    const { uuid } = pick(customers);
    const before = { recipientIdentifier: uuid, message: `${randomUUID()}` };
    await send('POST', `/v1/products/${product.id}/actions/deliver`, before);
    acknowledged.ordered.add(before.message);
  };
  const read = async (): Promise<void> => {
    const { uuid } = pick(customers);
    await send('GET', pick([`/v1/customers/${uuid}`, `/v1/customers/${uuid}/credit/history`, '/v1/products']));
  };
  const actions: [number, () => Promise<void>][] = [
    [3, () => increment('credit')],
    [1, () => increment('restricted-credit')],
    [4, sell],
    [1, refund],
    [1, redeem],
    [2, deliver],
    [3, read],
  ];
  const choices = actions.flatMap(([weight, action]) => Array.from({ length: weight }, () => action));

  const client = async (): Promise<void> => {
    while (!isEnding) await pick(choices)().catch((error: Error) => faults.push(error.message));
  };

  return {
    acknowledged,
    customers,
    faults,
    send,
    walk,
    figures: () => ({ answered, statuses: { ...statuses } }),
    /** Makes residents and a product. */
    prepare: async (): Promise<void> => {
      for (const { uuid, username } of customers) await send('PUT', `/v1/residents/${uuid}`, { username });
      product = await send('POST', '/v1/products', { name: 'Lamp', price: 40, item: 'Lamp' });
    },
    /** Starts clients. The function that it answers ends them. */
    start: (clients: number): (() => Promise<void>) => {
      const all = Array.from({ length: clients }, client);
      return async () => {
        isEnding = true;
        await Promise.all(all);
      };
    },
  };
};

export type Traffic = ReturnType<typeof startTraffic>;
