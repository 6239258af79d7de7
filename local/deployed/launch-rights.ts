import { readFileSync } from 'node:fs';
import { type CollectionTag, parse, type ScalarTag } from 'yaml';
import { type FormationRights, place } from './formation.ts';
import { resolveWith } from './intrinsics.ts';
import type { Statement } from './roles.ts';

/** Reads the policies of deploy/launch.yaml, as they would be in the account of `place`. */

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
type Part = any;

const shortForms = ['And', 'Equals', 'GetAtt', 'If', 'Join', 'Not', 'Or', 'Ref', 'Select', 'Split', 'Sub'];

/** CloudFormation's short forms of functions, such as `!Sub`. */
const customTags = shortForms.flatMap((name): (ScalarTag | CollectionTag)[] => {
  const key = name === 'Ref' ? name : `Fn::${name}`;
  return [
    { tag: `!${name}`, resolve: (text) => ({ [key]: text }) },
    { tag: `!${name}`, collection: 'seq', resolve: (parts) => ({ [key]: (parts as Part).toJSON() }) },
  ];
});

export const readTemplateFile = (path: string | URL): Part => parse(readFileSync(path, 'utf8'), { customTags });

/** The ARN of a launch's stack with this id. */
export const launchArn = (id: string): string =>
  `arn:aws:cloudformation:${place.region}:${place.account}:stack/my-store/${id}`;

/** A launch for all uses that need no particular one. */
const anyLaunch = launchArn('0c0ffee0-1111-4222-8333-444444444444');

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': place.account,
  'AWS::Partition': place.partition,
  'AWS::Region': place.region,
  'AWS::StackName': 'my-store',
};

const file = new URL('../../deploy/launch.yaml', import.meta.url);

/** The ARNs of the resources of launch.yaml that a policy names. */
export const launchArns: Readonly<Record<string, string>> = {
  Exports: 'arn:aws:s3:::my-store-exports',
  Log: `arn:aws:logs:${place.region}:${place.account}:log-group:my-store-Log:*`,
  Project: `arn:aws:codebuild:${place.region}:${place.account}:project/Project`,
};

/** Reads the statements of each policy of a launch. The policy `Rights` is also the bound of all roles. */
export const readLaunch = (launch = anyLaunch) => {
  const { Resources } = readTemplateFile(file);
  const given: Readonly<Record<string, string>> = { ...pseudo, 'AWS::StackId': launch };
  const resolve = (part: Part): Part =>
    resolveWith(
      {
        ref: (name) => given[name] ?? (name === 'Rights' ? bound : name),
        attribute: (id, name) => (name === 'Arn' ? launchArns[id] : undefined) ?? `${id}.${name}`,
      },
      part,
    );
  const name = resolve(Resources.Rights.Properties.ManagedPolicyName);
  const bound: string = `arn:aws:iam::${place.account}:policy/${name}`;
  const statementsOf = (id: string): Statement[] => resolve(Resources[id].Properties.PolicyDocument.Statement);
  const formation: FormationRights = { statements: statementsOf('Rights'), bound };
  return { formation, build: statementsOf('BuildRights'), function: statementsOf('FunctionRights') };
};
