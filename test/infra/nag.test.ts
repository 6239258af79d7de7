import type { Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { acknowledge, acknowledgements } from '../../infra/nag.ts';
import { asShipped, everythingOn, makeStack } from '../support/stack.ts';

const findings = (stack: Stack): { rule: string; path: string }[] =>
  [new AwsSolutionsChecks(stack), new ServerlessChecks(stack)].flatMap((pack) =>
    pack
      .validateScope(stack)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map((resource) => ({ rule: ruleName, path: String(resource.constructPath) })),
      ),
  );

const found = new Map<Record<string, string>, ReturnType<typeof findings>>();

/** The findings in the stack with these settings, before anything is acknowledged; each is checked once. */
const foundIn = (settings: Record<string, string>): ReturnType<typeof findings> => {
  const rows = found.get(settings) ?? findings(makeStack(settings));
  found.set(settings, rows);
  return rows;
};

const isAcknowledged = ({ rule, path }: { rule: string; path: string }): boolean =>
  acknowledgements.some((row) => row.rule === rule && row.at.test(path));

const variants: [string, Record<string, string>][] = [
  ['as shipped', asShipped],
  ['with everything switched on', everythingOn],
];

test.each(variants)('%s, breaks no rule of cdk-nag without a written reason', (_, settings) => {
  const before = foundIn(settings);
  const stack = makeStack(settings);

  acknowledge(stack);

  expect(before.length).toBeGreaterThan(0);
  expect(before.filter((finding) => !isAcknowledged(finding))).toEqual([]);
  expect(findings(stack)).toEqual([]);
});

test('every written reason excuses a finding', () => {
  const all = [...foundIn(asShipped), ...foundIn(everythingOn)];

  const unused = acknowledgements.filter(({ rule, at }) => !all.some((one) => one.rule === rule && at.test(one.path)));

  expect(unused).toEqual([]);
});
