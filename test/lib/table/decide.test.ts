import { beforeEach, expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import {
  answer,
  type Decision,
  decide,
  doFirst,
  readAgain,
  recheck,
  writeAll,
  writeOne,
} from '../../../lib/table/decide.ts';
import { ConflictError } from '../../../lib/table/engine.ts';
import { exists, type Item, is, isNew, put, unchanged, update, type Write } from '../../../lib/table/language.ts';
import { metered, newMeter } from '../../../lib/table/meter.ts';
import { repeat } from '../../../lib/table/retry.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { engine, get, type Recording, recorded } from '../../../lib/table/table.ts';
import { answerLost } from '../../support/faults.ts';
import { MemoryTable, memoryEngine } from './memory.ts';

/** Steps that read, decide and write, over a table in memory. */

type Counter = Key & { count: number };

const keyOf = (sk: string): Key => ({ pk: 'store#KIND', sk });
const [a, b] = [keyOf('a'), keyOf('b')];

let table: MemoryTable;
let pauses: number;

beforeEach(() => {
  table = new MemoryTable();
  Object.assign(engine, memoryEngine(table));
  pauses = 0;
  // A pause draws its length: none waits.
  source.random = () => {
    pauses += 1;
    return 0;
  };
});

/** Another writer, who counts on. */
const countOn = (key: Key): void => table.set(key, { ...key, count: ((table.get(key)?.count as number) ?? 0) + 1 });
const countOf = (key: Key): unknown => table.get(key)?.count;

const counted = (key: Key, found: Counter | undefined): Write =>
  put({ ...key, count: (found?.count ?? 0) + 1 }, unchanged(found));

const statusOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: Error & { status?: number }) => error.status ?? error.message,
  );

/** A request's recording, and the answer that it has kept. */
const recording = (): Recording & { kept: () => unknown } => ({
  completion: (kept) => put({ ...keyOf('record'), kept }),
  isComplete: false,
  id: 'outside',
  isIdUsed: false,
  kept: () => table.get(keyOf('record'))?.kept,
});

test('an answer writes nothing and ends the asking', async () => {
  expect(await decide(() => answer('told'))).toBe('told');

  expect(table.items()).toEqual([]);
});

for (const [name, write] of [
  [
    'one write',
    (key: Key, found?: Counter) => writeOne<Counter, number>(counted(key, found), { result: (it) => it.count }),
  ],
  [
    'writes together',
    (key: Key, found?: Counter) => writeAll([counted(key, found)], { result: (found?.count ?? 0) + 1 }),
  ],
] as const) {
  test(`${name}: the step is asked again, after a pause, where another writer came between`, async () => {
    const asked: number[] = [];

    const result = await decide<number>(async (attempt) => {
      const found = await get<Counter>(a);
      asked.push(attempt);
      if (attempt < 3) countOn(a);
      return write(a, found);
    });

    expect([result, countOf(a), asked, pauses]).toEqual([3, 3, [1, 2, 3], 2]);
  });

  test(`${name}: 20 askings in vain are 503`, async () => {
    let asked = 0;

    const status = await statusOf(
      decide<number>(async () => {
        const found = await get<Counter>(a);
        asked += 1;
        countOn(a);
        return write(a, found);
      }),
    );

    expect([status, asked]).toEqual([503, 20]);
  });

  test(`${name}: nothing is asked again when the request's time is nearly over`, async () => {
    let asked = 0;
    const meter = { ...newMeter(), retryUntil: 0 };
    const step = async () => {
      const found = await get<Counter>(a);
      asked += 1;
      countOn(a);
      return write(a, found);
    };

    const status = await statusOf(metered(meter, () => decide<number>(step)));

    expect([status, asked]).toEqual([503, 1]);
  });

  test(`${name}: a step is not asked again where an answer is missing: the write may be there`, async () => {
    let asked = 0;
    const lose = async () => {
      throw answerLost();
    };
    Object.assign(engine, { write: lose, transact: lose });

    const status = await statusOf(
      decide<number>(() => {
        asked += 1;
        return write(a);
      }),
    );

    expect([status, asked]).toEqual([answerLost().message, 1]);
  });
}

