import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { routes } from '../../lib/routes/routes.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { matcher } from '../../local/gateway/matcher.ts';
import { proxyEvent } from '../../local/gateway/proxy-event.ts';
import { logLines } from '../../test/support/log.ts';

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const match = matcher(routes);

/** The row of a request, and the event that the gateway sends to its function. */
export const eventOf = (store: string, method: string, url: string, body?: unknown) => {
  const [path = ''] = url.split('?');
  const found = match(method, path);
  if (!found) throw new Error(`There is no ${method} ${path}.`);
  const headersDistinct = { 'X-API-Key': ['bench'], 'Content-Type': ['application/json'], Host: ['bench.invalid'] };
  const request = { url, headersDistinct, socket: {} } as unknown as IncomingMessage;
  const event = proxyEvent(request, randomUUID(), found, Buffer.from(body === undefined ? '' : JSON.stringify(body)));
  event.requestContext.authorizer = { store, keyId: 'bench', scopes: scopes.join(' ') };
  return { row: found.row, event };
};

/** Calls functions of a store without a server between. Throws at a refusal, unless `refused` takes its status. */
export const callIn =
  (store: string, refused?: number) => async (method: string, url: string, requestBody?: object) => {
    const { row, event } = eventOf(store, method, url, requestBody);
    const { handler } = (await import(`../../functions/${row.id}.ts`)) as { handler: LambdaHandler };
    const { statusCode, body } = await handler(event, {} as Context);
    if (statusCode >= 300 && statusCode !== refused)
      throw new Error(`${method} ${url} answered ${statusCode}: ${logLines.at(-1)?.stack ?? body}`);
    return { status: statusCode, body: JSON.parse(body) };
  };
