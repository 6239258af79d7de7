import { AsyncLocalStorage } from 'node:async_hooks';
import { type Access, accessOf, type Permission, permissions } from '../../infra/permissions.ts';
import type { Route } from '../../lib/routes/route.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { isLike, type TableUse, tableUses } from '../../local/deployed/roles.ts';

/**
 * Checks every handler's calls against the role of its function in the stack. The local engines do not know IAM, so
 * without this a kind that is missing in a row would fail on AWS only.
 */

/** True if one of the permissions allows a use. As in IAM, each key must match a pattern of the permission. */
export const allows = (permitted: Permission[], { action, index, partitions }: Omit<TableUse, 'table'>): boolean =>
  permitted.some(
    (permission) =>
      permission.actions.includes(action) &&
      (index === undefined || permission.indexes.includes(index)) &&
      partitions.length > 0 &&
      partitions.every((key) => permission.partitions.some((pattern) => isLike(pattern, key))),
  );

const roles = new AsyncLocalStorage<{ name: string; permitted: Permission[] }>();

for (const client of [db, dbOnce])
  client.middlewareStack.add(
    (next, context) => (args) => {
      const role = roles.getStore();
      const uses = role ? tableUses((context.commandName ?? '').replace(/Command$/, ''), args.input) : [];
      const refused = uses.find((use) => !allows(role?.permitted ?? [], use));
      if (refused)
        throw new Error(
          `The role of ${role?.name} does not allow ${refused.action} on ${refused.partitions.join(', ')}: see reads and writes of its row.`,
        );
      return next(args);
    },
    { step: 'build', name: 'role' },
  );

/** Runs a function under the role that has this access. */
export const asFunction = <T>(name: string, access: Access, work: () => T): T =>
  roles.run({ name, permitted: permissions(access) }, work);

/** Runs a row's function under its role. */
export const asRow = <T>(row: Route, work: () => T): T => asFunction(row.id, accessOf(row), work);
