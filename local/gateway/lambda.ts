import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { LookUp } from '../../lib/avatars/resident-lookup.ts';
import { privateAddress } from '../engines/private.ts';

type InvokedFunction = (payload: never) => Promise<unknown>;

const invocation = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/**
 * Answers calls of functions as Lambda does, with functions of this process. If a function throws, the answer is 200
 * with the header X-Amz-Function-Error.
 */
export const startLambda = async (functions: Readonly<Record<string, InvokedFunction>>) => {
  const server = createServer(async (request, response) => {
    const [, name = ''] = invocation.exec(request.url ?? '') ?? [];
    const invoked = functions[decodeURIComponent(name)];
    const payload = await buffer(request);
    if (!invoked) {
      response.writeHead(404, { 'Content-Type': 'application/json', 'X-Amzn-ErrorType': 'ResourceNotFoundException' });
      response.end(JSON.stringify({ Message: `There is no function ${name}.` }));
      return;
    }
    try {
      const answer = await invoked(JSON.parse(payload.toString('utf8')) as never);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    } catch (error) {
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Amz-Function-Error': 'Unhandled' });
      response.end(JSON.stringify({ errorMessage: String(error) }));
    }
  });
  const { host, port } = await privateAddress();
  server.listen(port, host);
  await once(server, 'listening');
  return {
    endpoint: `http://${host}:${port}`,
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Serves the function that looks residents up, and points the endpoints of this process to it. `before` runs first. */
export const startLookUps = async (before: (store: string) => Promise<unknown>): Promise<{ stop: () => void }> => {
  const { handler } = await import('../../functions/resident-lookup.ts');
  const lambda = await startLambda({
    'resident-lookup': async (lookUp: LookUp) => {
      await before(lookUp.store);
      return handler(lookUp);
    },
  });
  process.env.RESIDENT_LOOKUP_URL = `${lambda.endpoint}/2015-03-31/functions/resident-lookup/invocations`;
  return lambda;
};
