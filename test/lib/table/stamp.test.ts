import { beforeEach, expect, test } from 'vitest';
import { idAt, millisOf, source } from '../../../lib/clock.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import type { Engine } from '../../../lib/table/engine.ts';
import {
  exists,
  type Item,
  is,
  isNew,
  put,
  unchanged,
  update,
  updated,
  type Write,
} from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { newStamp, type Stamped } from '../../../lib/table/stamp.ts';
import { engine, get, transact, write } from '../../../lib/table/table.ts';
import { answerLost } from '../../support/faults.ts';
import { freshTable } from '../../support/service.ts';
import { memoryEngine } from './memory.ts';

/** An update has its place among its item's updates, and is carried out once, even if answers are lost. */
const engines = { DynamoDB: () => dynamodb, memory: memoryEngine };

const key = { pk: 'store#CATEGORY', sk: 'a' };
const rename = (name: string): Write => update(key, { set: { name, by: name } });
const hour = 3_600_000;

beforeEach(async () => {
  // Without jitter, retries do not wait.
  source.random = () => 0;
  await freshTable();
});

const nameNow = async (): Promise<unknown> => (await get<Item>(key))?.name;

/** The course of one sending: it arrives or not, other writes follow, and its answer is lost. */
interface Sending {
  arrives: boolean;
  followedBy?: string[];
}

for (const [name, make] of Object.entries(engines)) {
  const onEngine = (title: string, work: (real: Pick<Engine, 'write'>) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      const real = make();
      Object.assign(engine, real);
      await work(real);
    });

  /** Plays these sendings for the first calls. Returns how many writes of that name the engine carried out. */
  const play = (real: Pick<Engine, 'write'>, ours: string, sendings: Sending[]) => {
    const counted = { carriedOut: 0 };
    engine.write = async (one) => {
      const isOurs = one.kind === 'update' && one.change.set?.by === ours;
      const sending = isOurs ? sendings.shift() : undefined;
      const answer = sending?.arrives === false ? undefined : await real.write(one);
      if (isOurs && sending?.arrives !== false) counted.carriedOut += 1;
      for (const other of sending?.followedBy ?? []) await write(rename(other));
      if (sending) throw answerLost();
      return answer;
    };
    return counted;
  };

  onEngine('an update whose answer is lost is carried out once', async (real) => {
    const counted = play(real, 'ours', [{ arrives: true }]);

    const outcome = await write<Item>(rename('ours'));

    expect(outcome).toMatchObject({ done: true, result: { name: 'ours' } });
    expect([counted.carriedOut, await nameNow()]).toEqual([1, 'ours']);
  });

  onEngine(
    'an update whose answer is lost, and after which another was made, is answered and not repeated',
    async (real) => {
      const counted = play(real, 'ours', [{ arrives: true, followedBy: ['other'] }]);

      const outcome = await write<Item>(rename('ours'));

      expect(outcome).toMatchObject({ done: true, result: { name: 'ours' } });
      expect([counted.carriedOut, await nameNow()]).toEqual([1, 'other']);
    },
  );

  onEngine('an update that did not arrive before another is made after it', async (real) => {
    const counted = play(real, 'ours', [{ arrives: false, followedBy: ['other'] }]);

    const outcome = await write<Item>(rename('ours'));

    expect(outcome.done).toBe(true);
    expect([counted.carriedOut, await nameNow()]).toEqual([1, 'ours']);
  });

  onEngine(
    'an update of which several others leave no trace fails as its answer did, and is not repeated',
    async (real) => {
      const counted = play(real, 'ours', [{ arrives: true, followedBy: ['other', 'third'] }]);

      await expect(write(rename('ours'))).rejects.toThrow('socket hang up');

      expect([counted.carriedOut, await nameNow()]).toEqual([1, 'third']);
    },
  );

  onEngine('a refusal by the condition stays one, whether or not answers are lost', async (real) => {
    await write(rename('other'));
    play(real, 'ours', [{ arrives: false }]);

    const refused = await write(update(key, { set: { by: 'ours' }, when: is('name', 'first') }));
    const missing = await write(update({ ...key, sk: 'none' }, { set: { by: 'ours' }, when: exists }));

    expect(refused).toMatchObject({ done: false, found: { name: 'other' } });
    expect(missing).toEqual({ done: false, found: undefined });
  });

  onEngine('a writer whose clock is an hour behind is not overruled, and costs one call more', async (real) => {
    const ahead = idAt(millisOf(newStamp()) + hour);
    await real.write(update(key, { set: { name: 'ahead', stamp: ahead } }));
    let calls = 0;
    engine.write = (one) => {
      calls += 1;
      return real.write(one);
    };

    const outcome = await write<Item & Stamped>(rename('ours'));

    expect(outcome).toMatchObject({ done: true, result: { name: 'ours', earlierStamp: ahead } });
    expect([calls, (await get<Stamped>(key))?.stamp?.localeCompare(ahead)]).toEqual([2, 1]);
    // The clock that is ahead does not move this process's own.
    expect(newStamp() < ahead).toBe(true);
  });

  onEngine(
    'a transaction stamps what is made of an item as it was read, so that a late copy undoes nothing',
    async (real) => {
      const [b, c, d] = ['b', 'c', 'd'].map((sk) => ({ ...key, sk })) as [Key, Key, Key];
      const late: Write[] = [];
      engine.write = async (one) => {
        late.push(one);
        return real.write(one);
      };
      for (const one of [key, b]) await write(update(one, { set: { name: 'early' } }));
      engine.write = real.write;
      const [read, replaced] = (await Promise.all([key, b].map((one) => get<Item & Key & Stamped>(one)))) as [
        Item & Key & Stamped,
        Item & Key & Stamped,
      ];

      const refusals = await transact([
        updated(read, { set: { name: 'ours' }, when: is('name', 'early') }),
        put({ ...b, name: 'ours' }, unchanged(replaced), replaced),
        update(c, { set: { name: 'ours' } }),
        put({ ...d, name: 'ours' }, isNew),
      ]);

      expect(refusals).toBeUndefined();
      const after = await Promise.all([key, b, c, d].map((one) => get<Item & Stamped>(one)));
      expect(after.map((item) => item?.name)).toEqual(['ours', 'ours', 'ours', 'ours']);
      expect(after.map((item) => item?.earlierStamp)).toEqual([read.stamp, replaced.stamp, undefined, undefined]);
      for (const copy of late) await expect(real.write(copy)).rejects.toThrow();
      expect(await Promise.all([key, b].map((one) => get(one)))).toEqual(after.slice(0, 2));
    },
  );

  onEngine('each of 40 writers at once has its turn', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `writer ${index}`);

    const outcomes = await Promise.all(names.map((one) => write<Item>(rename(one))));

    expect(outcomes.map((one) => one.done && one.result.name)).toEqual(names);
    expect(names).toContain(await nameNow());
  });
}

test('stamps of one process grow although its clock stands still or goes back', () => {
  const { now } = source;
  const start = now();
  const stamps = [0, 0, -hour, 1, -1].map((step) => {
    source.now = () => start + step;
    return newStamp();
  });
  source.now = now;

  expect(stamps).toEqual([...stamps].sort());
  expect(new Set(stamps).size).toBe(stamps.length);
});
