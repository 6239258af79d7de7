import { now, timestamp } from '../clock.ts';
import * as schema from '../routes/timestamp.ts';
import { type CreditCommand, commandFaults } from './rules.ts';
import { creditLimit } from './state.ts';

/**
 * The faults that the clock and the credit limit find in the body of a change, whose fields may have faults of form
 * too. A field that cannot be read has none.
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
