import { expect, test } from 'vitest';
import { customerName } from '../names.ts';
import type { Session } from '../session.ts';

const uuid = (kind: number, n: number): string =>
  `${String(kind).padStart(8, '0')}-7e57-4000-8000-${String(n).padStart(12, '0')}`;

/**
 * A session with a list of customers, and the calls that it gets: `one` for a customer, `row` for each customer in the
 * list.
 */
const sessionWith = (kind: number, length: number, { canRead = true } = {}) => {
  const calls = { one: 0, row: 0 };
  const name = (id: string): string => `name ${Number(id.slice(-12))}`;
  const client = {
    get: async (_: string, { path: { identifier } }: { path: { identifier: string } }) => {
      calls.one += 1;
      if (Number(identifier.slice(-12)) >= 1e6) throw new Error('There is nobody.');
      return { username: name(identifier) };
    },
    rows: async function* () {
      for (let n = 0; n < length; n++) {
        calls.row += 1;
        yield { uuid: uuid(kind, n), username: name(uuid(kind, n)) };
      }
    },
  };
  const session = { client, can: () => canRead } as unknown as Session;
  return { calls, namesOf: (some: number[]) => Promise.all(some.map((n) => customerName(session, uuid(kind, n)))) };
};

const upTo = (length: number): number[] => [...Array(length).keys()];

test('a few names are read one by one, and none twice', async () => {
  const { calls, namesOf } = sessionWith(1, 5000);

  expect(await namesOf([7, 8, 7])).toEqual(['name 7', 'name 8', 'name 7']);
  expect(await namesOf([8])).toEqual(['name 8']);
  expect(calls).toEqual({ one: 2, row: 0 });
});

test('many names are read from the list as far as need be, and those that it lacks one by one', async () => {
  const { calls, namesOf } = sessionWith(2, 400);

  expect(await namesOf(upTo(150))).toEqual(upTo(150).map((n) => `name ${n}`));
  expect(calls).toEqual({ one: 0, row: 150 });
  expect((await namesOf([...upTo(550).slice(150), 1e6])).slice(-2)).toEqual(['name 549', 'somebody']);
  expect(calls).toEqual({ one: 151, row: 550 });
});

test('a name that cannot be read is somebody, and is asked for again', async () => {
  const { calls, namesOf } = sessionWith(5, 0);

  expect([await namesOf([1e6, 1e6]), await namesOf([1e6])]).toEqual([['somebody', 'somebody'], ['somebody']]);
  expect(calls).toEqual({ one: 2, row: 0 });
});

test('a list that is far longer than what is asked for is left', async () => {
  const { calls, namesOf } = sessionWith(3, 1e6);

  expect(await namesOf(upTo(150).map((n) => n + 900_000))).toContain('name 900149');
  expect(calls).toEqual({ one: 150, row: 8000 });
});

test('a key that may not read customers shows their ids', async () => {
  const { calls, namesOf } = sessionWith(4, 400, { canRead: false });

  expect(await namesOf([1])).toEqual([uuid(4, 1)]);
  expect(calls).toEqual({ one: 0, row: 0 });
});
