import * as z from 'zod';
import { listed, listPayouts, type PayoutItem } from '../../../lib/payout/payouts.ts';
import { columns, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

const any = z.unknown();

export const findPayouts = (store: string, uuid: string): Promise<PayoutItem[]> =>
  matching(listPayouts(store), ({ residentUuid }) => residentUuid === uuid);

/** The payouts of a store. Exports contain them, imports do not. */
export const payouts: Kind = {
  file: {
    name: 'payouts',
    summary: 'what was paid or is being paid, and to which avatar',
    columns: columns({
      id: ['text', any, 'the UUID of the payout'],
      resident: ['text', any, 'who was to be paid, by UUID'],
      amount: ['integer', any, 'in whole L$'],
      state: ['text', any, 'claimed, unknown, paid or failed'],
      transactionId: ['text', any, 'the UUID of the transfer, as the virtual world names it'],
      error: ['text', any, 'why it was not paid, or may not have been'],
      reference: ['text', any, 'the reference that a person gave it'],
      createdAt: ['text', any, 'when it was claimed, or paid by hand'],
      endedAt: ['text', any, 'when it was paid or has failed'],
      key: ['text', any, 'the id of the API key that claimed it; empty: paid by hand'],
    }),
    rows: (store) =>
      rowsFrom(listPayouts(store), 'sk', ({ sk: id, residentUuid: resident, claimedBy: key, ...payout }) => ({
        ...payout,
        id,
        resident,
        key,
      })),
  },
  personal: [
    personal<PayoutItem>({
      words: ['payout', 'payouts'],
      effect: 'pseudonym; error, reference and transaction go',
      find: findPayouts,
      kept: ({ error, reference, transactionId, reported, ...payout }, { pseudonym }) =>
        listed({ ...payout, residentUuid: pseudonym, username: pseudonym }),
    }),
  ],
};
