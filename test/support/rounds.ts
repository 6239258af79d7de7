import { setImmediate } from 'node:timers/promises';
import { engine } from '../../lib/table/table.ts';

/** The kind of an item: the second part of the name of its partition, or the first of one that all stores share. */
const kindOf = (store: string, pk: string): string =>
  pk.startsWith(store) ? (pk.split('#')[1] ?? '') : (pk.split('#')[0] ?? '');

/** The calls of a piece of work, by round: the kinds that they read, or the names of calls that take many items. */
export const roundsIn = async (store: string, work: () => Promise<unknown>): Promise<string[]> => {
  const answered = { ...engine } as Required<typeof engine>;
  const rounds: string[] = [];
  let calls: string[] = [];
  let answers: (() => void)[] = [];
  const hold = <T>(name: string, send: () => Promise<T>): Promise<T> => {
    calls.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.push(resolve);
    return promise.then(send);
  };
  Object.assign(engine, {
    get: (key) => hold(kindOf(store, key.pk), () => answered.get(key)),
    getSome: (keys, how) => hold(keys.map(({ pk }) => kindOf(store, pk)).join('+'), () => answered.getSome(keys, how)),
    getTogether: (keys) => hold('look', () => answered.getTogether(keys)),
    query: (query) => hold(`${kindOf(store, query.partition)}s`, () => answered.query(query)),
    write: (write) => hold('write', () => answered.write(write)),
    transact: (writes, token) => hold('transaction', () => answered.transact(writes, token)),
  } satisfies typeof engine);
  let isOver = false;
  const ending = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    if (calls.length > 0) rounds.push(calls.sort().join(' '));
    const released = answers;
    [calls, answers] = [[], []];
    for (const answer of released) answer();
  }
  Object.assign(engine, answered);
  await ending;
  return rounds;
};
