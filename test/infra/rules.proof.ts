import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { asShipped, everythingOn, makeStack } from '../support/stack.ts';

/** `npm run synth` applies these rules to the stack as shipped, too. */

test.each([
  ['as shipped', asShipped],
  ['with everything switched on', everythingOn],
])('%s, breaks none of CloudFormation’s own rules', (_, settings) => {
  const stack = makeStack(settings);

  // The CDK throws its findings, since cdk.json says "validateAgainstDefaultRules".
  expect(() => Template.fromStack(stack)).not.toThrow();
});
