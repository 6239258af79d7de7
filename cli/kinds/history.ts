import * as z from 'zod';
import { now } from '../../lib/clock.ts';
import { type HistoryItem, historyPartition } from '../../lib/credit/history.ts';
import { listCreditHistory } from '../../lib/credit/history-list.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import type { CreditItem } from '../../lib/credit/state.ts';
import { everyRow, reversed } from '../../lib/lists/source.ts';
import { listCustomerItems } from '../../lib/store/customers.ts';
import { rowsOf } from '../../lib/table/table.ts';
import { columns, type Values } from './columns.ts';
import { type CustomerChange, journal } from './journal.ts';
import type { Kind } from './kind.ts';
import { all, personal, tombstoneEnd, tombstoneMillis } from './personal.ts';
import { keptTexts, withoutTexts } from './remarks.ts';

/** Every change of a store's credit, customer by customer in the order of their UUIDs, the oldest change first. */
async function* changesOf(store: string): AsyncGenerator<CustomerChange> {
  for await (const customer of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk)) {
    if (customer.creditVersion === undefined) continue;
    const changes = reversed(listCreditHistory(store, customer.sk));
    for await (const change of everyRow(changes, ({ position }) => position)) yield { customer, change };
  }
}

async function* rows(store: string): AsyncGenerator<Values> {
  for await (const { customer, change } of changesOf(store)) yield { resident: customer.sk, ...change };
}

const any = z.unknown();

/** The history of credit: an export holds it, an import does not. */
export const history: Kind = {
  file: {
    name: 'history',
    summary: "every change of customers' credit, each with the balances after it",
    columns: columns({
      resident: ['text', any, 'the customer, by UUID'],
      sequence: ['integer', any, "the number of the change among the customer's, from 1 on"],
      at: ['text', any, 'when it was made'],
      type: ['text', any, 'regular or restricted'],
      kind: [
        'text',
        any,
        'what changed it: set, increment, expire, sale, refund, redeem, import, opening or unrecorded',
      ],
      amount: ['integer', any, 'in whole L$: by how much it raised the balance; negative where it lowered it'],
      expired: ['integer', any, 'the L$ that came due in the same change'],
      credit: ['integer', any, 'the regular balance after it'],
      restrictedCredit: ['integer', any, 'the restricted balance after it'],
      reason: ['text', any, 'why, as the request said'],
      reference: ['text', any, "the request's own reference"],
      saleId: ['text', any, 'the sale that it belongs to'],
      giftCardId: ['text', any, 'the gift card that was redeemed'],
      requestId: ['text', any, 'the X-Request-Id of the request'],
      keyId: ['text', any, 'the id of the API key'],
      lots: ['lots', any, 'the parts of lots and of permanent credit, as id, L$ and time of expiry'],
    }),
    rows,
    journal: (store) => journal(changesOf(store)),
  },
  personal: [
    ...creditTypes.map((type) =>
      personal<HistoryItem>({
        words: [`change of ${type} credit`, `changes of ${type} credit`],
        effect: 'pseudonym; reason and reference go',
        find: async (store, uuid) => {
          const rows = await all(rowsOf<HistoryItem>({ partition: historyPartition(store, uuid, type) }));
          // A mark of an earlier erasure lapses by itself.
          return rows.filter((row) => row.erased === undefined || row.kind !== undefined);
        },
        kept: (row, { store, pseudonym }) => ({
          ...withoutTexts(row),
          ...keptTexts(row),
          pk: historyPartition(store, pseudonym, type),
        }),
        tombstone: ({ pk, sk, at = '' }) => {
          const mark = { pk, sk, erased: at, ...tombstoneEnd() };
          return Date.parse(at) > now() - tombstoneMillis ? mark : undefined;
        },
      }),
    ),
  ],
};
