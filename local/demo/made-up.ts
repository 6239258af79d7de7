import { now, timestamp } from '../../lib/clock.ts';

/** A made-up UUID that is the same at every start: `kind` and `number` tell what it stands for. */
export const demoUuid = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-dede-4ede-8ede-${String(number).padStart(12, '0')}`;

const day = 86_400_000;
export const inDays = (days: number): string => timestamp(now() + days * day);