test('a step that throws ends the asking', async () => {
  const status = await statusOf(
    decide(() => {
      throw new Error('not found');
    }),
  );

  expect([status, pauses]).toEqual(['not found', 0]);
});

test('the first refusal is followed at once, by what is decided of the item found', async () => {
  countOn(a);

  const result = await decide<number>(() =>
    writeOne<Counter, number>(counted(a, undefined), {
      result: (item) => item.count,
      ifRefused: (found) => writeOne<Counter, number>(counted(a, found), { result: (item) => 10 * item.count }),
    }),
  );

  expect([result, countOf(a), pauses]).toEqual([20, 2, 0]);
});

test('writes that would follow a second refusal are not sent: the step is asked again', async () => {
  countOn(a);
  const asked: number[] = [];
  const follow = (found: Counter | undefined, depth: number): Decision<number> =>
    writeOne<Counter, number>(counted(a, found), {
      result: (item) => item.count,
      ifRefused: (other) => {
        asked.push(depth);
        if (asked.length < 3) countOn(a);
        return follow(other, depth + 1);
      },
    });

  const result = await decide<number>(() => follow(undefined, 1));

  // The item found is one short each time but the last.
  expect([result, asked, pauses]).toEqual([3 + 1, [1, 2, 1], 1]);
});

test('what is told of a second refusal may end the asking', async () => {
  table.set(a, { ...a, count: 1 });
  const refused = (told: Decision<string>): Decision<string> =>
    writeOne(put(a, isNew), { result: () => 'written', ifRefused: () => told });

  expect(await decide(() => refused(refused(answer('told'))))).toBe('told');
  expect(pauses).toBe(0);
});

test('a refused transaction tells what was refused, by key', async () => {
  countOn(b);

  const told = await decide<unknown[]>(() =>
    writeAll([put(a, isNew), put(b, isNew)], {
      result: [],
      ifRefused: (refused) => answer([refused.by(a), refused.by(b), refused.by(keyOf('c'))]),
    }),
  );

  expect(told).toEqual([undefined, { item: { ...b, count: 1 } }, undefined]);
  expect(table.get(a)).toBeUndefined();
});

test('an answer is recorded with the change, and a result is not', async () => {
  for (const [decision, kept] of [
    [writeOne<Item, string>(update(a, { set: { x: 1 } }), { answer: () => 'answered' }), 'answered'],
    [writeOne<Item, string>(update(a, { set: { x: 2 } }), { result: () => 'only told' }), undefined],
    [
      writeOne<Item, string>(update(a, { set: { x: 3 } }), { result: () => 'only told', together: [put(b)] }),
      undefined,
    ],
    [writeAll([put(a), put(b)], { answer: 'answered' }), 'answered'],
    [writeAll([put(a), put(b)], { answer: undefined as string | undefined }), undefined],
    [writeAll([put(a), put(b)], { result: 'only told' as string | undefined }), undefined],
  ] as [Decision<string | undefined>, string | undefined][]) {
    table.set(keyOf('record'), undefined);
    const own = recording();
    const isAnswer = 'how' in decision && 'answer' in decision.how;

    await recorded(own, () => decide(() => decision));

    expect([own.kept(), own.isComplete], decision.kind).toEqual([kept, isAnswer]);
    expect(table.get(keyOf('record')) !== undefined, decision.kind).toBe(isAnswer);
  }
});

test('a change that must come first is not the request’s, and the step is asked anew with all its attempts', async () => {
  const own = recording();
  let settled = 0;
  const kept: unknown[] = [];

  const result = await recorded(own, () =>
    decide<string>(async (attempt) => {
      const found = await get<Counter>(a);
      kept.push(own.kept());
      if (attempt === 20) return doFirst(() => decide(() => writeAll([put(b)], { answer: ++settled })));
      if (attempt < 39) countOn(a);
      return writeAll([counted(a, found)], { answer: 'done' });
    }),
  );

  expect([result, settled, own.kept()]).toEqual(['done', 1, 'done']);
  expect([...new Set(kept)]).toEqual([undefined]);
});

test('503 where there is no time for what must come first', async () => {
  let done = 0;
  const step = () => doFirst(async () => (done += 1));

  expect(await statusOf(decide(step, { hasTime: () => done < 2 }))).toBe(503);
  expect(done).toBe(2);
});

