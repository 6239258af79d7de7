import { AsyncLocalStorage } from 'node:async_hooks';
import { type Kind, kindsWritten, type Route } from '../../lib/routes/route.ts';
import { db, dbOnce } from '../../lib/store/table.ts';

/**
 * Holds every function to the kinds of item that its row declares, as its role does on AWS: a call to the table that
 * reaches for another kind fails.
 */

const rows = new AsyncLocalStorage<Route>();

/** Runs a row's function; its calls to the table are checked. */
export const asRow = <T>(row: Route, work: () => T): T => rows.run(row, work);

/** `<store>#KIND`, `<store>#KIND#part` or, for what all stores share, `KIND#id`. */
const shared = new Set(['STORE', 'KEY', 'RESIDENT', 'NAME']);
const kindOf = (pk: string): string => {
  const [first = '', second = ''] = pk.split('#');
  return shared.has(first) ? first : second;
};

interface Access {
  kind: string;
  write: boolean;
}

type Input = Record<string, never>;

const pkOf = ({ Key, Item }: { Key?: { pk: string }; Item?: { pk: string } }): string => (Key ?? Item)?.pk ?? '';

/** What a command of the table's clients reaches for. */
const accesses = (command: string, input: Input): Access[] => {
  const one = (pk: string, write: boolean): Access => ({ kind: kindOf(pk), write });
  const batches = Object.values((input.RequestItems ?? {}) as Record<string, never>);
  switch (command) {
    case 'GetCommand':
    case 'GetItemCommand':
      return [one(pkOf(input), false)];
    case 'QueryCommand':
      return [one(String(input.ExpressionAttributeValues?.[':hash']), false)];
    case 'BatchGetCommand':
    case 'BatchGetItemCommand':
      return batches.flatMap(({ Keys }: { Keys: { pk: string }[] }) => Keys.map(({ pk }) => one(pk, false)));
    case 'BatchWriteCommand':
    case 'BatchWriteItemCommand':
      return batches.flatMap((requests: { DeleteRequest?: object; PutRequest?: object }[]) =>
        requests.map(({ DeleteRequest, PutRequest }) => one(pkOf((DeleteRequest ?? PutRequest) as never), true)),
      );
    case 'TransactWriteCommand':
    case 'TransactWriteItemsCommand':
      return (input.TransactItems as unknown as Record<string, never>[]).flatMap((item) =>
        Object.entries(item).map(([operation, of]) => one(pkOf(of), operation !== 'ConditionCheck')),
      );
    case 'PutCommand':
    case 'PutItemCommand':
    case 'UpdateCommand':
    case 'UpdateItemCommand':
    case 'DeleteCommand':
    case 'DeleteItemCommand':
      return [one(pkOf(input), true)];
    default:
      throw new Error(`No function may call ${command}.`);
  }
};

const check = (row: Route, { kind, write }: Access): void => {
  const written = kindsWritten(row);
  const allowed = write ? written : [...row.reads, ...written];
  if (!allowed.includes(kind as Kind))
    throw new Error(`${row.id} ${write ? 'writes' : 'reads'} ${kind}, which its row does not declare.`);
};

for (const client of [db, dbOnce])
  client.middlewareStack.add(
    (next, context) => (args) => {
      const row = rows.getStore();
      if (row) for (const access of accesses(context.commandName ?? '', args.input as Input)) check(row, access);
      return next(args);
    },
    { step: 'initialize', name: 'access', priority: 'high' },
  );
