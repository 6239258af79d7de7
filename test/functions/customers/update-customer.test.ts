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

test.each([
  [{}, { discount: 15, newsSubscriber: true }],
  [{ discount: 0 }, { discount: 0, newsSubscriber: true }],
  [{ newsSubscriber: false }, { discount: 15, newsSubscriber: false }],
])('leaves what %j does not name as it is', async (sent, expected) => {
  const { uuid } = await newResident();
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 15, newsSubscriber: true });

  const { status, body } = await service.call('PUT', `/v1/customers/${uuid}`, sent);

  expect(status).toBe(200);
  expect(body).toMatchObject(expected);
});

test('ignores balances and the ban state in the body', async () => {
  const { uuid, username } = await newResident();

  const { body } = await service.call('PUT', `/v1/customers/${uuid}`, {
    discount: 1,
    credit: 1_000_000,
    restrictedCredit: 5,
    creditUnlotted: 7,
    isBanned: true,
    username: 'somebody.else',
  });

  expect(body).toMatchObject({ credit: 0, restrictedCredit: 0, isBanned: false, username });
});

test('does not change credit', async () => {
  const { uuid } = await newResident();
  await service.call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 50 });

  const { body } = await service.call('PUT', `/v1/customers/${uuid}`, { discount: 1 });

  expect(body.credit).toBe(50);
});

test.each([
  [{ discount: -1 }, ['discount must be a whole number from 0 to 100.']],
  [{ discount: 101 }, ['discount must be a whole number from 0 to 100.']],
  [{ discount: 1.5 }, ['discount must be a whole number from 0 to 100.']],
  [{ discount: '5' }, ['discount must be a whole number from 0 to 100.']],
  [{ discount: null }, ['discount must be a whole number from 0 to 100.']],
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
