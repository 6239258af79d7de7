import { expect, test } from 'vitest';
import { readStoreLimit } from '../../../local/deployed/api.ts';
import type { ResolvedTemplate } from '../../../local/deployed/template.ts';

/** Two rules of API Gateway that a template may break (ADR 9, the rate of a store). Its stand-in refuses both. */

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
