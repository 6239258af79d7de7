import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeCredit } from '../lib/credit/change.ts';
import { Problem } from '../lib/problem.ts';
import { touchCustomer } from '../lib/store/customers.ts';
import { dbOnce, tableName } from '../lib/table/table.ts';
import { median, report, rounded, withTable } from './support.ts';

/** How many writes per second one customer's item takes. */
export interface ContentionRow {
  write: string;
  /** How many are under way at once. */
  writers: number;
  perSecond: number;
}

const store = 'bench';
const writersTried = [1, 4, 16];

/** Makes a change, however often it has to be asked for, as a client would. */
const untilMade = async (change: () => Promise<unknown>): Promise<void> => {
  for (;;)
    try {
      await change();
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 503) throw error;
    }
};

/**
 * Changes of one customer's credit, plain ones and ones that make a lot, beside bare updates of one item; they take turns,
 * so that all meet the same machine.
 */
export const measureContention = async ({ rounds, requests }: { rounds: number; requests: number }): Promise<void> => {
  const rows = await withTable(async () => {
    const uuid = randomUUID();
    await touchCustomer(store, { uuid, username: 'hot' });
    const increment = (more: { expiresAt?: string }) =>
      changeCredit(store, { uuid }, 'regular', { kind: 'increment', delta: 1, ...more }, 'bench');
    const writes: Record<string, () => Promise<unknown>> = {
      'change of credit': () => increment({}),
      'change that makes a lot': () => untilMade(() => increment({ expiresAt: '9999-01-01T00:00:00.000Z' })),
      'bare update': () =>
        dbOnce.send(
          new UpdateCommand({
            TableName: tableName(),
            Key: { pk: 'bare', sk: 'bare' },
            UpdateExpression: 'ADD n :one',
            ExpressionAttributeValues: { ':one': 1 },
          }),
        ),
    };
    const perSecond = async (write: () => Promise<unknown>, writers: number): Promise<number> => {
      let left = requests;
      const started = performance.now();
      const writer = async (): Promise<void> => {
        while (left-- > 0) await write();
      };
      await Promise.all(Array.from({ length: writers }, writer));
      return (1000 * requests) / (performance.now() - started);
    };
    const measured = writersTried.flatMap((writers) =>
      Object.entries(writes).map(([name, write]) => ({ name, write, writers, rates: [] as number[] })),
    );
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round++)
      for (const { write, writers, rates } of measured) {
        const rate = await perSecond(write, writers);
        if (round > 0) rates.push(rate);
      }
    return measured.map(
      ({ name, writers, rates }): ContentionRow => ({ write: name, writers, perSecond: rounded(median(rates), 0) }),
    );
  });
  report('contention', rows);
};
