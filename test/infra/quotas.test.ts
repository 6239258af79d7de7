import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  largestOf,
  type Quota,
  quotaFaults,
  quotas,
  readStacks,
  type StackTemplate,
  templateRules,
} from '../../infra/quotas.ts';
import { asShipped, everySetting, templateOf } from '../support/stack.ts';

/** AWS's quotas and rules, counted in the templates that a deployment would send. */

const plan = 'AWS::ApiGateway::UsagePlan';
const stage = 'AWS::ApiGateway::Stage';

const variants: readonly [name: string, stacks: StackTemplate[]][] = [
  ['as shipped', readStacks(templateOf(asShipped).dir)],
  ['with every setting', readStacks(templateOf(everySetting).dir)],
];

test.each(variants)('the templates %s stay within each quota and rule', (_, stacks) => {
  expect(stacks.length).toBe(4);
  expect(quotaFaults(stacks)).toEqual([]);
  // A quota that counts nothing anywhere is not tested here.
  for (const one of quotas)
    if (one.most > 0 && !/expression|key’s policy|web ACL/.test(one.name))
      expect(largestOf(one, stacks).count, one.name).toBeGreaterThan(one.name.includes('throttles') ? -1 : 0);
});

test.each(variants)('the templates %s set at most 20 methods apart from the others', (_, stacks) => {
  const settings = stacks.flatMap(({ template }) =>
    Object.values<{ Type: string; Properties: { MethodSettings?: object[] } }>(template.Resources)
      .filter(({ Type }) => Type === stage)
      .map(({ Properties: { MethodSettings = [] } }) => MethodSettings.length),
  );

  expect(settings).toHaveLength(1);
  expect(settings[0]).toBeGreaterThan(0);
  expect(settings[0]).toBeLessThanOrEqual(20);
});

const countIn = (one: Quota, [, stacks]: (typeof variants)[number]): number => largestOf(one, stacks).count;

/** A large number upwards, to two digits: it stays as it is where a text gains a word. */
const rounded = (count: number): number => {
  const step = 10 ** Math.max(0, String(count).length - 2);
  return count < 1000 ? count : Math.ceil(count / step) * step;
};

const figure = (number: number): string => (number < 10_000 ? String(number) : number.toLocaleString('en'));

/** The room left of a quota, and its share in percent. */
const roomOf = (most: number, used: number): string =>
  most === 0 ? '0' : `${figure(most - used)} (${Math.floor((100 * (most - used)) / most)} %)`;

test('docs/evidence/quotas.md says how much room is left: npm run test:stack -- test/infra/quotas.test.ts -u', async () => {
  const path = join(import.meta.dirname, '../../docs/evidence/quotas.md');
  const [before = '', rest = ''] = readFileSync(path, 'utf8').split(/(?<=<!-- quotas -->\n)/);
  const after = rest.slice(rest.indexOf('<!-- /quotas -->'));
  const head = ['Quota', 'AWS takes', 'More on request', ...variants.map(([name]) => name), 'room left'];
  const rows = quotas.map((one) => {
    const used = variants.map((variant) => rounded(countIn(one, variant)));
    const raised = one.mayBeRaised ? 'yes' : 'no';
    return [one.name, figure(one.most), raised, ...used.map(figure), roomOf(one.most, Math.max(...used))];
  });
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

  expect(after).not.toBe('');
  await expect(before + table + after).toMatchFileSnapshot(path);
});

test('no quota is nearly used up, so that a release does not meet one by surprise', () => {
  for (const one of quotas)
    for (const variant of variants)
      if (one.most > 10) expect(countIn(one, variant) / one.most, `${one.name} ${variant[0]}`).toBeLessThan(0.9);
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
