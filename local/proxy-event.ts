import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { now } from '../lib/clock.ts';
import type { Route } from '../lib/routes/route.ts';
import type { Match } from './matcher.ts';

/** The event and context that API Gateway and Lambda pass to a function, made from a local request. */

/** The service has 29 seconds to answer, as behind API Gateway. */
const timeoutMillis = 29_000;

const multiValues = (query: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

const lastValues = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

const orNull = <T extends object>(values: T): T | null => (Object.keys(values).length > 0 ? values : null);

/** The event of a Lambda proxy integration, with the fields that API Gateway documents. */
export const proxyEvent = (request: IncomingMessage, id: string, { row, params }: Match, body: Buffer) => {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const headers = request.headersDistinct as Record<string, string[]>;
  const parameters = multiValues(new URLSearchParams(query));
  return {
    resource: row.path,
    path,
    httpMethod: row.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastValues(parameters)),
    multiValueQueryStringParameters: orNull(parameters),
    pathParameters: orNull(params),
    stageVariables: null,
    body: body.length > 0 ? body.toString('utf8') : null,
    isBase64Encoded: false,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: {},
      protocol: 'HTTP/1.1',
      httpMethod: row.method,
      identity: { sourceIp: request.socket.remoteAddress },
      path,
      stage: 'local',
      requestId: id,
      requestTimeEpoch: now(),
      resourceId: row.id,
      resourcePath: row.path,
    },
  } as unknown as APIGatewayProxyEvent;
};

/** The authorizer's event: the same without the body. */
export const authorizerEvent = (event: APIGatewayProxyEvent) => {
  const { body: _, isBase64Encoded: __, ...rest } = event;
  const methodArn = `arn:aws:execute-api:us-east-1:000000000000:local/local/${event.httpMethod}${event.path}`;
  return { type: 'REQUEST', methodArn, ...rest } as unknown as APIGatewayRequestAuthorizerEvent;
};

/** A function's context: the request's id and the remaining time. */
export const lambdaContext = (row: Route, awsRequestId: string): Context => {
  const end = performance.now() + timeoutMillis;
  return {
    functionName: row.id,
    awsRequestId,
    getRemainingTimeInMillis: () => Math.max(0, end - performance.now()),
  } as Context;
};
