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

const unit = (value: number, name: string): string => `${value} ${name}${value === 1 ? '' : 's'}`;

/** A length of time in words, in its largest unit. */
export const inWords = (millis: number): string => {
  const seconds = Math.round(Math.abs(millis) / 1000);
  if (seconds < 120) return unit(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return unit(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? unit(hours, 'hour') : unit(Math.round(hours / 24), 'day');
};
