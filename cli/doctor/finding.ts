import { counted } from '../output.ts';

/** A line of the doctor: what was looked at, how it is, and, unless it is well, what to do. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  fix?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, state: 'warn', detail, fix });
export const fail = (check: string, detail: string, fix: string): Finding => ({ check, state: 'fail', detail, fix });

/** A length of time in words, in its largest unit. */
export const inWords = (millis: number): string => {
  const seconds = Math.round(Math.abs(millis) / 1000);
  if (seconds < 120) return counted(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
};
