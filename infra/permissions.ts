import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Kind } from '../lib/routes/route.ts';
import { indexes } from '../lib/store/table.ts';

/** The kinds of item that a function may touch. Who writes a kind may read it too. */
export interface Access {
  reads: readonly Kind[];
  writes: readonly Kind[];
  /** Partitions beyond those of the kinds: an index that spans stores. */
  alsoReads?: readonly string[];
}

const sharedKinds: readonly Kind[] = ['STORE', 'KEY', 'RESIDENT', 'NAME'];

/** The partition keys of a kind, of the table and of its indexes alike: see `Kind`. */
const partitionsOf = (kind: Kind): string[] =>
  sharedKinds.includes(kind) ? [`${kind}#*`] : [`*#${kind}`, `*#${kind}#*`];

const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'];

const statement = (sid: string, actions: string[], resources: string[], partitions: string[]): PolicyStatement =>
  new PolicyStatement({
    sid,
    effect: Effect.ALLOW,
    actions,
    resources,
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
      // ForAllValues holds for a request that names no key at all, so one that names none is refused.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });

/** What a function may do with the table, and nothing else: no scan, and no kind of item that it has no use for. */
export const tableStatements = (tableArn: string, { reads, writes, alsoReads = [] }: Access): PolicyStatement[] => {
  const readable = [...new Set([...reads, ...writes])].flatMap(partitionsOf).concat(alsoReads);
  const indexArns = Object.keys(indexes).map((name) => `${tableArn}/index/${name}`);
  // What a transaction only checks, it does not write; who writes nothing has no transaction.
  const checks = writes.length > 0 ? ['dynamodb:ConditionCheckItem'] : [];
  return [
    ...(readable.length > 0
      ? [statement('Read', [...readActions, ...checks], [tableArn, ...indexArns], readable)]
      : []),
    ...(writes.length > 0 ? [statement('Write', writeActions, [tableArn], writes.flatMap(partitionsOf))] : []),
  ];
};
