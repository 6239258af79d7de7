import type { CreditType } from '../../../lib/credit/rules.ts';
import { type GivenLine, listGiven } from '../../../lib/operator/give-credit.ts';
import type { Run } from '../../../lib/operator/runs.ts';
import { partition } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

/** A run of `store credit give`, which gives credit to many customers. The table keeps it and its lines for good. */
export interface GivingRun extends Run {
  reason: string;
  sums: Record<CreditType, number>;
}

export const givingKey = (store: string, reference: string): Key => ({ pk: partition(store, 'GIVING'), sk: reference });

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
