import { logSink } from '../../lib/log.ts';
import type { Call } from '../../test/support/service.ts';
import { eventOf, type LambdaHandler } from './support.ts';

/**
 * Calls the functions of one store as the tests do, but without a server between: the answer and its cost. `keyId` is
 * the key that the authorizer would have found. Throws at a refusal, unless `refused` takes its status.
 */
export const callIn =
  (store: string, { keyId, refused }: { keyId?: string; refused?: number } = {}): Call =>
  async (method, url, requestBody) => {
    const { row, event } = eventOf(store, method, url, requestBody, keyId);
    const { handler } = (await import(`../../functions/${row.id}.ts`)) as { handler: LambdaHandler };
    const lines: { stack?: string }[] = [];
    logSink.write = (fields) => void lines.push(fields);
    const { statusCode, body } = await handler(event, {} as Parameters<LambdaHandler>[1]);
    if (statusCode >= 300 && statusCode !== refused)
      throw new Error(`${method} ${url} answered ${statusCode}: ${lines.find(({ stack }) => stack)?.stack ?? body}`);
    return {
      status: statusCode,
      headers: new Headers(),
      body: body ? JSON.parse(body) : undefined,
      cost: lines.at(-1) as Awaited<ReturnType<Call>>['cost'],
    };
  };
