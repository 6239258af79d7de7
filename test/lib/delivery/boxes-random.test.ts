import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { now } from '../../../lib/clock.ts';
import { handleMessage } from '../../../lib/delivery/deliver.ts';
import { findDelivery } from '../../../lib/delivery/deliveries.ts';
import { registerDispenser, removalOf } from '../../../lib/delivery/dispensers.ts';
import type { Order } from '../../../lib/delivery/message.ts';
import { retryDelivery } from '../../../lib/delivery/order.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { transact } from '../../../lib/table/table.ts';
import { anOrder, serve, startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';

/**
 * Random boxes that come and go, workers at once and workers that die: nothing is given twice, and nothing is lost.
 * `BOXES_SEED` replays a run.
 */

const seed = Number(process.env.BOXES_SEED ?? Date.now() % 2 ** 31);
const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];

Object.assign(process.env, { DISPENSER_LOOPBACK: 'allowed', DISPENSER_TIMEOUT_MILLIS: '5000' });
await startTestQueue();
await freshTable();

/** The states of a box: `mute` gives and does not say so, `broken` says 500 and has not given. */
const moods = ['has', 'lacks', 'gone', 'mute', 'broken', 'refuses'] as const;
type Mood = (typeof moods)[number];

/** A box that remembers what it has given, as the shipped script does. */
const startBox = async () => {
  const box = { mood: 'has' as Mood, given: new Map<string, number>(), refused: new Set<string>(), url: '' };
  const give = (id: string): void => {
    if (!box.given.has(id)) box.given.set(id, 1);
  };
  box.url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const id = body.split('\n')[3] ?? '';
    // A box looks first whether it knows the delivery.
    if (box.given.has(id) && (box.mood === 'has' || box.mood === 'lacks')) return void response.end();
    if (box.mood === 'has' || box.mood === 'mute') give(id);
    if (box.mood === 'lacks') box.refused.add(id);
    if (box.mood === 'mute') return void response.destroy();
    response.writeHead({ has: 200, lacks: 422, gone: 404, broken: 500, refuses: 401 }[box.mood]).end();
  });
  return box;
};

type Step =
  | { kind: 'mood'; box: Name; mood: Mood }
  | { kind: 'register'; box: Name }
  | { kind: 'work'; order: number; workers: number; moods: Mood[] }
  | { kind: 'die'; order: number; after: number }
  | { kind: 'late'; order: number };

const box = fc.constantFrom(...names);
const order = fc.nat(1);
/** Gifts that nobody hears of, and boxes that are gone afterwards, are the likeliest to cause a second gift. */
const likely = fc.constantFrom<Mood>(...moods, 'mute', 'mute', 'gone', 'gone', 'has');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('mood' as const), box, mood: fc.constantFrom(...moods) }),
  fc.record({ kind: fc.constant('register' as const), box }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      order,
      workers: fc.integer({ min: 1, max: 3 }),
      moods: fc.array(likely, { minLength: 3, maxLength: 3 }),
    }),
  },
  fc.record({ kind: fc.constant('die' as const), order, after: fc.nat(3) }),
  fc.record({ kind: fc.constant('late' as const), order }),
);

const minute = 60_000;

/** A worker that dies at its n-th write: before it, or after it and without an answer. */
const die = async (work: () => Promise<unknown>, after: number): Promise<void> => {
  let writes = 0;
  let isDead = false;
  const stop = intercept(async ({ isWrite }, send) => {
    if (isDead) throw Object.assign(new Error('dead'), { name: 'Dead' });
    if (!isWrite || writes++ < after / 2) return send();
    isDead = true;
    if (after % 2 === 1) await send();
    throw Object.assign(new Error('dead'), { name: 'Dead' });
  });
  await work().catch(() => undefined);
  stop();
};

