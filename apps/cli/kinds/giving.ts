import type { CreditType } from '../../../lib/credit/rules.ts';
import { type Key, partition } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';
import type { Run } from './run.ts';

/** Runs that give credit to many customers, and what each line of them gave. Both are kept for good. */

/** A run of `store credit give`. */
export interface GivingRun extends Run {
  reason: string;
  sums: Record<CreditType, number>;
}

/**
 * The credit that a line gave. It is written in that credit's transaction, so it is there exactly if that was given.
 */
export interface GivenLine extends Key {
  uuid: string;
  type: CreditType;
  amount: number;
  expiresAt?: string;
  at: string;
  /** The part of it that an undo took back. */
  takenBack?: number;
  takenBackAt?: string;
}

const digits = 9;

export const givingKey = (store: string, reference: string): Key => ({ pk: partition(store, 'GIVING'), sk: reference });

/** `number` is that of the line among those of the file, from 1 on. */
export const givenKey = (store: string, reference: string, number: number): Key => ({
  pk: partition(store, 'GIVEN'),
  sk: `${reference}#${String(number).padStart(digits, '0')}`,
});

/** The author of a line's change, by which the lot that it made is found. */
export const giverOf = (reference: string, number: number): string => `give ${reference} ${number}`;

const listGiven = (store: string) => rowsOf<GivenLine>({ partition: partition(store, 'GIVEN') });

export const giving: Kind = {
  personal: [
    personal<GivenLine>({
      words: ['line of credit given', 'lines of credit given'],
      effect: 'pseudonym',
      find: (store, uuid) => matching(listGiven(store), (line) => line.uuid === uuid),
      kept: (line, { pseudonym }) => ({ ...line, uuid: pseudonym }),
    }),
  ],
};
