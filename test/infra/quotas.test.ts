import { expect, test } from 'vitest';
import { largestOf, quotaFaults, quotas, readStacks, type StackTemplate, templateRules } from '../../infra/quotas.ts';
import { routes } from '../../lib/routes/routes.ts';
import { asShipped, everySetting, templateOf, templateOfRows } from '../support/stack.ts';

/** AWS's quotas and rules, counted in the templates that a deployment would send. */

/** The rows of endpoints that are still to come: keys, team, journal, the customer's page. */
const rowsToCome = Array.from({ length: 24 }, (_, number) => {
  const row = routes[number % 2 === 0 ? 0 : 30] as (typeof routes)[number];
  return { ...row, path: `/v1/planted${number}`, servedBy: row.servedBy ?? row.id, id: `planted/row-${number}` };
});

const variants: [string, () => StackTemplate[]][] = [
  ['as shipped', () => readStacks(templateOf(asShipped).dir)],
  ['with every setting', () => readStacks(templateOf(everySetting).dir)],
  ['with 24 rows more', () => readStacks(templateOfRows([...routes, ...rowsToCome] as never, everySetting).dir)],
];

test.each(variants)('the templates %s stay within each quota and rule', (_, stacksOf) => {
  const stacks = stacksOf();

  expect(stacks.length).toBe(4);
  expect(quotaFaults(stacks)).toEqual([]);
  // A quota that counts nothing anywhere is one that this test does not hold.
  for (const one of quotas)
    if (one.most > 0 && !/expression|key’s policy|web ACL/.test(one.name))
      expect(largestOf(one, stacks).count, one.name).toBeGreaterThan(one.name.includes('throttles') ? -1 : 0);
});

test('no quota is nearly used up, so that a release does not meet one by surprise', () => {
  const stacks = readStacks(templateOf(everySetting).dir);

  const used = quotas.map((one) => [one.name, largestOf(one, stacks).count, one.most] as const);

  for (const [name, count, most] of used) if (most > 10) expect(count / most, name).toBeLessThan(0.9);
});

/** The templates with other properties of the resources of a type. */
const changed = (type: string, properties: Record<string, unknown>): StackTemplate[] =>
  readStacks(templateOf(asShipped).dir).map((stack) => {
    const template = structuredClone(stack.template);
    for (const resource of Object.values<{ Type: string; Properties: object }>(template.Resources))
      if (resource.Type === type) Object.assign(resource.Properties, properties);
    return { ...stack, template };
  });

const settingOf = (number: number) => ({
  HttpMethod: 'GET',
  ResourcePath: `/${number}`,
  LoggingLevel: 'ERROR',
  ThrottlingRateLimit: 1,
  ThrottlingBurstLimit: 1,
  DataTraceEnabled: false,
});

const throttles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`/v1/x${i}/GET`, { RateLimit: 1, BurstLimit: 1 }]));

const plan = 'AWS::ApiGateway::UsagePlan';
const stage = 'AWS::ApiGateway::Stage';

test.each([
  [
    'throttles of methods in a plan without its own',
    () => changed(plan, { Throttle: undefined, ApiStages: [{ Throttle: throttles(5) }] }),
    templateRules[0]?.name,
  ],
  [
    '85 throttles of methods',
    () => changed(plan, { ApiStages: [{ Throttle: throttles(85) }] }),
    '85 throttles of methods for a stage in a usage plan, and AWS takes 20',
  ],
  [
    'a setting of its own for each method',
    () => changed(stage, { MethodSettings: Array.from({ length: 90 }, (_, i) => settingOf(i)) }),
    '360 changes of a stage in one call, and AWS takes 80',
  ],
  [
    'a path with a wildcard',
    () => changed(plan, { ApiStages: [{ Throttle: { '*/*': {} } }] }),
    'names a method that the API has',
  ],
  [
    'concurrency that is reserved, which an account of 10 cannot give',
    () => changed('AWS::Lambda::Function', { ReservedConcurrentExecutions: 2 }),
    'and AWS takes 0',
  ],
])('finds %s', (_, stacksOf, sentence) => {
  expect(quotaFaults(stacksOf()).join('\n')).toContain(sentence);
});
