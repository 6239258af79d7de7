import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStoreLimit } from '../../../local/deployed/api.ts';
import { startDeployment } from '../../../local/deployed/deployment.ts';
import { readLaunch } from '../../../local/deployed/launch-rights.ts';
import type { ResolvedTemplate } from '../../../local/deployed/template.ts';
import { tempDir } from '../../support/files.ts';
import { asShipped, templateOf } from '../../support/stack.ts';

/**
 * Two rules of API Gateway that a template may break (ADR 9, the rate of a store), and the rights of a launch. Their
 * stand-in refuses all three.
 */

const limitOf = (plan: object) =>
  readStoreLimit({ ofType: () => [{ properties: plan }] } as unknown as ResolvedTemplate);

const throttle = { RateLimit: 25, BurstLimit: 50 };

test('a store has the throttle of the plan', () => {
  expect(limitOf({ Throttle: throttle, ApiStages: [{}] })).toEqual({ rate: 25, burst: 50 });
});

test('a plan without a throttle of its own is refused, and one with throttles of methods', () => {
  expect(() => limitOf({ ApiStages: [{}] })).toThrow('The usage plan has no throttle');
  expect(() => limitOf({ Throttle: throttle, ApiStages: [{ Throttle: { '/v1/sales/POST': throttle } }] })).toThrow(
    'The usage plan has throttles of 1 methods',
  );
});

test('npm run deployed starts no template that API Gateway would refuse, and names what it would refuse', async () => {
  const dir = join(tempDir(), 'assembly');
  cpSync(templateOf(asShipped).dir, dir, { recursive: true });
  const [limits = ''] = globSync(join(dir, '*Limits*template.json'));
  const text = readFileSync(limits, 'utf8');
  const plan = Object.values<{ Type: string; Properties: Record<string, unknown> }>(JSON.parse(text).Resources).find(
    ({ Type }) => Type === 'AWS::ApiGateway::UsagePlan',
  );
  const start = (properties: object) => {
    writeFileSync(
      limits,
      JSON.stringify({ Resources: { Plan: { ...plan, Properties: { ...plan?.Properties, ...properties } } } }),
    );
    return startDeployment({ template: dir, port: 0, concurrency: 1 });
  };
  const methods = (count: number) => [
    { Throttle: Object.fromEntries(Array.from({ length: count }, (_, i) => [`/v1/${i}/GET`, throttle])) },
  ];

  await expect(start({ Throttle: undefined, ApiStages: methods(1) })).rejects.toThrow(
    /roll this deployment back:\nPlan: a usage plan with throttles of methods needs a throttle of its own/,
  );
  await expect(start({ ApiStages: methods(85) })).rejects.toThrow(
    /Plan: 85 throttles of methods for a stage in a usage plan, and AWS takes 20/,
  );
});

test('npm run deployed starts no template that the rights of a launch do not reach, and names the call', async () => {
  const { statements, bound } = readLaunch().formation;
  const without = statements.filter(({ Action }) => Action !== 'lambda:CreateEventSourceMapping');
  const start = () =>
    startDeployment({
      template: templateOf(asShipped).dir,
      port: 0,
      concurrency: 1,
      rights: { statements: without, bound },
    });

  expect(without.length).toBe(statements.length - 1);
  await expect(start()).rejects.toThrow(
    'AWS would roll this deployment back:\nTo create AWS::Lambda::EventSourceMapping, CloudFormation calls lambda:CreateEventSourceMapping on *, which the rights of the launch do not allow.',
  );
});
