import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { now } from '../../lib/clock.ts';
import { requestSeconds } from '../../lib/table/meter.ts';
import type { Match } from './matcher.ts';

/** Makes the event and context that API Gateway and Lambda pass to a function. */

/** The account, API and stage to which a request came. */
export interface RequestPlace {
  account: string;
  api: string;
  stage: string;
  /** The text before the resource's path in a request's path, such as `/prod`. */
  prefix: string;
  /** The header in which the gateway returns a request's id. */
  requestIdHeader: string;
}

export const localPlace: RequestPlace = {
  account: '000000000000',
  api: 'local',
  stage: 'local',
  prefix: '',
  requestIdHeader: 'X-Request-Id',
};

/** The values of a method that an event needs. */
interface CalledMethod {
  id: string;
  method: string;
  path: string;
}

const multiValues = (query: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));

const lastValues = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

const orNull = <T extends object>(values: T): T | null => (Object.keys(values).length > 0 ? values : null);

/** The event of a Lambda proxy integration, with the fields that API Gateway documents. */
export const proxyEvent = (
  request: IncomingMessage,
  id: string,
  { row, params }: Match<CalledMethod>,
  body: Buffer,
  { account, api, stage, prefix }: RequestPlace = localPlace,
) => {
  const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  const headers = request.headersDistinct as Record<string, string[]>;
  // Bytes that are not UTF-8 become U+FFFD. So does a percent sign without two digits, to which API Gateway is said to
  // answer 400 itself.
  const parameters = multiValues(new URLSearchParams(query.replace(/%(?![0-9a-f]{2})/gi, '%FF')));
  return {
    resource: row.path,
    path: path.slice(prefix.length),
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
      accountId: account,
      apiId: api,
      authorizer: {},
      protocol: 'HTTP/1.1',
      httpMethod: row.method,
      identity: { sourceIp: request.socket.remoteAddress },
      path,
      stage,
      requestId: id,
      requestTimeEpoch: now(),
      resourceId: row.id,
      resourcePath: row.path,
    },
  } as unknown as APIGatewayProxyEvent;
};

/** The authorizer's event, which has no body. */
export const authorizerEvent = (event: APIGatewayProxyEvent) => {
  const { body: _, isBase64Encoded: __, ...rest } = event;
  const { accountId, apiId, stage } = event.requestContext;
  const methodArn = `arn:aws:execute-api:us-east-1:${accountId}:${apiId}/${stage}/${event.httpMethod}${event.path}`;
  return { type: 'REQUEST', methodArn, ...rest } as unknown as APIGatewayRequestAuthorizerEvent;
};

/** A function's context, with the request's id and the remaining time. */
export const lambdaContext = (row: CalledMethod, awsRequestId: string): Context => {
  const end = performance.now() + requestSeconds * 1000;
  return {
    functionName: row.id,
    awsRequestId,
    getRemainingTimeInMillis: () => Math.max(0, end - performance.now()),
  } as Context;
};
