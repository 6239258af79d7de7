import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CfnResource } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { asShipped, everythingOn, makeStack, templateOf } from '../support/stack.ts';
import { errorsIn } from '../support/template-rules.ts';

/**
 * CloudFormation's resource schemas and rules, which come with the CDK. `npm run synth` also applies them to the stack
 * as shipped, but not to its nested stacks.
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
