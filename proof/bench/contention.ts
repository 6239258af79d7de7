import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checkCredit } from '../../apps/cli/kinds/credit.ts';
import { checkSales } from '../../apps/cli/kinds/sales.ts';
import { checkSpend } from '../../apps/cli/kinds/spend.ts';
import { newId } from '../../lib/clock.ts';
import { dbOnce, tableName } from '../../lib/table/client.ts';
import { intercept } from '../../test/support/faults.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { callIn } from './call.ts';
import { makeShop, price } from './sales.ts';
import { auditing, ratesOf, report, rounded, withTable } from './support.ts';

const callersTried = [1, 4, 16, 64];
const uuid = idOf(0);
const change = `/v1/customers/${uuid}/actions/increment-credit`;

interface Writer {
  write: string;
  /** How many requests are under way at once. */
  callers: number;
  sent: number;
  /** How often the service decided a request again because the table refused a write. */
  retries: number;
  /** The 503s in all rounds. The client asked again after each. */
  busy: number;
  send: (writer: Writer, number: number) => Promise<unknown>;
}

/** The requests that are tried, each from a customer in a store of their own. */
const requestsTried: Record<string, (productId: string, number: number) => Parameters<ReturnType<typeof callIn>>> = {
  'change of credit': () => ['POST', change, { delta: 1 }],
  'change that makes a lot': () => ['POST', change, { delta: 1, expiresAt: '9999-01-01T00:00:00.000Z' }],
  'sale, every other for credit': (productId, number) => {
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

const writersOf = (write: string, send: Writer['send']): Writer[] =>
  callersTried.map((callers) => ({ write, callers, sent: 0, retries: 0, busy: 0, send }));

/**
 * Changes of one customer's credit, and sales to one customer, compared with bare updates of one item. The audit
 * follows.
 */
export const measureContention = (options: { rounds: number; requests: number }): Promise<void> =>
  withTable(async () => {
    const stores: string[] = [];
    const writers = writersOf('bare update', bareUpdate);
    for (const [write, requestOf] of Object.entries(requestsTried)) {
      const { store, productId } = await makeShop(1);
      const call = callIn(store, 503);
      await call('POST', change, { delta: 100_000_000 });
      stores.push(store);
      const untilMade: Writer['send'] = async (writer, number) => {
        const request = requestOf(productId, number);
        while ((await call(...request)).status === 503) writer.busy += 1;
      };
      writers.push(...writersOf(write, untilMade));
    }
    let current: Writer | undefined;
    const stop = intercept(async ({ isWrite }, send) => {
      try {
        return await send();
      } catch (error) {
        if (isWrite && current) current.retries += 1;
        throw error;
      }
    });
    const measured = await ratesOf(writers, options, (writer, number) => {
      current = writer;
      writer.sent += 1;
      return writer.send(writer, number);
    });
    stop();
    for (const store of stores) for (const check of [checkCredit, checkSpend, checkSales]) await check(store, auditing);
    report(
      'contention',
      measured.map(({ contestant: { write, callers, retries, busy, sent }, perSecond, p99 }) => ({
        ...{ write, callers, perSecond, p99, retries: rounded(retries / sent), busy },
      })),
    );
  });