/** Makes the world of a run: three boxes, and two deliveries. */
const startRun = async () => {
  const { id: store } = await createStore('Random');
  const boxes = { a: await startBox(), b: await startBox(), c: await startBox() };
  let registrations = 0;
  const register = async (name: Name): Promise<void> => {
    setClock(now() + 1);
    const url = `${boxes[name].url}/${registrations++}`;
    await registerDispenser(store, { name, priority: 0, url, region: '', items: [], keyId: 'KeyOfTests01' });
  };
  for (const name of names) await register(name);
  const orders = [anOrder(store), anOrder(store)] as const;
  const work = (one: Order): Promise<unknown> => handleMessage(one).catch(() => undefined);
  return { store, boxes, register, orders, work };
};

type Run = Awaited<ReturnType<typeof startRun>>;

const carryOut = async ({ boxes, register, orders, work }: Run, one: Step): Promise<void> => {
  if (one.kind === 'mood') boxes[one.box].mood = one.mood;
  else if (one.kind === 'register') await register(one.box);
  else {
    const wanted = orders[one.order] as Order;
    if (one.kind === 'work') for (const [place, name] of names.entries()) boxes[name].mood = one.moods[place] ?? 'has';
    if (one.kind === 'work') await Promise.all(Array.from({ length: one.workers }, () => work(wanted)));
    if (one.kind === 'die') await die(() => work(wanted), one.after);
    // The lease of a worker that has died ends.
    if (one.kind === 'late') {
      setClock(now() + minute);
      await work(wanted);
    }
  }
};

/** All boxes are well and registered, and everything that is not made comes again. */
const settle = async ({ boxes, register, orders, work }: Run, mood: Mood): Promise<void> => {
  for (const name of names) boxes[name].mood = mood;
  for (const name of names) await register(name);
  for (let round = 0; round < 8; round++) {
    setClock(now() + minute);
    for (const one of orders) await work(one);
  }
};

const copies = ({ boxes }: Run, { id }: Order): number => names.filter((name) => boxes[name].given.has(id)).length;

test(`nothing is given twice or lost, whatever boxes and workers do (BOXES_SEED=${seed})`, async () => {
  const start = now();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 20 }),
      fc.constantFrom('has', 'lacks'),
      async (steps, mood) => {
        const run = await startRun();
        for (const one of steps) await carryOut(run, one);
        await settle(run, mood as Mood);

        for (const one of run.orders) {
          const { state } = (await findDelivery(run.store, one.id)) ?? {};
          expect(copies(run, one)).toBeLessThanOrEqual(1);
          if (mood === 'has') expect(['delivered', 'failed']).toContain(state);
          // A delivery that was given may fail if the box has not said so. But a delivery never counts as made if
          // nobody has the item.
          if (state === 'delivered') expect(copies(run, one)).toBe(1);
          // Its last box alone may end it, or each of them has said that it does not have the item.
          if (state === 'failed' && copies(run, one) === 0)
            expect(names.some((name) => run.boxes[name].refused.has(one.id))).toBe(true);
        }
      },
    ),
    { seed, numRuns: trials(12, 400) },
  );
  setClock(start);
});

test(`a retry gives an item again only where the box that may have given it was lost or removed (BOXES_SEED=${seed})`, async () => {
  const start = now();
  for (const isRemoved of [false, true]) {
    const run = await startRun();
    const [one] = run.orders;
    run.boxes.a.mood = 'mute';
    await run.work(one);
    await retryDelivery(run.store, one.id, { hanging: true });
    await run.work(one);
    const kept = copies(run, one);
    if (isRemoved) await transact(removalOf(run.store, 'a'));
    run.boxes.a.mood = 'gone';
    setClock(now() + minute);
    await run.work(one);
    const still = copies(run, one);
    await retryDelivery(run.store, one.id, { hanging: true });
    for (let turn = 0; turn < 3; turn++) await run.work(one);

    expect([kept, still, copies(run, one)]).toEqual([1, 1, 2]);
  }
  setClock(start);
});
