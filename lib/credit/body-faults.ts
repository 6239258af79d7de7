import { now, timestamp } from '../clock.ts';
import * as schema from '../routes/timestamp.ts';
import { type CreditCommand, commandFaults } from './rules.ts';
import { creditLimit } from './state.ts';

/**
 * The faults in the body of a change that depend on the clock or the credit limit. A field with a fault of form gets no
 * other fault here.
 */
export const bodyFaults =
  (kind: 'set' | 'increment') =>
  (body: Readonly<Record<string, unknown>>): string[] => {
    const sent = body[kind === 'set' ? 'credit' : 'delta'];
    const amount = typeof sent === 'number' ? sent : 0;
    const expiresAt = schema.timestamp().safeParse(body.expiresAt).data;
    const command: CreditCommand =
      kind === 'set' ? { kind, credit: amount, expiresAt } : { kind, delta: amount, expiresAt };
    return commandFaults(command, timestamp(now()), creditLimit());
  };
