import { NoAnswer, StoreProblem } from '../../client/client.ts';

/** The tools of the local service under `/_dev`, which are never deployed. */

/**
 * Calls a tool. `body` makes it a POST, which is refused to pages of other origins. Throws `StoreProblem` with the
 * service's own words, and `NoAnswer`, as the client does.
 */
export const tool = async <T>(path: string, body?: object): Promise<T> => {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`/_dev/${path}`, init).catch((error: unknown) => {
    throw new NoAnswer(error, undefined);
  });
  const value = await response.json().catch(() => undefined);
  if (response.ok && value !== undefined) return value as T;
  const { error = 'The service is starting. Try again in a moment.' } = (value ?? {}) as { error?: string };
  throw new StoreProblem(response.status, { detail: error }, path, { requestId: undefined, idempotencyKey: undefined });
};
