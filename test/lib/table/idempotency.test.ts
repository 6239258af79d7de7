import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { answerOnce, type KeptAnswer } from '../../../lib/table/idempotency.ts';
import { put } from '../../../lib/table/language.ts';
import { requestSeconds } from '../../../lib/table/meter.ts';
import { transact, write } from '../../../lib/table/table.ts';
import { answerLost, intercept, stopIntercepting } from '../../support/faults.ts';
import { logLines } from '../../support/log.ts';
import { freshTable, setClock, wholeTable } from '../../support/service.ts';

/** Requests with an Idempotency-Key, without an endpoint around them. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
let idempotencyKey: string;

beforeAll(freshTable);
beforeEach(() => {
  setClock(start);
  idempotencyKey = randomUUID();
  logLines.length = 0;
});
afterEach(stopIntercepting);

const kept = (body: unknown): KeptAnswer => ({ statusCode: 200, headers: {}, body: String(body) });

const ask = (handler: () => Promise<unknown>, answerOf: (result: unknown) => KeptAnswer = kept) =>
  answerOnce({ store: 'S', keyId: 'K', idempotencyKey, request: 'POST /v1/things', answerOf }, handler);

const note = (id: string) => put({ pk: 'things', sk: id });

const things = async (): Promise<unknown[]> => (await wholeTable('things')).map(({ sk }) => sk);

test('makes the answer once, also where the handler changes nothing', async () => {
  let made = 0;
  const answerOf = (result: unknown): KeptAnswer => kept(`${result} ${++made}`);

  const first = await ask(async () => 'done', answerOf);
  const again = await ask(async () => 'again', answerOf);

  expect([first.answer.body, again.answer.body, made]).toEqual(['done 1', 'done 1', 1]);
});

test('answers what the record of the change says', async () => {
  const handler = async () => {
    await transact([note(idempotencyKey)], { answer: 'recorded' });
    return 'returned';
  };

  const [first, again] = [await ask(handler), await ask(handler)];

  expect([first.answer.body, again.answer.body]).toEqual(['recorded', 'recorded']);
});

test('a result of which no answer can be made fails, is logged as nothing else, and frees the key', async () => {
  const bug = new TypeError('There is no such field.');
  const broken = () => {
    throw bug;
  };

  await expect(ask(async () => 'done', broken)).rejects.toBe(bug);

  expect(logLines).toEqual([]);
  expect((await ask(async () => 'done')).answer.body).toBe('done');
});

test('the next attempt takes a request over when its lease has ended, also where the answer to that is lost', async () => {
  const dies = Object.assign(new Error('The function died.'), { $fault: 'client' });
  const stop = intercept(({ operation }, send) => (operation === 'DeleteItem' ? Promise.reject(dies) : send()));
  await expect(ask(() => Promise.reject(dies))).rejects.toBe(dies);
  stop();
  setClock(start + requestSeconds * 1000);
  await expect(ask(async () => 'too early')).rejects.toMatchObject({ status: 409 });
  setClock(start + 40_000);
  let lost = 0;
  intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation === 'UpdateItem' && lost++ === 0) throw answerLost();
    return answer;
  });

  const { answer } = await ask(async () => {
    await write(note(idempotencyKey), { answer: () => 'made' });
    return 'made';
  });

  expect([lost, answer.body]).toEqual([1, 'made']);
  expect(await things()).toContain(idempotencyKey);
});

test('a key that cannot be released is logged, and the caller hears of the failure of the request', async () => {
  const failure = new Error('No.');
  intercept(({ operation }, send) => {
    if (operation === 'DeleteItem') throw Object.assign(new Error('The table is gone.'), { $fault: 'client' });
    return send();
  });

  await expect(ask(() => Promise.reject(failure))).rejects.toBe(failure);

  expect(logLines).toMatchObject([
    { level: 'WARN', unreleased: expect.any(String), stack: expect.stringContaining('The table is gone.') },
  ]);
});
