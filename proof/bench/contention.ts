import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checkCredit } from '../../cli/kinds/credit.ts';
import { checkSales } from '../../cli/kinds/sales.ts';
import { checkSpend } from '../../cli/kinds/spend.ts';
import { newId } from '../../lib/clock.ts';
import { dbOnce, tableName } from '../../lib/table/client.ts';
import { intercept } from '../../test/support/faults.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import type { Call } from '../../test/support/service.ts';
import { callIn } from './call.ts';
import { makeShop, price, type Shop } from './sales.ts';
import { ratesOf, report, rounded, withTable } from './support.ts';

/** How many writes per second one customer takes. */
interface ContentionRow {
  write: string;
  /** How many are under way at once. */
  callers: number;
  perSecond: number;
  p99: number;
  /** How often the service decided one again, as the table refused a write because of another. */
  retries: number;
  /** 503s in all rounds, after which the client asked again. */
  busy: number;
}

const callersTried = [1, 4, 16, 64];
const uuid = idOf(0);
const change = `/v1/customers/${uuid}/actions/increment-credit`;

/** The requests that are tried, each of a customer in a store of their own. */
const requestsTried: Record<string, (shop: Shop, number: number) => Parameters<Call>> = {
  'change of credit': () => ['POST', change, { delta: 1 }],
  'change that makes a lot': () => ['POST', change, { delta: 1, expiresAt: '9999-01-01T00:00:00.000Z' }],
  'sale, every other for credit': ({ productId }, number) => {
    const useCredit = number % 2 === 0;
    const paid = useCredit ? 0 : price;
    return ['POST', '/v1/sales', { id: newId(), productId, buyerIdentifier: uuid, useCredit, paid }];
  },
};

const bareUpdate = () =>
  dbOnce.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk: 'bare', sk: 'bare' },
      UpdateExpression: 'ADD n :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );

interface Writer {
  write: string;
  callers: number;
  retries: number;
  busy: number;
  sent: number;
  send: (number: number) => Promise<unknown>;
}

/** Repeats a request as a client would, until it is not refused for its conflicts. */
const untilMade = async (call: Call, request: Parameters<Call>, writer: Writer): Promise<void> => {
  while ((await call(...request)).status === 503) writer.busy += 1;
};

/** Throws at the first fault in the books of these stores. */
const audit = async (stores: readonly string[]): Promise<void> => {
  const faults: string[] = [];
  for (const store of stores)
    for (const check of [checkCredit, checkSpend, checkSales])
      await check(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  if (faults.length > 0) throw new Error(`The books are not true: ${faults[0]}`);
};

/** Changes of one customer's credit, and sales to one customer, beside bare updates of one item; then the audit. */
export const measureContention = async (options: { rounds: number; requests: number }): Promise<void> => {
  const rows = await withTable(async () => {
    const shops: string[] = [];
    const contestants: Writer[] = [];
    for (const [write, requestOf] of Object.entries(requestsTried)) {
      const shop = await makeShop(1);
      await shop.call('POST', change, { delta: 100_000_000 });
      const call = callIn(shop.store, { refused: 503 });
      shops.push(shop.store);
      for (const callers of callersTried) {
        const writer: Writer = { write, callers, retries: 0, busy: 0, sent: 0, send: async () => {} };
        writer.send = (number) => untilMade(call, requestOf(shop, number), writer);
        contestants.push(writer);
      }
    }
    for (const callers of callersTried)
      contestants.push({ write: 'bare update', callers, retries: 0, busy: 0, sent: 0, send: bareUpdate });
    let current: Writer | undefined;
    const stop = intercept(async ({ isWrite }, send) => {
      try {
        return await send();
      } catch (error) {
        if (isWrite && current) current.retries += 1;
        throw error;
      }
    });
    const measured = await ratesOf(contestants, options, (writer, number) => {
      current = writer;
      writer.sent += 1;
      return writer.send(number);
    });
    stop();
    await audit(shops);
    return measured.map(
      ({ contestant: { write, callers, retries, busy, sent }, perSecond, p99 }): ContentionRow => ({
        ...{ write, callers, perSecond, p99, retries: rounded(retries / sent), busy },
      }),
    );
  });
  report('contention', rows);
};
