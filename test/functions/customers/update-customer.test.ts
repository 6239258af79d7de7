import { beforeAll, expect, test } from 'vitest';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

identifierCases(() => service, 'PUT', '', { discount: 5 });

test('200s with the customer, and stores the sent fields', async () => {
  const { uuid, username } = await newResident();

  const { status, body } = await service.call('PUT', `/v1/customers/${uuid}`, { discount: 100, newsSubscriber: true });

  expect(status).toBe(200);
  expect(body).toEqual({
    uuid,
    username,
    credit: 0,
    restrictedCredit: 0,
    discount: 100,
    newsSubscriber: true,
    isBanned: false,
  });
  expect((await service.call('GET', `/v1/customers/${uuid}`)).body).toEqual(body);
});

test('does not change credit', async () => {
  const { uuid } = await newResident();
  await service.call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 50 });

  const { body } = await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });

  expect(body.credit).toBe(50);
});

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
