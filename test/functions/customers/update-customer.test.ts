import { expect, test } from 'vitest';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();

identifierCases(() => service, 'PUT', '', { discount: 5 });

test.each([
  [{ newsSubscriber: 'true' }, ['newsSubscriber must be true or false.']],
  [
    { discount: 101, newsSubscriber: 1 },
    ['discount must be a whole number from 0 to 100.', 'newsSubscriber must be true or false.'],
  ],
  ['[]', ['The body must be a JSON object.']],
  ['', ['The body must be a JSON object.']],
  ['{', ['The body must be a JSON object.']],
])('400s for the body %j and writes nothing', async (sent, errors) => {
  const { uuid } = await newResident();
  const before = await wholeTable();

  const { status, body } = await service.call('PUT', `/v1/customers/${uuid}`, sent);

  expect(status).toBe(400);
  expect(body.errors).toEqual(errors);
  expect(await wholeTable()).toEqual(before);
});
