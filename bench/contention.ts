import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { changeCredit } from '../lib/credit/change.ts';
import { Problem } from '../lib/problem.ts';
import { customerUpsert } from '../lib/store/customers.ts';
import { dbOnce, tableName } from '../lib/table/client.ts';
import { write } from '../lib/table/table.ts';
import { inTurns, median, report, rounded, withTable } from './support.ts';

/** How many writes per second one customer's item takes. */
export interface ContentionRow {
  write: string;
  /** How many are under way at once. */
  writers: number;
  perSecond: number;
}

const store = 'bench';
const writersTried = [1, 4, 16];

/** Repeats a change as a client would, until it is not refused for its conflicts. */
const untilMade = async (change: () => Promise<unknown>): Promise<void> => {
  for (;;)
    try {
      await change();
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 503) throw error;
    }
};

/** Changes of one customer's credit, plain ones and ones that make a lot, beside bare updates of one item. */
export const measureContention = async ({ rounds, requests }: { rounds: number; requests: number }): Promise<void> => {
  const measured = await withTable(async () => {
    const uuid = randomUUID();
    await write(customerUpsert(store, { uuid, username: 'hot' }));
    const increment = (more: { expiresAt?: string }) =>
      changeCredit(store, { uuid }, 'regular', { kind: 'increment', delta: 1, ...more }, { by: 'bench' });
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
    const contestants = writersTried.flatMap((writers) =>
      Object.entries(writes).map(([name, write]) => ({ name, write, writers })),
    );
    return inTurns(contestants, { rounds }, async ({ write, writers }) => {
      const started = performance.now();
      await pMap(Array(requests), write, { concurrency: writers });
      return (1000 * requests) / (performance.now() - started);
    });
  });
  const rows = measured.map(
    ({ name, writers, values }): ContentionRow => ({ write: name, writers, perSecond: rounded(median(values), 0) }),
  );
  report('contention', rows);
};
