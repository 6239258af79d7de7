import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { handler as authorizer } from '../../functions/authorizer.ts';
import { source } from '../../lib/clock.ts';
import { createStore } from '../../lib/operator/stores.ts';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { type Scope, scopes } from '../../lib/routes/scopes.ts';
import { noteUse } from '../../lib/store/api-keys.ts';
import { issueKey } from '../../lib/store/issued-keys.ts';

import { db, tableName } from '../../lib/table/client.ts';
import { ensureTable } from '../../local/engines/table.ts';
import { createGateway, type Handler } from '../../local/gateway/gateway.ts';
import { asRow } from './access.ts';
import { atEnd } from './at-end.ts';
import { logLines } from './log.ts';
import { isInMemory } from './memory-db.ts';

/** Makes a table, which the service uses from then on. */
export const makeTable = async (kept: { streamed?: boolean; indexed?: boolean }): Promise<void> => {
  process.env.TABLE_NAME = `test-${randomUUID()}`;
  if (isInMemory) return;
  const client = new DynamoDBClient({});
  await ensureTable(client, tableName(), { streamed: false, ...kept });
  client.destroy();
};

/** Makes one for this test file. It has no stream: see `keepHistory`. */
export const freshTable = (): Promise<void> => makeTable({});

/**
 * Every item of the table, for tests that show that nothing was written. With `prefix`, only items whose partition key
 * begins with it, which costs far less than filtering all of them.
 */
export const wholeTable = async (prefix?: string): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new ScanCommand({
        TableName: tableName(),
        ExclusiveStartKey: after,
        ConsistentRead: true,
        ...(prefix && {
          FilterExpression: 'begins_with(pk, :prefix)',
          ExpressionAttributeValues: { ':prefix': prefix },
        }),
      }),
    );
    items.push(...Items);
    after = LastEvaluatedKey;
  } while (after);
  return items;
};

/** Sets the clock, which then stands still. */
export const setClock = (millis: number): void => {
  source.now = () => millis;
};

/** Does something at another time, and puts the clock back. */
export const doAt = async <T>(time: string, work: () => Promise<T>): Promise<T> => {
  const before = source.now;
  source.now = () => Date.parse(time);
  try {
    return await work();
  } finally {
    source.now = before;
  }
};

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
  body: any;
  /** The cost in the request's log line; undefined if no function was called. */
  cost: { calls: number; steps: number; units: number } | undefined;
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Sends a request as fetch does, in half of its processor time. */
const send = async (url: string, method: string, headers: Record<string, string>, body: string | undefined) => {
  const ofBody = body !== undefined && {
    'Content-Type': 'text/plain;charset=UTF-8',
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const sent = request(url, { method, headers: { Accept: '*/*', ...ofBody, ...headers } }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: response.statusCode ?? 0, headers: new Headers(pairs), text: await text(response) };
};

const loaded = new Map<Route, Promise<{ handler: Handler }>>();

/** Loads the handler of a row once, since the tests' loader asks its main process for every import. */
const loadHandler = async (row: Route): Promise<Handler> => {
  const file = new URL(`../../functions/${row.id}.ts`, import.meta.url);
  const module = loaded.get(row) ?? (import(file.href) as Promise<{ handler: Handler }>);
  loaded.set(row, module);
  return (await module).handler;
};

/**
 * Starts a gateway with the real authorizer and handlers, a new table, and two stores with a key of all scopes each.
 * `call` sends JSON (a string as it is) with the first store's key. `path` is relative to the base URL.
 */
export const startTestService = async ({ authorizerTtlSeconds = 60 } = {}) => {
  await freshTable();
  const server = createGateway({
    routes,
    handlerOf: async (row: Route) => {
      const handler = await loadHandler(row);
      return (event, context) => asRow(row, () => handler(event, context));
    },
    authorizer,
    authorizerTtlSeconds,
    rate: 1e6,
    burst: 1e6,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });

  const store = await createStore('Test store');
  const otherStore = await createStore('Other store');
  const keyWith = async (of: readonly Scope[], storeId = store.id): Promise<string> => {
    const { key, text } = await issueKey({ store: storeId, name: 'test', scopes: of, stage: 'test' });
    // The first use of a key writes to the table. That must be over before a test watches for writes.
    await noteUse(key);
    return text;
  };
  const key = await keyWith(scopes);
  const otherKey = await keyWith(scopes, otherStore.id);

  const callAs =
    (apiKey: string): Call =>
    async (method, path, body, headers = {}) => {
      const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const response = await send(baseUrl + path, method, { 'X-API-Key': apiKey, ...headers }, sent);
      const line = logLines.findLast(
        ({ requestId, route }) => route && requestId === response.headers.get('x-request-id'),
      );
      return {
        status: response.status,
        headers: response.headers,
        body: response.text === '' ? undefined : JSON.parse(response.text),
        cost: line && { calls: line.calls, steps: line.steps, units: line.units },
      };
    };

  return {
    baseUrl,
    store: store.id,
    otherStore: otherStore.id,
    key,
    otherKey,
    keyWith,
    callAs,
    call: callAs(key),
    callOther: callAs(otherKey),
  };
};
