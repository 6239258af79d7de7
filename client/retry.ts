/** In milliseconds. */
const firstPause = 250;
const longestPause = 60_000;

/**
 * How long to wait before the attempt after `attempt` (1 is the first): what `Retry-After` says (seconds or a date), else
 * twice as long each time, with chance in it so that many clients do not come back together. Undefined if the service
 * asks for more than a minute: then the caller should hear of it.
 */
export const pauseMillis = (attempt: number, retryAfter: string | null, now = Date.now()): number | undefined => {
  const seconds = retryAfter?.trim() ?? '';
  const date = Date.parse(seconds);
  const asked = /^\d+$/.test(seconds) ? Number(seconds) * 1000 : Number.isNaN(date) ? 0 : Math.max(date - now, 0);
  if (asked > longestPause) return undefined;
  return Math.max(asked, Math.min(firstPause * 2 ** (attempt - 1), longestPause) * (0.5 + Math.random() / 2));
};

/** Answers after which the same request may be sent again: it was refused before it did anything, or is made once. */
export const isPassing = (status: number): boolean => [408, 409, 429, 502, 503, 504].includes(status);

/** Waits, or throws the signal's reason as soon as it is given up. */
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
