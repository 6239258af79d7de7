import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '../routes/route.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const lineOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/**
 * The handler of a Lambda function that serves several rows, each by its own handler: a stack has at most 500
 * resources, and each function takes three. Locally each row has its own function. Throws for a method and path that no
 * row has.
 */
export const serveTogether = (...rows: readonly (readonly [Pick<Route, 'method' | 'path'>, Handler])[]): Handler => {
  const handlers = new Map(rows.map(([row, handler]) => [lineOf(row), handler]));
  return (event, context) => {
    const line = `${event.httpMethod} ${event.resource}`;
    const found = handlers.get(line);
    if (!found) throw new Error(`No row of this function serves ${line}.`);
    return found(event, context);
  };
};
