import { counted } from '../terminal/output.ts';

/** A line of the doctor's report. `fix` says what to do, unless all is well. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  fix?: string;
}

/** A fault that a check found, and how to fix it; false without a fault. */
type Fault = [detail: string, fix: string] | false;

const findingIf =
  (state: 'warn' | 'fail') =>
  (check: string, fault: Fault, fine = ''): Finding =>
    fault ? { check, state, detail: fault[0], fix: fault[1] } : { check, state: 'ok', detail: fine };

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });

/** A warning if there is a fault, otherwise `fine`. */
export const warnIf = findingIf('warn');

/** A failure if there is a fault, otherwise `fine`. */
export const failIf = findingIf('fail');

/** A duration in words, in its largest unit. */
export const inWords = (millis: number): string => {
  const seconds = Math.round(Math.abs(millis) / 1000);
  if (seconds < 120) return counted(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
};
