import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { now } from '../../../lib/clock.ts';
import { type HistoryItem, historyKey, historyPartition } from '../../../lib/credit/history.ts';
import { listCreditHistory } from '../../../lib/credit/history-list.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { creditTypes } from '../../../lib/credit/rules.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { holdingOf, lastChangeOf } from '../../../lib/credit/state.ts';
import { everyPage, everyRow, reversed } from '../../../lib/lists/source.ts';
import { auditHistory, readHistory, recordedChanges, redeemFaults } from '../../../lib/operator/audit-history.ts';
import { readCredit } from '../../../lib/operator/read-credit.ts';
import type { CreditChange } from '../../../lib/routes/credit.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany, rowsOf } from '../../../lib/table/table.ts';
import type { ItemForm } from '../../shared/cells.ts';
import { partitionsOf } from '../deployment/scan.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, type Values } from './columns.ts';
import { type CustomerChange, journal } from './journal.ts';
import type { Kind } from './kind.ts';
import { all, personal, tombstoneEnd, tombstoneMillis } from './personal.ts';
import { keptTexts, withoutTexts } from './reason-columns.ts';

/** Every change of a store's credit. Customers are ordered by UUID, and each customer's changes from the oldest on. */
async function* changesOf(store: string): AsyncGenerator<CustomerChange> {
  for await (const customer of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk)) {
    if (customer.creditVersion === undefined) continue;
    const changes = reversed(listCreditHistory(store, customer.sk));
    for await (const change of everyRow(changes, ({ position }) => position)) yield { customer, change };
  }
}

async function* rows(store: string): AsyncGenerator<Values> {
  for await (const { customer, change } of changesOf(store)) {
    const { undone, ...told } = change;
    yield { resident: customer.sk, ...told, undoneAt: undone?.at ?? null, undoneAmount: undone?.amount ?? null };
  }
}

/** The part of a lot in a change. The id comes first, so that no cell begins with a minus sign, like a formula. */
const lotForm: ItemForm<CreditChange['lots'][number]> = {
  // Only exports contain these.
  read: (item) => item,
  write: ({ id, amount, expiresAt }) =>
    [id ?? (expiresAt === null ? 'permanent' : 'others'), amount, expiresAt ?? ''].join(' ').trim(),
};

const any = z.unknown();

/** History shows a change within this time. */
const lagMillis = 5000;

/** The faults of a customer's history. Waits until history has the row of a new change. */
const historyFaults = async (store: string, uuid: string): Promise<string[]> => {
  const begun = performance.now();
  for (;;) {
    const read = await readCredit(store, uuid);
    // `checkCredit` reports a customer who is missing or changes all the time.
    if (!read?.item) return [];
    const { item, lots } = read;
    const history = await readHistory(store, uuid);
    const isNew = now() - Date.parse(lastChangeOf(item)?.at ?? '') < lagMillis;
    const isThere = recordedChanges(history).some(({ sequence }) => sequence === item.creditVersion);
    if (isThere || !isNew || performance.now() - begun > lagMillis) return auditHistory(item, history, lots);
    await sleep(200);
  }
};

/** Histories with at most this many changes are read together by their keys, a hundred rows a call. */
const fewChanges = 8;
const customersTogether = 250;

/** Yields all customers. A customer with few changes comes with their history, if its keys lead to all of its rows. */
async function* withShortHistory(
  store: string,
): AsyncGenerator<[item: CreditItem, history: HistoryItem[] | undefined]> {
  const known = await partitionsOf(store, 'HISTORY');
  const partitionsIn = ({ sk }: CreditItem): string[] => creditTypes.map((type) => historyPartition(store, sk, type));
  const keysOf = ({ sk, creditVersion = 0 }: CreditItem): Key[] =>
    creditTypes
      .filter((type) => creditVersion <= fewChanges && known.has(historyPartition(store, sk, type)))
      .flatMap((type) => Array.from({ length: creditVersion }, (_, index) => historyKey(store, sk, type, index + 1)));
  for await (const items of everyPage<CreditItem>(listCustomerItems(store), ({ sk }) => sk, customersTogether)) {
    const read = await getMany<HistoryItem>(items.flatMap(keysOf), { consistent: true });
    const rows = Map.groupBy(read, ({ pk }) => pk);
    for (const item of items) {
      const history = partitionsIn(item).flatMap((pk) => rows.get(pk) ?? []);
      const count = partitionsIn(item).reduce((sum, pk) => sum + (known.get(pk) ?? 0), 0);
      yield [item, history.length === count ? history : undefined];
    }
  }
}

/** Makes a function that receives all histories, one by one. It answers faults of gift cards redeemed twice. */
const redeemChecker = () => {
  const first = new Map<string, Key>();
  return async (history: readonly HistoryItem[]): Promise<string[]> => {
    const repeated = history.flatMap(({ pk, sk, kind, giftCardId }) => {
      if (kind !== 'redeem' || giftCardId === undefined) return [];
      const before = first.get(giftCardId) ?? { pk, sk };
      first.set(giftCardId, before);
      return before.pk === pk && before.sk === sk ? [] : [before, { pk, sk }];
    });
    // An erasure may have moved a row since it was read.
    return redeemFaults(await getMany<HistoryItem>(repeated, { consistent: true }));
  };
};

/** The history of each customer's credit is complete and ends with their balances. No gift card was redeemed twice. */
export const checkHistory: Check = (store, listener) => {
  const redeemedTwice = redeemChecker();
  return forEvery(withShortHistory(store), listener, async ([item, short]) => {
    // `checkCredit` reports open lots that the item does not count.
    const hasLots = creditTypes.some((type) => holdingOf(item, type).lots > 0);
    const lots = hasLots ? await listLots(store, item.sk) : [];
    const history = short ?? (await readHistory(store, item.sk));
    // Most histories are in order. Only others are read again as of a single moment, which costs five calls.
    const isInOrder = auditHistory(item, history, lots).length === 0;
    return [...(isInOrder ? [] : await historyFaults(store, item.sk)), ...(await redeemedTwice(history))];
  });
};

/** The history of credit. Exports contain it, imports do not. */
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
        'what changed it: set, increment, expire, sale, refund, redeem, bonus, undo, import, opening or unrecorded',
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
      undoes: ['integer', any, 'of an undo: the number of the change that it undid'],
      undoneAt: ['text', any, 'when this change was undone'],
      undoneAmount: ['integer', any, 'in whole L$: by how much its undo raised the balance'],
      lots: [lotForm, any, 'the parts of lots and of permanent credit, as id, L$ and time of expiry'],
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
          // An earlier erasure's tombstone ends by itself.
          return rows.filter((row) => row.erased === undefined || row.kind !== undefined);
        },
        kept: ({ erasedLots, ...row }, { store, pseudonym }) => ({
          ...withoutTexts(row),
          ...keptTexts(row),
          pk: historyPartition(store, pseudonym, type),
        }),
        tombstone: ({ pk, sk, at = '', record, lots = [], erasedLots = [] }) => {
          const mark = {
            pk,
            sk,
            erased: at,
            ...tombstoneEnd(),
            ...(record !== undefined && { record }),
            ...(lots.length + erasedLots.length > 0 && { erasedLots: [...erasedLots, ...lots] }),
          };
          return Date.parse(at) > now() - tombstoneMillis ? mark : undefined;
        },
      }),
    ),
  ],
  audit: [
    {
      what: 'histories',
      check: checkHistory,
      holds: 'every change of credit has its row; the rows end with the balances, and redeem each gift card once',
    },
  ],
};
