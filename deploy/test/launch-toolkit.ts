import { createRequire } from 'node:module';
import type { StackTemplate } from '../../infra/quotas.ts';
import { place } from '../../local/deployed/formation.ts';
import { resolveWith } from '../../local/deployed/intrinsics.ts';
import { readTemplateFile } from '../../local/deployed/launch-rights.ts';
import type { Resource } from '../../test/support/stack.ts';

/** The template of `cdk bootstrap`, with the parameters that a launch gives it: see deploy/launch/build.ts. */

const file = createRequire(import.meta.url)
  .resolve('aws-cdk/package.json')
  .replace('package.json', 'lib/api/bootstrap/bootstrap-template.yaml');

/** The conditions that hold. The CDK has the assets' key be AWS's own. */
const holding = [
  'HasCloudFormationExecutionPolicies',
  'PermissionsBoundarySet',
  'ShouldApplyPermissionsBoundaryToAllRoles',
  'ShouldDenyExternalId',
  'UseAwsManagedKey',
  'UsePublicAccessBlockConfiguration',
];

/** The names that the template gives its resources itself. */
const nameOf = ({ Properties = {} }: Resource): Resource => Properties.RoleName ?? Properties.BucketName;

/** The template as CloudFormation deploys it, with all references resolved. */
export const toolkitOf = (bound: string): StackTemplate => {
  const { Resources, Conditions } = readTemplateFile(file);
  const wrong = holding.filter((name) => !(name in Conditions));
  if (wrong.length > 0) throw new Error(`The toolkit of the CDK has no condition ${wrong.join()}.`);
  const given: Record<string, string> = {
    'AWS::AccountId': place.account,
    'AWS::Partition': place.partition,
    'AWS::Region': place.region,
    Qualifier: 'sislaunch',
    InputPermissionsBoundary: bound.slice(bound.lastIndexOf('/') + 1),
    CloudFormationExecutionPolicies: bound,
  };
  const resolve = (part: Resource): Resource =>
    resolveWith(
      {
        ref: (name) => given[name] ?? resolve(nameOf(Resources[name] ?? {})) ?? name,
        attribute: (id, name) => `${id}.${name}`,
        condition: (name) => holding.includes(name),
      },
      part,
    );
  const there = Object.entries<Resource>(Resources).filter(
    ([, { Condition }]) => Condition === undefined || holding.includes(Condition),
  );
  return { file, bytes: 0, template: { Resources: Object.fromEntries(there.map(([id, one]) => [id, resolve(one)])) } };
};