test('torn facts are read again, and counted apart from refusals', async () => {
  const found = await decide<number>(async (attempt) => {
    if (attempt % 2 === 0) return readAgain();
    if (attempt > 37) return answer(attempt);
    return writeOne<Counter, number>(put(a, exists), { result: () => 0 });
  });

  expect(found).toBe(39);
  expect(await statusOf(decide(() => readAgain()))).toBe(503);
});

test('a decision that needs a look counts only if the look sees the facts', async () => {
  let looks = 0;
  const step = () => recheck(async () => ++looks === 2, writeAll([put(a, isNew)], { result: 'written' }));

  expect(await decide(step)).toBe('written');
  expect([looks, pauses]).toEqual([2, 1]);
});

test('an id that is known outside is noted before the write, and taken back where it was refused', async () => {
  const noted: string[] = [];
  const outside = {
    use: () => {
      noted.push('used');
      return () => noted.push('taken back');
    },
  };
  const claim = (when: Parameters<typeof put>[1]) =>
    writeOne<Item, string>(put(a, when), { result: () => noted.join(), outside, ifRefused: () => answer('refused') });

  expect(await decide(() => claim(exists))).toBe('refused');
  expect(noted.splice(0)).toEqual(['used', 'taken back']);
  expect(await decide(() => claim(isNew))).toBe('used');
});

test('what follows the writes comes before the result, and does not follow a refusal', async () => {
  const steps: string[] = [];
  const after = async () => steps.push(String(countOf(a)));

  await decide<void>(async (attempt) => {
    const found = await get<Counter>(a);
    if (attempt === 1) countOn(a);
    return writeAll([counted(a, found)], { result: undefined, after });
  });

  expect(steps).toEqual(['2']);
});

test('the precondition of a request is looked at with one write', async () => {
  table.set(a, { ...a, name: 'old' });
  const ifMatch = (current: object): void => {
    if ((current as { name: string }).name !== 'old') throw new Error('412');
  };
  const rename = () =>
    decide<string>(() =>
      writeOne<{ name: string }, string>(update(a, { set: { name: 'new' }, when: is('pk', a.pk) }), {
        answer: (item) => item as unknown as string,
        ifMatch,
      }),
    );

  expect(await statusOf(rename())).toBe('done');
  expect(await statusOf(rename())).toBe('412');
});

test('repeat asks until it is answered, 20 times at the most', async () => {
  expect(await repeat(async (number) => (number < 4 ? undefined : { result: number }))).toBe(4);
  expect(pauses).toBe(3);
  expect(await statusOf(repeat(async () => undefined))).toBe(503);
});

/** Other transactions hold the items of this many calls. Answers how many calls there were. */
const holdItems = (times: number): { calls: number } => {
  const counts = { calls: 0 };
  const { transact } = memoryEngine(table);
  engine.transact = async (...sent) => {
    counts.calls += 1;
    if (counts.calls <= times) throw new ConflictError(new Error('TransactionConflict'));
    return transact(...sent);
  };
  return counts;
};

test('a step whose items another transaction holds is asked again at once, and 40 times in all', async () => {
  const asked: number[] = [];
  const step = async (attempt: number) => {
    asked.push(attempt);
    return writeAll([counted(a, await get<Counter>(a))], { result: 'done', ifContended: readAgain('contended') });
  };
  const counts = holdItems(3);

  expect([await decide(step), asked, counts.calls, countOf(a), pauses]).toEqual(['done', [1, 2, 3, 4], 4, 1, 3]);
  const all = holdItems(100);
  expect([await statusOf(decide(step)), all.calls]).toEqual([503, 40]);
});

test('a transaction that may be written is sent on, though its items are held', async () => {
  const { transact } = memoryEngine(table);
  let calls = 0;
  engine.transact = async (...sent) => {
    calls += 1;
    if (calls === 1) throw answerLost();
    if (calls < 4) throw new ConflictError(new Error('TransactionConflict'));
    return transact(...sent);
  };

  let asked = 0;
  const result = await decide(async () => {
    asked += 1;
    return writeAll([counted(a, await get<Counter>(a))], { result: 'done', ifContended: readAgain('contended') });
  });

  expect([result, asked, calls]).toEqual(['done', 1, 4]);
});
