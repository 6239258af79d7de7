import { expect, test } from 'vitest';
import { readMethods } from '../../../local/deployed/api.ts';
import { documentOf, operationsOf } from '../../../local/deployed/document.ts';
import { type Part, type ResolvedTemplate, readTemplate } from '../../../local/deployed/template.ts';
import { templateOf } from '../../support/stack.ts';

const shipped = readTemplate(templateOf().dir);

/** The template with other resources of some types. */
const withOthers = (types: Record<string, (resources: Part[]) => Part[]>): ResolvedTemplate => ({
  ...shipped,
  ofType: (type) => types[type]?.(shipped.ofType(type)) ?? shipped.ofType(type),
});

test('a method whose function API Gateway may not call is refused, by its name', () => {
  const without = withOthers({
    'AWS::Lambda::Permission': (grants) =>
      grants.filter(({ properties }) => !properties.FunctionName.includes('couponsgetcoupon')),
  });

  expect(readMethods(shipped).length).toBeGreaterThan(60);
  expect(() => readMethods(without)).toThrow(
    /^API Gateway may not call .*couponsgetcoupon.* for GET \/v1\/coupons\/\{id\}/,
  );
});

test('a scheme that the document lacks is refused: API Gateway would make the method public', () => {
  const document = structuredClone(documentOf(shipped));
  document.paths['/v1/coupons/{id}'].get.security = [{ stoer: [] }];

  expect(() => operationsOf(document)).toThrow('coupons-get-coupon names the security scheme stoer');
});

test('a method with an authorizer and no usage key is refused', () => {
  const document = structuredClone(documentOf(shipped));
  document.paths['/v1/coupons/{id}'].get.security = [{ store: [] }];
  const changed = withOthers({
    'AWS::ApiGateway::RestApi': ([rest]) => [{ ...rest, properties: { ...rest.properties, Body: document } }],
  });

  expect(() => readMethods(changed)).toThrow(
    'coupons-get-coupon has an authorizer and takes no part in the usage plan',
  );
});
