import { type IndexName, indexes, tableKey } from '../../lib/table/schema.ts';
import type { Part, ResolvedTemplate } from './template.ts';

/**
 * Decides as IAM does, for the parts that the stack's roles use: actions, resources, and conditions on the keys of
 * items.
 */

export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  Action: string | readonly string[];
  Resource: string | readonly string[];
  Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export const statementsOf = (template: Pick<ResolvedTemplate, 'ofType'>): Map<string, Statement[]> =>
  new Map(
    template
      .ofType('AWS::IAM::Role')
      .map(({ arn, properties }) => [
        arn(),
        (properties.Policies ?? []).flatMap(({ PolicyDocument }: Part) => PolicyDocument.Statement),
      ]),
  );

export interface AccessRequest {
  /** The action, such as `dynamodb:GetItem`. */
  action: string;
  resource: string;
  /** The values of condition keys. A key without a value is missing or empty. */
  context: Readonly<Record<string, readonly string[]>>;
}

const asList = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

const patterns = new Map<string, RegExp>();

/** Keeps the expressions of patterns, since there are few and every call tries them. */
export const isLike = (pattern: string, value: string): boolean => {
  const known =
    patterns.get(pattern) ??
    new RegExp(
      `^${pattern
        .replaceAll(/[^*?]+/g, RegExp.escape)
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
      's',
    );
  patterns.set(pattern, known);
  return known.test(value);
};

const operators: Record<string, (values: readonly string[], expected: readonly string[]) => boolean> = {
  StringEquals: (values, expected) => values.some((value) => expected.includes(value)),
  StringLike: (values, expected) => values.some((value) => expected.some((one) => isLike(one, value))),
  'ForAllValues:StringLike': (values, expected) => values.every((value) => expected.some((one) => isLike(one, value))),
  // "false" demands that the key is present.
  Null: (values, [expected]) => (values.length === 0) === (expected === 'true'),
};

const holds = ({ Condition = {} }: Statement, { context }: AccessRequest): boolean =>
  Object.entries(Condition).every(([name, keys]) => {
    const operator = operators[name];
    if (!operator) throw new Error(`local/deployed/roles.ts does not know the condition ${name}.`);
    return Object.entries(keys).every(([key, expected]) => operator(context[key] ?? [], asList(expected)));
  });

const applies = (statement: Statement, asked: AccessRequest): boolean =>
  asList(statement.Action).some((action) => isLike(action, asked.action)) &&
  asList(statement.Resource).some((resource) => isLike(resource, asked.resource)) &&
  holds(statement, asked);

/** True if at least one of the statements allows the request, and none denies it. */
export const doStatementsAllow = (statements: readonly Statement[], asked: AccessRequest): boolean => {
  const found = statements.filter((statement) => applies(statement, asked));
  return found.length > 0 && found.every(({ Effect }) => Effect === 'Allow');
};

/** One use of the table by a command. Each item of a transaction is a use of its own. */
export interface TableUse {
  /** DynamoDB's action, without its prefix. */
  action: string;
  table: string;
  index?: IndexName | undefined;
  /** The partition keys that the command names. */
  partitions: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the inputs of all commands, looked at member by member.
type Input = any;

const keyText = (value: Input): string => (typeof value === 'object' ? value.S : value);
const partitionOf = (item: Input): string[] => {
  const value = item[tableKey.partition];
  return value === undefined ? [] : [keyText(value)];
};

/**
 * Lists the uses of tables by a command such as `Query`. The input may have the form that is sent, or the document
 * client's.
 */
export const tableUses = (command: string, input: Input): TableUse[] => {
  const tables: [string, Input][] = Object.entries(input.RequestItems ?? {});
  switch (command) {
    case 'TransactWriteItems':
      return input.TransactItems.flatMap((item: Input) =>
        Object.entries<Input>(item).map(([verb, { TableName, Key, Item }]) => ({
          action: verb === 'ConditionCheck' ? 'ConditionCheckItem' : `${verb}Item`,
          table: TableName,
          partitions: partitionOf(Key ?? Item),
        })),
      );
    case 'TransactGetItems':
      return input.TransactItems.map(({ Get }: Input) => ({
        action: 'GetItem',
        table: Get.TableName,
        partitions: partitionOf(Get.Key),
      }));
    case 'BatchGetItem':
      return tables.map(([table, { Keys }]) => ({ action: command, table, partitions: Keys.flatMap(partitionOf) }));
    case 'BatchWriteItem':
      return tables.map(([table, writes]) => ({
        action: command,
        table,
        partitions: writes.flatMap(({ PutRequest, DeleteRequest }: Input) =>
          partitionOf(PutRequest?.Item ?? DeleteRequest.Key),
        ),
      }));
    case 'Query': {
      const index = input.IndexName as IndexName | undefined;
      const { partition } = index ? indexes[index] : tableKey;
      const equals = [...input.KeyConditionExpression.matchAll(/([#\w]+) = (:\w+)/g)];
      const keys = equals.filter(([, name]) => (input.ExpressionAttributeNames?.[name] ?? name) === partition);
      const partitions = keys.map(([, , value]) => keyText(input.ExpressionAttributeValues[value]));
      return [{ action: command, table: input.TableName, index, partitions }];
    }
    default:
      return [{ action: command, table: input.TableName, partitions: partitionOf(input.Key ?? input.Item ?? {}) }];
  }
};
