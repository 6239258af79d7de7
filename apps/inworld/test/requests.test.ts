import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../../lib/clock.ts';
import { dispenserBody, resolveBody } from '../../../lib/delivery/message.ts';
import { startScript } from './script.ts';

/** The shipped script answers the requests that the service really makes. */

const seed = Number(process.env.INWORLD_SEED ?? Date.now() % 2 ** 31);
const ada = '11111111-2222-3333-4444-555555555555';
const nobody = '00000000-0000-0000-0000-000000000000';

/** A script that has registered and been told the secret. */
const startReady = () => {
  const script = startScript('service = https://example.org', 'key = sis_live_x');
  script.grant();
  script.calls[0]?.answer(200, { secret: 'first' });
  return {
    ...script,
    deliver: (fields = {}, secret = 'first') => {
      const times = { at: script.now(), expiresAt: script.now() + 86_400_000 };
      const order = { id: newId(), recipientUuid: ada, item: 'Red lamp', message: '', ...times, ...fields };
      return script.request(dispenserBody(order, secret));
    },
    resolve: (name: string, fields = {}, secret = 'first') =>
      script.request(resolveBody({ id: newId(), at: script.now(), name, ...fields }, secret)),
  };
};

describe('a delivery', () => {
  test('is given once with its note, however often it is asked for', () => {
    const { deliver, given, notes } = startReady();
    const order = { id: newId(), message: 'For you:\na lamp' };

    const answers = [deliver(order), deliver(order)].map((answer) => answer());

    expect(answers).toEqual([
      { status: 200, text: `given ${order.id}` },
      { status: 200, text: `known ${order.id}` },
    ]);
    expect(given).toEqual([{ to: ada, item: 'Red lamp' }]);
    expect(notes).toEqual([{ to: ada, text: 'For you:\na lamp' }]);
  });

  test.each([
    ['of an item that is not there', { item: 'Green lamp' }, 422],
    ['of the notecard with the key', { item: 'dispenser' }, 422],
    ['past its end', { expiresAt: 1_899_999_999_000 }, 422],
    ['that is older than five minutes', { at: 1_899_999_699_000 }, 408],
    ['from the future', { at: 1_900_000_301_000 }, 408],
  ])('%s is refused', (_, fields, status) => {
    const { deliver, given } = startReady();

    const answer = deliver(fields);

    expect(answer()?.status).toBe(status);
    expect(given).toEqual([]);
  });
});

