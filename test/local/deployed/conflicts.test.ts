import { expect, test } from 'vitest';
import { newConflicts } from '../../../local/deployed/conflicts.ts';

/** The refusals of the table behind `npm run deployed`, where a transaction holds an item. */

const key = (sk: string) => ({ pk: { S: 'store#KIND' }, sk: { S: sk } });
const put = (sk: string) => ({ TableName: 'table', Item: { ...key(sk), name: { S: 'new' } } });
const update = (sk: string) => ({ TableName: 'table', Key: key(sk) });
const transaction = (ClientRequestToken: string, ...names: string[]) => ({
  TransactItems: names.map((sk, index) => (index === 0 ? { Put: put(sk) } : { Update: update(sk) })),
  ClientRequestToken,
});

test('an item that a transaction holds refuses other writers and looks at one moment, but no plain reader', async () => {
  const conflictOf = newConflicts(1);
  const end = conflictOf('TransactWriteItems', transaction('first', 'a', 'b'));

  expect(conflictOf('TransactWriteItems', transaction('second', 'c', 'b'))).toMatchObject({
    error: 'TransactionCanceledException',
    body: { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] },
  });
  expect(conflictOf('TransactWriteItems', transaction('first', 'a', 'b'))).toMatchObject({
    error: 'TransactionInProgressException',
  });
  expect(conflictOf('TransactGetItems', { TransactItems: [{ Get: update('a') }] })).toMatchObject({
    error: 'TransactionCanceledException',
  });
  for (const call of [conflictOf('PutItem', put('a')), conflictOf('DeleteItem', update('b'))])
    expect(call).toMatchObject({ error: 'TransactionConflictException' });
  expect([conflictOf('GetItem', update('a')), conflictOf('UpdateItem', update('c'))]).toEqual([
    expect.any(Function),
    expect.any(Function),
  ]);

  await (end as () => Promise<void>)();

  expect(conflictOf('UpdateItem', update('a'))).toEqual(expect.any(Function));
});

test('a transaction holds its items for the time that is asked for, at least', async () => {
  const conflictOf = newConflicts(60);
  const end = conflictOf('TransactWriteItems', transaction('first', 'a')) as () => Promise<void>;
  const began = performance.now();

  await end();

  expect(performance.now() - began).toBeGreaterThan(50);
});
