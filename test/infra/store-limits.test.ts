import { expect, test } from 'vitest';
import { newId } from '../../lib/clock.ts';
import { pageUsageKeyOf, usageKey, usageKeyCount, usageKeyOf } from '../../lib/http/usage-key.ts';
import { routes } from '../../lib/routes/routes.ts';
import { apiOf, idOf, type Resource, templateOf } from '../support/stack.ts';

/** The usage plan that keeps one store from using up the rates of the others. */

const { ofType, only, functionOf } = templateOf();

/** The value of a usage key in a deployment to one account. */
const resolved = (value: Resource): string =>
  value['Fn::Join'][1].map((part: Resource) => (part.Ref === 'AWS::AccountId' ? '111111111111' : part)).join('');

/** The usage plan of the stores, or of their customers' pages. */
const planIn = (template: ReturnType<typeof templateOf>, name = /stores$/): Resource =>
  template.ofType('AWS::ApiGateway::UsagePlan').find(([, { Properties }]) => name.test(Properties.UsagePlanName))?.[1]
    .Properties;

/** The usage plan, and the settings that its stage has for all methods and for single ones. */
const planOf = (settings: Record<string, string> = {}) => {
  const template = templateOf(settings);
  const [[stageId, stage] = []] = template.ofType('AWS::ApiGateway::Stage') as [string, Resource][];
  const [ofEndpoints] = stage.Properties.MethodSettings.filter(({ ResourcePath }: Resource) => ResourcePath === '/*');
  return { plan: planIn(template), pagePlan: planIn(template, /pages of customers$/), stageId, ofEndpoints };
};

test('the plan has a throttle of its own, and none of methods, of which API Gateway takes at most 20 for a stage', () => {
  const { plan, stageId } = planOf();

  expect(plan.Throttle).toEqual({ RateLimit: 50, BurstLimit: 100 });
  expect(plan.ApiStages.length).toBe(1);
  const [{ ApiId, Stage, Throttle }] = plan.ApiStages;
  expect(Object.keys(Throttle ?? {})).toEqual([]);
  expect([idOf(ApiId), idOf(Stage)]).toEqual([ofType('AWS::ApiGateway::RestApi')[0]?.[0], stageId]);
});

test.each([
  [{}, 50, 100],
  [{ storeShare: '20', endpointRate: '10' }, 2, 10],
  [{ storeShare: '100', endpointRate: '7' }, 7, 7],
])('one store takes at most its share of the rate of each endpoint: %j', (settings, rate, rateOfAll) => {
  const { plan, pagePlan, ofEndpoints } = planOf(settings);

  expect(plan.Throttle).toEqual({ RateLimit: rate, BurstLimit: 2 * rate });
  // The pages of its customers take a tenth of it together, and nothing of it.
  expect(pagePlan.Throttle.RateLimit * usageKeyCount).toBeCloseTo(rate / 10);
  expect(pagePlan.Throttle.BurstLimit).toBe(100);
  expect(ofEndpoints).toMatchObject({ ThrottlingRateLimit: rateOfAll, ThrottlingBurstLimit: 2 * rateOfAll });
});

test('at the defaults one store at its whole rate leaves another as much at the same endpoint', () => {
  const { plan, ofEndpoints } = planOf();

  expect(ofEndpoints.ThrottlingRateLimit).toBeGreaterThanOrEqual(2 * plan.Throttle.RateLimit);
  expect(ofEndpoints.ThrottlingBurstLimit).toBeGreaterThanOrEqual(2 * plan.Throttle.BurstLimit);
});

test('every method but the desk’s files requires a usage key from the authorizer', () => {
  expect(only('AWS::ApiGateway::RestApi').ApiKeySourceType).toBe('AUTHORIZER');
  const { document, operations } = apiOf();
  expect(document['x-amazon-apigateway-api-key-source']).toBe('AUTHORIZER');
  expect(operations.length).toBeGreaterThan(routes.length);
  for (const { id, needsUsageKey } of operations) expect(needsUsageKey, id).toBe(!/^desk/.test(id));
});

test('the plan has every usage key that the authorizer may name', () => {
  const [, authorizer] = functionOf('authorizer');
  const prefix = resolved(authorizer.Properties.Environment.Variables.USAGE_KEY_PREFIX);

  const keys = ofType('AWS::ApiGateway::ApiKey');
  const inPlan = ofType('AWS::ApiGateway::UsagePlanKey').map(([, { Properties }]) => idOf(Properties.KeyId));
  const values = keys.map(([, { Properties }]) => resolved(Properties.Value));
  expect(values.sort()).toEqual(Array.from({ length: 2 * usageKeyCount }, (_, number) => usageKey(prefix, number)));
  expect(inPlan.sort()).toEqual(keys.map(([id]) => id).sort());
  // API Gateway requires 20 to 128 letters and digits.
  for (const value of values) expect(value).toMatch(/^[0-9a-z]{20,128}$/);
});

test('two deployments in one account have different usage keys', () => {
  const valuesOf = (stage: string) =>
    templateOf({ stage })
      .ofType('AWS::ApiGateway::ApiKey')
      .map(([, { Properties }]) => resolved(Properties.Value));

  expect(new Set([...valuesOf('prod'), ...valuesOf('test')]).size).toBe(4 * usageKeyCount);
});

test('the usage keys have equal shares of the stores', () => {
  const counts = new Map<string, number>();

  for (let i = 0; i < 1600; i++) {
    const key = usageKeyOf(newId());
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  expect(counts.size).toBe(usageKeyCount);
  // The expected number is 100, with a standard deviation of ten.
  for (const [key, count] of counts) expect(Math.abs(count - 100), key).toBeLessThan(60);
});

test('a store and its customers’ pages never share a usage key, nor a plan', () => {
  const keysIn = (name: RegExp): string[] => {
    const id = ofType('AWS::ApiGateway::UsagePlan').find(([, { Properties }]) =>
      name.test(Properties.UsagePlanName),
    )?.[0];
    const members = ofType('AWS::ApiGateway::UsagePlanKey').filter(
      ([, { Properties }]) => idOf(Properties.UsagePlanId) === id,
    );
    return members.map(([, { Properties }]) => idOf(Properties.KeyId)).sort();
  };
  const [stores, pages] = [keysIn(/stores$/), keysIn(/pages of customers$/)];
  const ids = Array.from({ length: 100 }, newId);

  expect([stores.length, pages.length, new Set([...stores, ...pages]).size]).toEqual([16, 16, 32]);
  const ofStores = new Set(ids.map(usageKeyOf));
  expect(ids.map(pageUsageKeyOf).filter((key) => ofStores.has(key))).toEqual([]);
});
