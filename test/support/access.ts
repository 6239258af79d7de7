import { AsyncLocalStorage } from 'node:async_hooks';
import { type Access, accessOf, type Permission, permissions } from '../../infra/permissions.ts';
import type { Route } from '../../lib/routes/route.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { type IndexName, indexes, tableKey } from '../../lib/table/schema.ts';

/**
 * Checks every handler's calls against the role of its function in the stack. The local engines do not know IAM, so
 * without this a kind that is missing in a row would fail on AWS only.
 */

interface Use {
  action: string;
  index?: IndexName | undefined;
  partitions: string[];
}

const compiled = new Map<string, RegExp>();

/** Each of the few patterns is tried on every call. */
const like = (pattern: string): RegExp => {
  const known = compiled.get(pattern) ?? new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's');
  compiled.set(pattern, known);
  return known;
};

/** True if one of the permissions allows a use. As in IAM, each key has to match one of its patterns. */
export const allows = (permitted: Permission[], { action, index, partitions }: Use): boolean =>
  permitted.some(
    (permission) =>
      permission.actions.includes(action) &&
      (index === undefined || permission.indexes.includes(index)) &&
      partitions.length > 0 &&
      partitions.every((key) => permission.partitions.some((pattern) => like(pattern).test(key))),
  );

// biome-ignore lint/suspicious/noExplicitAny: the inputs of all commands, looked at member by member.
type Input = any;

const textOf = (value: Input): string => (typeof value === 'object' ? value.S : value);
const partitionOf = (item: Input): string => textOf(item[tableKey.partition]);

/** The IAM actions of a command: one per item of a transaction. */
const usesOf = (command: string, input: Input): Use[] => {
  const tables: [string, Input][] = Object.entries(input.RequestItems ?? {});
  switch (command) {
    case 'TransactWriteItemsCommand':
      return input.TransactItems.flatMap((item: Input) =>
        Object.entries<Input>(item).map(([verb, { Key, Item }]) => ({
          action: verb === 'ConditionCheck' ? 'ConditionCheckItem' : `${verb}Item`,
          partitions: [partitionOf(Key ?? Item)],
        })),
      );
    case 'TransactGetItemsCommand':
      return input.TransactItems.map(({ Get }: Input) => ({ action: 'GetItem', partitions: [partitionOf(Get.Key)] }));
    case 'BatchGetItemCommand':
      return tables.map(([, { Keys }]) => ({ action: 'BatchGetItem', partitions: Keys.map(partitionOf) }));
    case 'BatchWriteItemCommand':
      return tables.map(([, writes]) => ({
        action: 'BatchWriteItem',
        partitions: writes.map(({ PutRequest, DeleteRequest }: Input) =>
          partitionOf(PutRequest?.Item ?? DeleteRequest.Key),
        ),
      }));
    case 'QueryCommand': {
      const { partition } = input.IndexName ? indexes[input.IndexName as IndexName] : tableKey;
      const equals = [...input.KeyConditionExpression.matchAll(/([#\w]+) = (:\w+)/g)];
      const keys = equals.filter(([, name]) => (input.ExpressionAttributeNames?.[name] ?? name) === partition);
      const partitions = keys.map(([, , value]) => textOf(input.ExpressionAttributeValues[value]));
      return [{ action: 'Query', index: input.IndexName, partitions }];
    }
    default:
      return [{ action: command.replace('Command', ''), partitions: [partitionOf(input.Key ?? input.Item ?? {})] }];
  }
};

const roles = new AsyncLocalStorage<{ name: string; permitted: Permission[] }>();

for (const client of [db, dbOnce])
  client.middlewareStack.add(
    (next, context) => (args) => {
      const role = roles.getStore();
      const uses = role ? usesOf(context.commandName ?? '', args.input) : [];
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