describe('a look-up', () => {
  test.each([
    ['a name', 'ada.lovelace', 'key', ada, `${ada} ada.lovelace`],
    ['a name without a last name', 'ada', 'key', ada, `${ada} ada`],
    ['a UUID', ada, 'username', 'ada.lovelace', `${ada} ada.lovelace`],
    ['a UUID of a Resident', ada, 'username', 'ada', `${ada} ada`],
    ['a UUID of a Resident in full', ada, 'username', 'Ada Resident', `${ada} ada`],
    ['a UUID with a name in two words', ada, 'username', ' Ada Lovelace ', `${ada} ada.lovelace`],
  ])('of %s answers UUID and canonical name', (_, name, kind, found, text) => {
    const { resolve, lookUps, given } = startReady();

    const answer = resolve(name);
    const early = answer();
    lookUps[0]?.answer(found);

    expect(lookUps).toMatchObject([{ kind, of: name }]);
    expect(early).toBeUndefined();
    expect(answer()).toEqual({ status: 200, text });
    expect(given).toEqual([]);
  });

  test('of a name that nobody has answers -, and of one that the region cannot get now 503', () => {
    const { resolve, lookUps } = startReady();
    const [none, unknown, empty] = [resolve('no.body'), resolve(ada), resolve(ada)];

    lookUps[0]?.answer(nobody);
    lookUps[1]?.answer('???');
    lookUps[2]?.answer('');

    expect(none()).toEqual({ status: 200, text: '-' });
    expect([unknown()?.status, empty()?.status]).toEqual([503, 503]);
  });

  test('is answered by its own query, in whatever order the region answers, beside deliveries', () => {
    const { resolve, deliver, lookUps } = startReady();
    const names = ['ada', 'bela', 'caro', 'dina'];
    const answers = names.map((name) => resolve(name));
    const delivery = deliver();

    for (const place of [2, 0, 3, 1]) lookUps[place]?.answer(ada.replace('1', String(place)));

    expect(delivery()?.status).toBe(200);
    expect(answers.map((answer) => answer()?.text)).toEqual(
      names.map((name, place) => `${ada.replace('1', String(place))} ${name}`),
    );
  });

  test('that the region never answers is given up, and makes room', () => {
    const { resolve, lookUps, advance } = startReady();
    const first = Array.from({ length: 9 }, () => resolve(ada));
    advance(5);
    const more = Array.from({ length: 9 }, () => resolve(ada));
    advance(5);
    const full = resolve('bela');
    const during = first.map((answer) => answer());
    advance(10);

    const late = resolve('caro');
    lookUps.at(-1)?.answer(ada);

    expect(more.map((answer) => answer()?.status)).toEqual([...Array(7).fill(undefined), 503, 503]);
    expect(full()).toEqual({ status: 503, text: 'too many look-ups' });
    expect(during).toEqual(Array(9).fill(undefined));
    expect(first.map((answer) => answer()?.status)).toEqual(Array(9).fill(503));
    expect(late()).toEqual({ status: 200, text: `${ada} caro` });
  });

  test(`never exceeds the 20 at once and 1.9 a second that the region allows, under floods of INWORLD_SEED=${seed}`, () => {
    const wait = fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
    );

    const isWithin = (waits: number[]): boolean => {
      const { resolve, lookUps, advance } = startReady();
      let room = 20;
      for (const seconds of waits) {
        advance(seconds);
        room = Math.min(20, room + 1.9 * seconds);
        const before = lookUps.length;
        resolve('ada');
        if (lookUps.length === before) continue;
        room -= 1;
        lookUps.at(-1)?.answer(ada);
        if (room < 0) return false;
      }
      return true;
    };

    const steady = Array.from({ length: 4000 }, (_, request) => (request % 20 === 0 ? 1 : 0));
    expect(isWithin(steady)).toBe(true);
    fc.assert(fc.property(fc.array(wait, { minLength: 200, maxLength: 400 }), isWithin), { seed, numRuns: 100 });
  });
});

describe('a request', () => {
  test('of another protocol is answered 400, so the service knows an old box', () => {
    const { request, now } = startReady();
    const text = `SIS1-NEWER\n${now() / 1000}\n${newId()}\nada`;

    const answer = request(`${createHmac('sha256', 'first').update(text).digest('base64')}\n${text}`);

    expect(answer()).toEqual({ status: 400, text: 'unknown protocol' });
  });

  test('for a name is refused when it is older than five minutes', () => {
    const { resolve, lookUps } = startReady();

    const answer = resolve('ada', { at: 1_899_999_699_000 });

    expect(answer()).toEqual({ status: 408, text: 'too old' });
    expect(lookUps).toEqual([]);
  });

  test('under a new secret is refused once; the box registers at once, learns it, and takes the next', () => {
    const { deliver, resolve, calls, given, lookUps, advance } = startReady();
    advance(60);

    const refused = [deliver({}, 'second'), resolve('ada', {}, 'second')].map((answer) => answer());
    const asked = calls.length;
    calls.at(-1)?.answer(200, { secret: 'second' });
    const taken = deliver({}, 'second');
    const old = deliver({}, 'first');

    expect(refused).toEqual(Array(2).fill({ status: 401, text: 'bad signature' }));
    expect(asked).toBe(2);
    expect(calls[1]).toMatchObject({ url: 'https://example.org/v1/dispenser', method: 'PUT' });
    expect([taken()?.status, old()?.status]).toEqual([200, 401]);
    expect([given.length, lookUps.length]).toEqual([1, 0]);
  });

  test('with a forged signature makes the box register at most once a minute', () => {
    const { deliver, calls, advance } = startReady();

    for (let second = 0; second < 300; second++) {
      advance(1);
      deliver({}, 'forged');
    }

    expect(calls).toHaveLength(1 + 5);
  });
});
