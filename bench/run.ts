import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { logSink } from '../lib/http/log.ts';
import { routes } from '../lib/routes/routes.ts';
import { startEngine } from '../local/engine.ts';
import { budgets } from '../test/support/budgets.ts';

/**
 * `npm run bench`: what the endpoints cost, beside their budgets; and how many changes of one customer's credit per
 * second, beside bare updates. Everything happens in an engine in memory on this machine.
 */

const engine = await startEngine();
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  CURSOR_SECRET: randomUUID(),
  TABLE_NAME: 'bench',
});

const store = 'bench';

interface Cost {
  steps: number;
  units: number;
}

/** Calls an endpoint's function with the event that the gateway would send it. */
const call = async (method: string, url: string, sent?: unknown) => {
  const { pathname, searchParams } = new URL(url, 'http://bench');
  const matches = routes.flatMap((row) => {
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const values = new RegExp(`^${row.path.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname)?.slice(1);
    if (row.method !== method || !values) return [];
    return [{ row, params: Object.fromEntries(names.map((name, index) => [name, values[index]])) }];
  });
  const match = matches[0];
  if (!match) throw new Error(`There is no ${method} ${pathname}.`);
  const { handler } = await import(`../functions/${match.row.id}.ts`);
  const lines: Cost[] = [];
  logSink.write = (fields) => {
    lines.push(fields as Cost);
  };
  const event = {
    pathParameters: match.params,
    multiValueQueryStringParameters: Object.fromEntries([...searchParams].map(([name, value]) => [name, [value]])),
    multiValueHeaders: {},
    body: sent === undefined ? null : JSON.stringify(sent),
    requestContext: { requestId: randomUUID(), path: pathname, authorizer: { store, keyId: 'bench' } },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body }: APIGatewayProxyResult = await handler(event, {} as Context);
  if (statusCode >= 300) throw new Error(`${method} ${pathname} answered ${statusCode}: ${body}`);
  return { status: statusCode, headers: new Headers(), body: body ? JSON.parse(body) : undefined, cost: lines.at(-1) };
};

type BudgetCall = Parameters<(typeof budgets)[number]['prepare']>[0];

const printCosts = async (): Promise<void> => {
  const rows = [];
  for (const { endpoint, when, steps, units, prepare } of budgets) {
    const [method, path, body] = await prepare(call as unknown as BudgetCall, store);
    const { cost } = await call(method, path, body);
    const isMet = cost?.steps === steps && cost.units === units;
    rows.push({ endpoint, when, calls: cost?.steps, budget: steps, units: cost?.units, allowed: units, met: isMet });
  }
  console.table(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
};

const rounds = 7;
const perRound = 400;

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** One after another, as a busy customer's writes come; the two alternate, so that both meet the same machine. */
const printHotCustomer = async (): Promise<void> => {
  const { UpdateCommand } = await import('@aws-sdk/lib-dynamodb');
  const { changeCredit } = await import('../lib/store/credit.ts');
  const { touchCustomer } = await import('../lib/store/customers.ts');
  const { dbOnce, tableName } = await import('../lib/store/table.ts');
  const uuid = randomUUID();
  await touchCustomer(store, { uuid, username: 'hot' });
  const change = () => changeCredit(store, { uuid }, 'regular', { kind: 'increment', delta: 1 }, 'bench');
  const add = () =>
    dbOnce.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { pk: 'bare', sk: 'bare' },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': 1 },
      }),
    );
  const perSecond = async (write: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    for (let i = 0; i < perRound; i++) await write();
    return (1000 * perRound) / (performance.now() - started);
  };
  const measured: { changes: number; bare: number }[] = [];
  await perSecond(change);
  await perSecond(add);
  for (let round = 0; round < rounds; round++)
    measured.push({ changes: await perSecond(change), bare: await perSecond(add) });
  const changes = median(measured.map((round) => round.changes));
  const bare = median(measured.map((round) => round.bare));
  console.log(
    `One hot customer, medians of ${rounds} rounds of ${perRound}: ${changes.toFixed(0)} changes of credit per second, ` +
      `${bare.toFixed(0)} bare updates per second, ratio ${(changes / bare).toFixed(2)}.`,
  );
};

try {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { ensureTable } = await import('../local/table.ts');
  const client = new DynamoDBClient({});
  await ensureTable(client, 'bench');
  client.destroy();
  await printCosts();
  await printHotCustomer();
} finally {
  await engine.stop();
}
