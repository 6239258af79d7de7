import { afterEach, expect, test } from 'vitest';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { answerLost, intercept, outcomeOf, throttled } from '../../support/faults.ts';
import { inSeconds, isCredit, startFaulty } from './faulty-credit.ts';

const { store, change, post } = startFaulty();

let stop = () => {};
afterEach(() => stop());

test('the engine treats a transaction that is sent again under its token as the same one', async () => {
  const uuid = await newCustomer();
  const tokens: string[] = [];
  stop = intercept(async ({ operation, input }, send) => {
    if (!operation.startsWith('TransactWrite')) return send();
    tokens.push(input.ClientRequestToken);
    const answer = await send();
    if (tokens.length === 1) throw answerLost();
    return answer;
  });

  const { credit } = await change(uuid, { kind: 'increment', delta: 10, expiresAt: inSeconds(60) });

  expect(credit).toBe(10);
  expect(tokens).toEqual([tokens[0], tokens[0]]);
  const { item, lots, faults } = await creditOf(store(), uuid);
  expect([item.credit, lots.length, faults]).toEqual([10, 1, []]);
});

test('a fast change whose answer is lost is not sent again, and not answered as undone', async () => {
  const uuid = await customerWithLots(store(), [], 5);
  let sent = 0;
  stop = intercept(async ({ operation, input }, send) => {
    if (!operation.startsWith('Update') || !isCredit(input)) return send();
    sent += 1;
    await send();
    throw answerLost();
  });

  const answer = await post(uuid, 'increment-credit', { delta: 10 });

  expect([outcomeOf(answer), sent]).toEqual(['unknown', 1]);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect((await creditOf(store(), uuid)).item.credit).toBe(15);
});

test('a transaction whose answer is lost before the table throttles is not answered as undone', async () => {
  const uuid = await newCustomer();
  let sent = 0;
  stop = intercept(async ({ operation }, send) => {
    if (!operation.startsWith('TransactWrite')) return send();
    if (++sent > 1) throw throttled();
    await send();
    throw answerLost();
  });

  const answer = await post(uuid, 'increment-credit', { delta: 10, expiresAt: inSeconds(60) });

  expect(outcomeOf(answer)).toBe('unknown');
  expect((await creditOf(store(), uuid)).item.credit).toBe(10);
});

test('with an Idempotency-Key a change whose answer is lost can be sent again, and is made once', async () => {
  const uuid = await customerWithLots(store(), [], 5);
  const headers = { 'Idempotency-Key': 'lost' };
  stop = intercept(async ({ operation }, send) => {
    // The record, from which the change could be answered, is out of reach too.
    if (operation === 'DeleteItem') throw answerLost();
    const answer = await send();
    if (operation.startsWith('TransactWrite')) throw answerLost();
    return answer;
  });

  const lost = await post(uuid, 'increment-credit', { delta: 10 }, headers);
  stop();
  const again = await post(uuid, 'increment-credit', { delta: 10 }, headers);

  expect([outcomeOf(lost), again.status, again.body.credit]).toEqual(['unknown', 200, 15]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await creditOf(store(), uuid)).item.credit).toBe(15);
});

test('with an Idempotency-Key a change whose answer stays lost is answered from its own record', async () => {
  const uuid = await customerWithLots(store(), [], 5);
  stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation.startsWith('TransactWrite')) throw answerLost();
    return answer;
  });

  const { status, body, headers } = await post(uuid, 'increment-credit', { delta: 10 }, { 'Idempotency-Key': 'own' });

  expect([status, body.credit, headers.get('idempotent-replayed')]).toEqual([200, 15, null]);
  expect((await creditOf(store(), uuid)).item.credit).toBe(15);
});
