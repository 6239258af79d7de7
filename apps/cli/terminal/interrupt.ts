import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns a signal that Ctrl-C (SIGINT) or SIGTERM aborts, so that a long command can say how far it came. A second one
 * ends the process at once. After `release`, the first one does so too.
 */
export const untilInterrupted = (): { signal: AbortSignal; release: () => void } => {
  const ended = new AbortController();
  const names = ['SIGINT', 'SIGTERM'] as const;
  const end = (): void => {
    ended.abort();
    release();
  };
  const release = (): void => {
    for (const name of names) process.off(name, end);
  };
  for (const name of names) process.on(name, end);
  return { signal: ended.signal, release };
};

/** Waits for `millis` milliseconds. Ends early, without an error, if the signal comes. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  sleep(millis, undefined, { signal }).catch(() => undefined);
