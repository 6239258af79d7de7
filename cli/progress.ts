import { clearLine, cursorTo } from 'node:readline';
import { isJson } from './output.ts';

/** Shows how far something is, on one line of a terminal; nothing where there is none. */
export interface Progress {
  update: (done: number, all?: number) => void;
  end: () => void;
}

const everyMillis = 100;

const span = (seconds: number): string => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

/** How far `done` of `all` rows are after some seconds: with the rate and, where the end is known, the time left. */
export const progressText = (done: number, all: number | undefined, seconds: number): string => {
  const rate = seconds > 0 ? done / seconds : 0;
  const count = done.toLocaleString('en');
  const speed = rate > 0 ? `, ${Math.round(rate).toLocaleString('en')} rows a second` : '';
  if (all === undefined) return `${count} rows${speed}`;
  const left = rate > 0 ? `, ${span((all - done) / rate)} left` : '';
  return `${count} of ${all.toLocaleString('en')} rows (${Math.floor((100 * done) / Math.max(all, 1))} %)${speed}${left}`;
};

/** Begins a line such as `Writing residents: 500 of 2,000 rows (25 %), 250 rows a second, 6 s left`. */
export const startProgress = (what: string): Progress => {
  const stream = process.stderr;
  if (!stream.isTTY || isJson()) return { update: () => {}, end: () => {} };
  const begun = performance.now();
  let shown = 0;
  const clear = (): void => {
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
  return {
    update: (done, all) => {
      if (performance.now() - shown < everyMillis) return;
      shown = performance.now();
      clear();
      const text = `${what}: ${progressText(done, all, (shown - begun) / 1000)}`;
      // A line that is broken could not be cleared. Some terminals do not say how wide they are.
      stream.write(text.slice(0, (stream.columns || 80) - 1));
    },
    end: clear,
  };
};
