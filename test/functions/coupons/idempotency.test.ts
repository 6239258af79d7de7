import { expect, test } from 'vitest';
import { dbOnce } from '../../../lib/table/client.ts';
import { ada, bob, seedResidents } from '../../support/residents.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
await seedResidents();
await service.call('POST', '/v1/coupons', { code: 'Kept', ownerIdentifier: ada.uuid });

const action = (name: string, body: object, key?: string) =>
  service.call('POST', `/v1/customers/${bob.uuid}/actions/${name}`, body, key ? { 'Idempotency-Key': key } : {});

const choice = { code: 'kept', scope: 0 };

test('makes one coupon of two creates under one Idempotency-Key', async () => {
  const body = { code: 'Once', ownerIdentifier: ada.uuid };
  const create = () => service.call('POST', '/v1/coupons', body, { 'Idempotency-Key': 'create' });

  const [first, second] = [await create(), await create()];

  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
});

test('makes one gift card of two grants under one Idempotency-Key', async () => {
  const [first, second] = [
    await action('grant-gift-card', { credit: 5 }, 'grant'),
    await action('grant-gift-card', { credit: 5 }, 'grant'),
  ];

  expect(second.body).toEqual(first.body);
  expect((await service.call('GET', `/v1/customers/${bob.uuid}/giftcards`)).body.data).toEqual([first.body]);
});

test('repeats the first answer of apply and revoke, and sees live applications with and without a key', async () => {
  const answers = [
    await action('apply-coupon', choice, 'apply-1'),
    await action('apply-coupon', choice, 'apply-1'),
    await action('apply-coupon', choice, 'apply-2'),
    await action('apply-coupon', choice),
    await action('revoke-coupon', choice, 'revoke-1'),
    await action('revoke-coupon', choice, 'revoke-1'),
    await action('revoke-coupon', choice, 'revoke-2'),
    await action('revoke-coupon', choice),
  ];

  expect(answers.map(({ body }) => body.replaced ?? body.revoked)).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
    null,
    'true',
    null,
    null,
    null,
    'true',
    null,
    null,
  ]);
});

test('tells exactly one of many concurrent applications, with keys and without, that it was the first', async () => {
  const applied = Array.from({ length: 8 }, (_, index) =>
    action('apply-coupon', choice, index % 2 === 0 ? `race-${index}` : undefined),
  );

  const answers = await Promise.all(applied);

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(answers.filter(({ body }) => body.replaced === false)).toHaveLength(1);
});

test('tells exactly one of many concurrent revokes, with keys and without, that it revoked', async () => {
  await action('apply-coupon', choice);
  const revokes = Array.from({ length: 8 }, (_, index) =>
    action('revoke-coupon', choice, index % 4 === 0 ? undefined : `revoke-race-${index}`),
  );

  const answers = await Promise.all(revokes);

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(answers.filter(({ body }) => body.revoked)).toHaveLength(1);
});

/** Runs `work` between the reads of the next request and its transaction. */
const beforeNextTransaction = (work: () => Promise<unknown>): void => {
  dbOnce.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'TransactWriteItemsCommand') {
        dbOnce.middlewareStack.remove('interpose');
        await work();
      }
      return next(args);
    },
    { step: 'initialize', name: 'interpose' },
  );
};

test('decides again if the application has changed between its read and its write', async () => {
  await action('revoke-coupon', choice);
  beforeNextTransaction(() => action('apply-coupon', choice));
  const overNew = await action('apply-coupon', choice, 'over-new');
  beforeNextTransaction(() => action('revoke-coupon', choice));
  const overGone = await action('apply-coupon', choice, 'over-gone');
  beforeNextTransaction(async () => {
    await action('revoke-coupon', choice);
    await action('apply-coupon', { code: 'Once', scope: 0 });
  });
  const ofAnother = await action('revoke-coupon', choice, 'of-another');

  expect([overNew.body.replaced, overGone.body.replaced, ofAnother.body.revoked]).toEqual([true, false, false]);
});
