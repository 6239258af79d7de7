import { expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { dbOnce } from '../../../lib/table/client.ts';
import { ada } from '../../support/residents.ts';
import { setClock, wholeTable } from '../../support/service.ts';
import { hour, startApplying } from './applying.ts';

const { service, clock, make, apply } = startApplying();

test('counts an application as earlier up to the millisecond before it lapses', async () => {
  const { id: couponId } = await make();
  const ends = clock() + hour;
  await apply({ couponId, scope: 0, expiresInHours: 1 });
  await apply({ couponId, scope: 0, expiresInHours: 1 }, 'cleo');

  setClock(ends - 1);
  const live = await apply({ couponId, scope: 0 });
  setClock(ends);
  const lapsed = await apply({ couponId, scope: 0 }, 'cleo');

  expect([live.body.replaced, lapsed.body.replaced]).toEqual([true, false]);
});

test('tells exactly one of two concurrent applications that it was the first', async () => {
  const coupons = await Promise.all([make(), make(), make(), make()]);

  const answers = await Promise.all(coupons.map(({ id }) => apply({ couponId: id, scope: 0 })));

  expect(answers.filter(({ body }) => body.replaced === false)).toHaveLength(1);
});

test('does not find itself as the earlier application when the answer to its write was lost', async () => {
  const { id: couponId } = await make();
  let sent = 0;
  dbOnce.middlewareStack.add(
    (next, context) => async (args) => {
      // The key's hour of last use is another update.
      const isApplication = JSON.stringify(args.input).includes('#APPLIED#');
      if (context.commandName !== 'UpdateItemCommand' || !isApplication) return next(args);
      sent += 1;
      const answer = await next(args);
      if (sent === 1) throw Object.assign(new Error('The answer did not come.'), { name: 'TimeoutError' });
      return answer;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'loseAnswer' },
  );

  const { status, body } = await apply({ couponId, scope: 0 });
  dbOnce.middlewareStack.remove('loseAnswer');

  expect(sent).toBe(2);
  expect([status, body.replaced]).toEqual([200, false]);
});

test('takes a coupon until the millisecond before its expiration', async () => {
  const { id: couponId } = await make({}, { expiration: timestamp(clock() + 1) });

  const before = await apply({ couponId, scope: 0 });
  setClock(clock() + 1);
  const after = await apply({ couponId, scope: 0 });

  expect([before.status, after.status]).toEqual([200, 400]);
});

test('makes the resident a customer of the store', async () => {
  const { id: couponId } = await make();
  const customers = async () =>
    (await wholeTable()).filter(({ pk, sk }) => pk === `${service().store}#CUSTOMER` && sk === ada.uuid).length;
  const before = await customers();

  await apply({ couponId, scope: 0 }, 'ada.lovelace');

  expect([before, await customers()]).toEqual([0, 1]);
});
