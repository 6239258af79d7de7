import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeKey } from '../../../lib/store/api-keys.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { startForTests } from '../../../test/support/local-service.ts';
import { arazzoDocument, type Workflow } from '../arazzo.ts';
import type { OpenApiDocument } from '../types.ts';

/** Runs the workflows of the Arazzo document step by step, as its specification has the expressions. */

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8'));
const openapi: OpenApiDocument = read('openapi.json');
const operations = new Map(
  Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }]),
  ),
);

interface State {
  inputs: Record<string, unknown>;
  steps: Record<string, { outputs: Record<string, unknown> }>;
  statusCode?: number;
  response?: { body: unknown };
}

const member = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

/**
 * The value of a runtime expression such as `$steps.sell.outputs.id` or `$response.body#/data/0`. Throws for one
 * without a value.
 */
const evaluated = (expression: string, state: State): unknown => {
  const [names = '', pointer = ''] = expression.slice(1).split('#');
  const value = [...names.split('.'), ...pointer.split('/').slice(1)].reduce<unknown>(member, state);
  if (value === undefined) throw new Error(`${expression} has no value.`);
  return value;
};

/** The payload of a request, with its expressions replaced. */
const resolved = (value: unknown, state: State): unknown => {
  if (typeof value === 'string') return value.startsWith('$') ? evaluated(value, state) : value;
  if (Array.isArray(value)) return value.map((item) => resolved(item, state));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, state)]));
};

const operand = (text: string, state: State): unknown =>
  text.startsWith('$') ? evaluated(text, state) : JSON.parse(text.replace(/^'(.*)'$/, '"$1"'));

const runWorkflow = async ({ steps }: Workflow, inputs: Record<string, string>, baseUrl: string): Promise<void> => {
  const state: State = { inputs, steps: {} };
  for (const { stepId, operationId, parameters, requestBody, successCriteria, outputs = {} } of steps) {
    const { method = '', path = '' } = operations.get(operationId) ?? {};
    const values = (place: string): [string, string][] =>
      parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, value }) => [name, String(resolved(value, state))]);
    const filled = values('path').reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    );
    const response = await fetch(`${baseUrl}${filled}?${new URLSearchParams(values('query'))}`, {
      method,
      headers: Object.fromEntries(values('header')),
      ...(requestBody && { body: JSON.stringify(resolved(requestBody.payload, state)) }),
    });
    const text = await response.text();
    state.statusCode = response.status;
    state.response = { body: text === '' ? undefined : JSON.parse(text) };
    for (const { condition } of successCriteria) {
      const [left = '', right = ''] = condition.split(' == ');
      expect(operand(left, state), `${stepId}: ${condition} in ${text}`).toEqual(operand(right, state));
    }
    const kept = Object.entries(outputs).map(([name, expression]) => [name, evaluated(expression, state)]);
    state.steps[stepId] = { outputs: Object.fromEntries(kept) };
  }
};

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
});
afterAll(() => service.stop());

const { workflows } = arazzoDocument({ version: '' });

const issue = () => issueKey({ store: 'DemoStore001', name: 'Rotated', scopes: ['products:read'], stage: 'test' });

const inputsFor = async ({ workflowId, inputs }: Workflow): Promise<Record<string, string>> => {
  const given: Record<string, () => string | Promise<string>> = {
    key: () => service.keys.all,
    newKey: async () => (await issue()).text,
    oldKey: async () => {
      const { key, text } = await issue();
      await revokeKey(key.id);
      return text;
    },
    buyer: () =>
      workflowId === 'redeliver'
        ? 'nova'
        : (service.residents[workflows.findIndex((workflow) => workflow.workflowId === workflowId)]?.username ?? ''),
    productId: () => '00000003-dede-4ede-8ede-000000000001',
    owner: () => 'ada.lovelace',
    uuid: () => randomUUID(),
    username: () => 'moved.over',
    saleId: () => randomUUID(),
    code: () => 'ARAZZO20',
    url: () => 'http://127.0.0.1:9/',
  };
  const values = await Promise.all(inputs.required.map(async (name) => [name, await given[name]?.()]));
  return Object.fromEntries(values);
};

test('the document is current: if not, run npm run openapi', () => {
  expect(read('arazzo.json')).toEqual(arazzoDocument({ version: openapi.info.version as string }));
  expect(workflows).toHaveLength(10);
});

test.each(workflows.map((workflow) => [workflow.summary, workflow] as const))(
  '%s: every step succeeds',
  async (_, workflow) => {
    await runWorkflow(workflow, await inputsFor(workflow), service.baseUrl);
  },
);

test('a workflow that expects a sum of L$ says that its buyer has neither discount nor coupons nor credit', () => {
  const expectsSum = ({ steps }: Workflow): boolean =>
    steps.some(({ successCriteria }) =>
      successCriteria.some(({ condition }) => /#\/(total|toPay|change|refund) == \d/.test(condition)),
    );
  const promises = ({ inputs }: Workflow): boolean =>
    /without discount, coupons and credit/.test(JSON.stringify(inputs.properties.buyer));

  expect(workflows.filter(promises)).toEqual(workflows.filter(expectsSum));
  expect(workflows.filter(promises).map(({ workflowId }) => workflowId)).toEqual(['firstSale', 'refund', 'coupon']);
});
