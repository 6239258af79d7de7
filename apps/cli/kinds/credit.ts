import * as z from 'zod';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { asDecided, type CreditLot, lotId, lotPartition } from '../../../lib/credit/lot.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import { creditTypes } from '../../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { auditCredit } from '../../../lib/operator/audit-credit.ts';
import { creditImporter, unlottedId } from '../../../lib/operator/imports/credit.ts';
import { readCredit, type StoredCredit } from '../../../lib/operator/read-credit.ts';
import { identifier, integer, maxLength, text } from '../../../lib/routes/wire.ts';
import { partitionsOf } from '../deployment/scan.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, idHelp, optionalId, optionalText, optionalTime, type Values } from './columns.ts';
import type { ImportFile, Kind } from './kind.ts';
import { personal } from './personal.ts';

const creditType = z.enum(creditTypes, { error: 'must be regular or restricted' }).default('regular');
const lotState = z
  .enum(['open', 'drained', 'expired', 'superseded'], { error: 'must be open, drained, expired or superseded' })
  .default('open');

/** Undefined for an empty text. */
const remark = (max: number) =>
  text({ min: 0, max })
    .optional()
    .transform((given) => given || undefined);

/** The sums of all customers' balances, in whole L$. */
const totalCredit = async (store: string): Promise<Record<CreditType, number>> => {
  const totals = { regular: 0, restricted: 0 };
  for await (const item of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk))
    for (const type of creditTypes) totals[type] += holdingOf(item, type).balance;
  return totals;
};

const checkCreditRow: ImportFile['checkRow'] = ({ amount, expiresAt, remaining, state, ...others }, report) => {
  if (expiresAt === undefined) {
    const ofLots = { remaining, ...others };
    if (state !== undefined && state !== 'open') report('state', 'must be open or empty where there is no expiresAt');
    for (const name of ['remaining', 'createdAt', 'createdBy', 'endedAt', 'endedBy'] as (keyof typeof ofLots)[])
      if (ofLots[name] !== undefined) report(name, 'must be empty where there is no expiresAt');
    return;
  }
  if (typeof amount !== 'number') return;
  const left = remaining ?? (state === 'drained' ? 0 : amount);
  if (amount < 1) report('amount', 'must be at least 1 for a lot');
  else if (Number(left) > amount) report('remaining', 'must be at most the amount');
  else if (state === 'drained' && left !== 0) report('remaining', 'must be 0 or empty for a lot that is drained');
  else if (state !== 'drained' && left === 0) report('remaining', 'must be over 0; a lot with nothing left is drained');
  if ((state ?? 'open') === 'open')
    for (const name of ['endedAt', 'endedBy'])
      if (others[name] !== undefined) report(name, 'must be empty for a lot that is open');
};

/**
 * Lists the credit of every customer. For each type, the unlotted credit comes first. The lots follow in the order in
 * which they are drained. A lot that a pending large change will alter has its value after the change.
 */
async function* listCredit(store: string): AsyncGenerator<Values> {
  const place = (lot: CreditLot): string => `${lot.expiresAt}#${lotId(lot)}`;
  for await (const found of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk)) {
    if (found.creditVersion === undefined) continue;
    let read: StoredCredit | undefined;
    while (!read) read = await readCredit(store, found.sk);
    const { item = found, lots } = read;
    for (const type of creditTypes) {
      const row = { resident: item.sk, type };
      const { unlotted } = holdingOf(item, type);
      if (unlotted > 0) yield { ...row, id: unlottedId(item, type), amount: unlotted };
      const theirs = lots.filter(({ sk }) => sk.startsWith(`${type}#`)).map((lot) => asDecided(lot, item));
      // Keys begin with the epoch, and an import puts all lots into one. So the keys are in another order.
      for (const lot of theirs.sort((a, b) => (place(a) < place(b) ? -1 : 1))) yield { ...row, id: lotId(lot), ...lot };
    }
  }
}

/** All these lots are closed, since an erasure first ends the customer's credit. */
export const lotItems = personal<CreditLot>({
  words: ['credit lot', 'credit lots'],
  effect: 'pseudonym',
  find: listLots,
  kept: (lot, { store, pseudonym }) => ({ ...lot, pk: lotPartition(store, pseudonym) }),
});

/** The faults of a customer's credit at one moment. */
const creditFaults = async (store: string, uuid: string): Promise<string[]> => {
  const read = await readCredit(store, uuid);
  if (!read) return [`customer ${uuid}: the credit changes all the time and could not be checked.`];
  return read.item ? auditCredit(read.item, read.lots) : [`customer ${uuid}: was removed while it was read.`];
};

/**
 * For both types, a customer's balance equals the unlotted credit plus the open lots. Closed lots say how they ended.
 */
export const checkCredit: Check = async (store, listener) => {
  const withLots = await partitionsOf(store, 'LOT');
  return forEvery(
    everyRow(listCustomerItems(store), ({ sk }) => sk),
    listener,
    async (item) => {
      // Most credit is in order. This first look costs one read, or none for a customer without lots.
      const lots = withLots.has(lotPartition(store, item.sk)) ? await listLots(store, item.sk) : [];
      return auditCredit(item, lots).length === 0 ? [] : creditFaults(store, item.sk);
    },
  );
};

export const credit: Kind = {
  file: {
    name: 'credit',
    summary: "customers' credit: a row for each lot, and one without expiresAt for credit that does not expire",
    columns: columns({
      resident: ['person', identifier(), 'the customer, by UUID or username'],
      type: ['text', creditType, 'regular or restricted'],
      amount: ['integer', integer(0), 'in whole L$: the amount that was added'],
      expiresAt: ['end', optionalTime, 'when it expires; empty: never'],
      remaining: ['integer', integer(0).optional(), 'the part that is left; empty: all of it'],
      id: ['text', optionalId, idHelp],
      state: ['text', lotState, 'open, or how it ended'],
      createdAt: ['text', optionalTime, 'when it was added'],
      createdBy: ['text', optionalText, 'the request that added it'],
      endedAt: ['text', optionalTime, 'when it ended, if it has'],
      endedBy: ['text', optionalText, 'the request that ended it'],
      reason: ['text', remark(maxLength.reason), 'why it was added, as history tells it'],
      reference: ['text', remark(maxLength.reference), 'its number or name in your own records, as history tells it'],
    }),
    checkRow: checkCreditRow,
    id: {
      from: ({ resident, type = 'regular', amount, expiresAt }, uuidOf) =>
        JSON.stringify([uuidOf(resident), type, amount, expiresAt]),
      repeats: ({ expiresAt }) => expiresAt !== undefined,
    },
    unique: ({ id, resident, type = 'regular', expiresAt }, uuidOf): Record<string, string[]> =>
      expiresAt === undefined ? { resident: [`${uuidOf(resident)} ${type}`] } : { id: [id as string] },
    onlyAdded: true,
    totals: totalCredit,
    importer: (checksOnly) => creditImporter(checksOnly ? new Map() : undefined),
    rows: listCredit,
  },
  personal: [lotItems],
  audit: [
    {
      what: 'customers',
      check: checkCredit,
      holds: 'balance = credit not in lots + open lots; closed lots say how they ended',
    },
  ],
};
