import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { vi } from 'vitest';
import type { Resource } from '../../test/support/stack.ts';
import { launchFile } from './launch-file.ts';

/** launch.yaml as JSON, and the properties that CloudFormation's types do not know. */
export const includedLaunch = () => {
  const unknown = vi.spyOn(CfnResource.prototype, 'addPropertyOverride');
  process.env.CDK_VALIDATION = 'false';
  const stack = new Stack(new App({ treeMetadata: false }), 'launch');
  new CfnInclude(stack, 'Template', { templateFile: launchFile });
  const template: Resource = Template.fromStack(stack).toJSON();
  delete process.env.CDK_VALIDATION;
  const names = unknown.mock.calls.map(([name]) => name);
  unknown.mockRestore();
  return { template, unknown: names };
};
