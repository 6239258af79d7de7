import pMap from 'p-map';
import { findCustomerItem } from '../../avatars/customers.ts';
import type { Resident } from '../../avatars/residents.ts';
import { now, timestamp } from '../../clock.ts';
import { forSomeTime, reconcileCredit } from '../../credit/change.ts';
import { importEpoch } from '../../credit/lot.ts';
import { isUnchanged, withLots, withoutLots } from '../../credit/lots.ts';
import { type CreditFacts, isPrerequisite, planCredit, spendableOf } from '../../credit/plan.ts';
import { type CreditType, creditTypes } from '../../credit/rules.ts';
import { type CreditItem, creditLimit, type Part } from '../../credit/state.ts';
import { writesOf } from '../../credit/writes.ts';
import { customerKey } from '../../table/keys.ts';
import { repeat } from '../../table/retry.ts';
import { getMany } from '../../table/table.ts';
import { isChangedByStore } from './credit.ts';
import { type Group, type Importer, type Row, sideBySide } from './rows.ts';

/**
 * The balances of customers at another service. Its API tells no lots, so this importer adds or removes credit here
 * until the balances are equal, by the usual rules. It stops once this store has changed the customer's credit itself.
 */

/** A customer's balances at the other service, in L$. All credit that is added here ends at `expiresAt`. */
export interface BalanceFields extends Record<CreditType, number> {
  resident: Resident;
  expiresAt?: string | undefined;
}

const by = 'import';

/** The parts of a change after which a customer's balances equal a row; undefined if lots must be read first. */
const partsOf = (facts: CreditFacts, fields: BalanceFields, at: string) => {
  const held = spendableOf(facts, at);
  if (isPrerequisite(held)) return held;
  const { expiresAt } = fields;
  return creditTypes.flatMap((type): Part[] => {
    const delta = fields[type] - held[type];
    const ends = delta > 0 && expiresAt !== undefined ? { expiresAt } : {};
    return delta === 0 ? [] : [{ type, command: { kind: 'increment', delta, name: type, ...ends } }];
  });
};

/** The group of a row, decided from the customer's credit as it was read; undefined if it must be read again. */
const groupOf = async (
  row: Row<BalanceFields>,
  store: string,
  found: CreditFacts,
): Promise<Group<BalanceFields> | undefined> => {
  const { uuid } = row.fields.resident;
  const at = timestamp(now());
  if (isChangedByStore(found.item)) return { rows: [row], outcome: 'unchanged' };
  const parts = partsOf(found, row.fields, at);
  if (Array.isArray(parts) && parts.length === 0) return { rows: [row], outcome: 'unchanged' };
  const outcome = Array.isArray(parts) ? planCredit(found, parts, at, creditLimit()) : parts;
  if (outcome.kind === 'refused') return { rows: [row], outcome: { field: 'credit', message: outcome.message } };
  if (outcome.kind === 'read') return groupOf(row, store, await withLots(store, found, outcome.lots, at));
  if (outcome.kind !== 'planned') {
    if (outcome.kind !== 'torn') await reconcileCredit(store, uuid, by, forSomeTime());
    return undefined;
  }
  const change = { store, uuid, cause: { at, by }, occasion: { kind: 'import' as const } };
  const { creditVersion: importedVersion = 0 } = outcome.after;
  const { writes, pending } = writesOf(change, found.item, outcome.parts, {
    customerSet: { importedVersion },
    epoch: importEpoch,
  });
  if (pending && !(await isUnchanged(found))) return undefined;
  return { rows: [row], outcome: importedVersion === outcome.parts.length ? 'created' : 'changed', writes };
};

export const balanceImporter: Importer<BalanceFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.map(({ fields }) => customerKey(store, fields.resident.uuid));
    const items = new Map((await getMany<CreditItem>(keys, { consistent: true })).map((item) => [item.sk, item]));
    const planned = (row: Row<BalanceFields>) => {
      const { uuid, username } = row.fields.resident;
      let item = items.get(uuid);
      return repeat(async () => {
        const group = await groupOf(row, store, withoutLots(item ?? { ...customerKey(store, uuid), username }));
        if (!group) item = await findCustomerItem(store, uuid);
        return group && { result: group };
      });
    };
    return pMap(rows, planned, sideBySide);
  },
};
