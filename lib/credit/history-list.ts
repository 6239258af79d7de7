import { loaded, merged, reversed, type Source } from '../lists/source.ts';
import type { CreditChange } from '../routes/credit.ts';
import { rowsOf } from '../table/table.ts';
import { type HistoryItem, historyPartition, isWholeRow, restOfLots, type WholeRow } from './history.ts';
import { type CreditType, creditTypes } from './rules.ts';

/** A change of credit as the API answers it, and its place in the list's order. */
export interface ListedChange extends CreditChange {
  position: string;
}

/**
 * The lots that the change touched, each with its part. One entry sums up all lots that the row does not list, and one
 * is for permanent credit.
 */
const changedLots = (row: WholeRow): CreditChange['lots'] => {
  const { unlotted, lots = [], lastExpiresAt } = row;
  const rest = restOfLots(row);
  return [
    // The table keeps the members of an object in no order.
    ...lots.map(({ id, amount, expiresAt }) => ({ id, amount, expiresAt })),
    ...(lastExpiresAt === undefined || rest === 0 ? [] : [{ id: null, amount: rest, expiresAt: lastExpiresAt }]),
    ...(unlotted === 0 ? [] : [{ id: null, amount: unlotted, expiresAt: null }]),
  ];
};

const listed =
  (type: CreditType) =>
  (row: WholeRow): ListedChange => {
    const { sk: position, at, kind, amount, expired, credit, restrictedCredit } = row;
    const { reason = null, reference = null, saleId = null, giftCardId = null, requestId = null, keyId = null } = row;
    const { undoes = null, undone } = row;
    return {
      position,
      sequence: Number(position),
      at,
      type,
      kind,
      amount,
      expired,
      credit,
      restrictedCredit,
      lots: changedLots(row),
      reason,
      reference,
      saleId,
      giftCardId,
      requestId,
      keyId,
      undoes,
      undone: undone ? { at: undone.at, sequence: undone.sequence, amount: undone.amount } : null,
    };
  };

/** The changes of one type of a customer's credit, the oldest first. */
const listChanges = (store: string, uuid: string, type: CreditType): Source<ListedChange> =>
  loaded(
    rowsOf<HistoryItem>({ partition: historyPartition(store, uuid, type) }),
    ({ sk }) => sk,
    async (rows) => rows.filter(isWholeRow).map(listed(type)),
  );

/** The changes of a customer's credit, the newest first. */
export const listCreditHistory = (store: string, uuid: string, type?: CreditType): Source<ListedChange> =>
  reversed(
    merged(
      creditTypes.filter((each) => each === (type ?? each)).map((each) => listChanges(store, uuid, each)),
      ({ position }) => position,
    ),
  );
