/**
 * A signal that is aborted by Ctrl-C or by a request of the system to end, so that a long command can say how far it
 * came. A second request ends the process at once. `release` gives both requests their usual meaning back.
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
