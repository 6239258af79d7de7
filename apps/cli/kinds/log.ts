import type { LogRow } from '../../../lib/store/operator-log.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsAbout } from '../deployment/log.ts';
import type { Kind } from './kind.ts';
import { type Erasure, type PersonalItems, personal, replaced } from './personal.ts';

/** Removes an avatar's UUID and names from the facts of a change in the log. */
const withoutAvatar = (details: LogRow['details'], { uuid, pseudonym }: Erasure): LogRow['details'] => {
  const { moved, ...others } = details as { moved?: object[] };
  const isAdded = details.uuid === uuid && 'username' in details;
  const withoutNames = {
    ...others,
    ...(isAdded && { username: pseudonym, formerNames: [] }),
    ...(moved && { moved: details.to === uuid ? moved.map((one) => ({ ...one, name: pseudonym })) : moved }),
  };
  return replaced(withoutNames, uuid, pseudonym) as LogRow['details'];
};

/** Rows of the operator's log about one store, or about changes that concern all stores. */
const logItems = (scope: 'store' | 'shared'): PersonalItems =>
  personal<LogRow & Key>({
    isShared: scope === 'shared',
    words: ['row of the log', 'rows of the log'],
    effect: 'pseudonym; names go',
    find: (store, uuid) => rowsAbout(uuid, scope === 'store' ? store : null),
    kept: (row, erasure) => ({ ...row, details: withoutAvatar(row.details, erasure) }) as Key,
  });

export const log: Kind = {
  personal: [logItems('shared'), logItems('store')],
};
