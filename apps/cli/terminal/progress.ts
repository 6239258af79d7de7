import { clearLine, cursorTo } from 'node:readline';
import { counted, grouped, isJson } from './output.ts';

/** Shows progress on one line of a terminal, and nothing without a terminal. */
export interface Progress {
  update: (done: number, all?: number) => void;
  end: () => void;
}

const everyMillis = 100;

/** The progress after some seconds: rows, rate and, if `all` is known, share and remaining time. */
export const progressText = (done: number, all: number | undefined, seconds: number): string => {
  const rate = seconds > 0 ? done / seconds : 0;
  const speed = rate > 0 ? `, ${counted(Math.round(rate), 'row')} a second` : '';
  if (all === undefined) return counted(done, 'row') + speed;
  const secondsLeft = (all - done) / rate;
  const left = secondsLeft < 90 ? `${Math.ceil(secondsLeft)} s` : `${Math.ceil(secondsLeft / 60)} min`;
  const share = Math.floor((100 * done) / Math.max(all, 1));
  return `${grouped(done)} of ${counted(all, 'row')} (${share} %)${speed}${rate > 0 ? `, ${left} left` : ''}`;
};

/** Begins a line such as `Writing residents: 500 of 2,000 rows (25 %), 250 rows a second, 6 s left`. */
export const startProgress = (what: string): Progress => {
  const stream = process.stderr;
  if (!stream.isTTY || isJson()) return { update: () => {}, end: () => {} };
  const begun = performance.now();
  let shown = begun;
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
      // A line that the terminal breaks could not be cleared. Some terminals do not tell their width.
      stream.write(text.slice(0, (stream.columns || 80) - 1));
    },
    end: clear,
  };
};
