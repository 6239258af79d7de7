import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnResource, CloudFormationValidatePlugin } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { includedLaunch } from '../../deploy/test/launch-included.ts';
import { tempDir } from '../support/files.ts';
import { asShipped, everythingOn, makeStack, templateOf } from '../support/stack.ts';

/**
 * CloudFormation's resource schemas and rules, which the CDK brings along. `npm run synth` applies them to the stack as
 * shipped, too, but not to the stacks nested in it.
 */

const variants: [string, Record<string, string>][] = [
  ['as shipped', asShipped],
  ['with everything switched on', everythingOn],
];

test.each(variants)('%s, breaks none of CloudFormation’s own rules', (_, settings) => {
  const stack = makeStack(settings);

  // The CDK throws its findings, since cdk.json says "validateAgainstDefaultRules".
  expect(() => Template.fromStack(stack)).not.toThrow();
});

test.each([
  ['Modus', 'overwrite', /'Modus' was unexpected/],
  ['FailOnWarnings', 'maybe', /'maybe' is not of type 'boolean'/],
])('the rules find a wrong %s of the API', (property, value, finding) => {
  const stack = makeStack();
  const rest = stack.node.findChild('Api').node.findChild('Rest').node.defaultChild as CfnResource;

  rest.addPropertyOverride(property, value);

  expect(() => Template.fromStack(stack)).toThrow(finding);
});

const plugin = new CloudFormationValidatePlugin();

/** The errors in a template. */
const errorsIn = (templatePath: string): string[] => {
  const stackTemplates = [{ stackConstructPath: 'service', templatePath }];
  const { violations } = plugin.validate({ stackTemplates } as Parameters<typeof plugin.validate>[0]);
  return violations
    .filter(({ severity }) => severity === 'error' || severity === 'fatal')
    .map(({ description }) => description);
};

test.each(variants)('the nested stacks, %s, break none of them either', (_, settings) => {
  const { dir } = templateOf(settings);
  const nested = globSync('*.nested.template.json', { cwd: dir }).map((file) => join(dir, file));
  const broken = join(dir, 'broken.json');
  const text = readFileSync(nested.find((file) => file.includes('Permissions')) as string, 'utf8');
  writeFileSync(broken, text.replaceAll('"Principal"', '"Principals"'));

  expect(nested.length).toBe(3);
  expect(nested.flatMap(errorsIn)).toEqual([]);
  expect(errorsIn(broken).join()).toContain("'Principals' was unexpected");
});

test('launch.yaml breaks none of them either', () => {
  const { template } = includedLaunch();
  const [whole, broken] = ['launch.json', 'broken.json'].map((name) => join(tempDir(), name)) as [string, string];
  writeFileSync(whole, JSON.stringify(template));
  template.Resources.Project.Properties.TimeoutInHours = 1;
  writeFileSync(broken, JSON.stringify(template));

  expect(errorsIn(whole)).toEqual([]);
  expect(errorsIn(broken).join()).toContain('TimeoutInHours');
});
