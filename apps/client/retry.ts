/** In milliseconds. */
const firstPause = 250;
const longestPause = 60_000;

/**
 * The pause after attempt number `attempt` (from 1). It doubles each time, with jitter so that many clients do not come
 * back together, and is at least as long as `Retry-After` asks (seconds or a date). Undefined if the service asks for
 * more than a minute: the caller should know.
 */
export const pauseMillis = (attempt: number, retryAfter: string | null, now = Date.now()): number | undefined => {
  const seconds = retryAfter?.trim() ?? '';
  const date = Date.parse(seconds);
  const asked = /^\d+$/.test(seconds) ? Number(seconds) * 1000 : Number.isNaN(date) ? 0 : Math.max(date - now, 0);
  if (asked > longestPause) return undefined;
  return Math.max(asked, Math.min(firstPause * 2 ** (attempt - 1), longestPause) * (0.5 + Math.random() / 2));
};

/**
 * Statuses after which the client retries. The service did nothing, or a repeat is harmless. A repeated POST is
 * harmless because it has the same Idempotency-Key.
 */
export const isTransient = (status: number): boolean => [408, 409, 429, 500, 502, 503, 504].includes(status);

/** Waits, or throws the signal's reason as soon as it aborts. */
export const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, millis);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
