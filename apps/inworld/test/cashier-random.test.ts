import { expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { newKey } from '../../../local/grid/keys.ts';
import type { Placement } from '../../../local/grid/world/land.ts';
import { randomFrom } from '../../../test/support/faults.ts';
import { trials } from '../../../test/support/volume.ts';
import { owner } from './shop.ts';
import { linkScript, notesOf, openTill, thief } from './till.ts';

/** No payee gets more than they are owed, in any order of events, and the books say what is known. */

const seed = Number(process.env.INWORLD_SEED ?? Date.now() % 2 ** 31);
const runs = trials(4, 60);
const steps = 40;
const limit = 1000;

const sure = ['LINDENDOLLAR_INSUFFICIENTFUNDS', 'LINDENDOLLAR_ENTITYDOESNOTEXIST', 'TRANSFERS_DISABLED', 'THROTTLED'];

/** Plays one run, and answers everything that was wrong. */
const play = (random: () => number): string[] => {
  const wrong: string[] = [];
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const till = openTill();
  const { clock, world, service, books, bank, moved, place, allow, cardOf } = till;
  const debts = new Map(Array.from({ length: 12 }, () => [newKey(), 1 + Math.floor(random() * 300)]));
  for (const [payee, amount] of debts) books.owed.set(payee, amount);
  let faults = 0;
  service.refuses = () => (random() < faults ? pick([0, 500, 503, 409]) : undefined);
  service.loses = () => random() < faults;
  bank.transfer = (to, amount, answer, by) => {
    for (const note of notesOf(by).filter((one) => one.startsWith('P')))
      if (clock.now() / 1000 - Number(note.slice(1, 11)) > 300) wrong.push(`began too late: ${note}`);
    if (random() >= faults) return clock.after(random() * 3, () => answer());
    if (random() < 0.3) return answer(pick(sure));
    // The L$ may have moved although nobody says so, or something wrong is said.
    if (random() < 0.5) moved.push({ to, amount, by: by.body.id, at: clock.now() });
    if (random() < 0.5) answer(pick(['EXPIRED', 'SERVICE_ERROR', 'NEW']));
  };
  const card = (key: string): string[] => cardOf(key, `limit = ${limit}`);
  const cashiers: Placement[] = [place(card('one')), place(card('one'))];
  const replace = (one: Placement, other: Placement[]): void => {
    cashiers.splice(cashiers.indexOf(one), 1, ...other);
  };
  const frozen = new Set<Placement>();
  const deeds: ((one: Placement) => void)[] = [
    () => world.restart(),
    (one) => one.script.begin(),
    (one) => one.body.forgetPermissions(),
    (one) => one.editNotecard('cashier', card(pick(service.keys))),
    (one) => {
      one.freeze(true);
      frozen.add(one);
    },
    (one) => {
      one.freeze(false);
      frozen.delete(one);
    },
    (one) => void one.touch(owner),
    // A script that stands still, and is reset before it hears that its memory is gone, forgets what it paid that day.
    (one) => {
      const { linkset } = one.body.prim;
      if ([...frozen].every(({ body }) => body.prim.linkset !== linkset))
        linkScript(world, one, 'llLinksetDataReset();').touch(thief);
    },
    (one) => {
      if (cashiers.length < 3) cashiers.push(...world.copy(one).filter(({ items }) => items().length > 1));
    },
    (one) => {
      if (one.body.prim.linkset.prims.length > 1) return;
      const rezzed = world.copy(one).filter(({ items }) => items().length > 1);
      one.take();
      replace(one, rezzed);
    },
    () => {
      if (cashiers.length < 3) world.link(...cashiers);
    },
  ];
  for (let step = 0; step < steps; step++) {
    faults = random() < 0.7 ? random() * 0.6 : 0;
    if (random() < 0.6) pick(deeds)(pick(cashiers));
    if (random() < 0.7) allow();
    clock.advance(random() < 0.2 ? random() * 7200 : random() * 60);
  }
  faults = 0;
  for (const one of cashiers) one.freeze(false);
  for (const hours of [2, 24, 2]) {
    for (const one of cashiers) one.touch(owner);
    clock.advance(60);
    allow();
    clock.advance(hours * 3600);
  }
  books.sweep();
  const all = [...books.payouts.values()];
  for (const [payee, debt] of debts) {
    const got = till.paidTo(payee).reduce((sum, amount) => sum + amount, 0);
    const sum = (state: string): number =>
      all
        .filter((one) => one.residentUuid === payee && one.state === state)
        .reduce((total, { amount }) => total + amount, 0);
    const [paid, unknown, owed] = [sum('paid'), sum('unknown'), books.owed.get(payee) ?? 0];
    if (got < paid || got > paid + unknown) wrong.push(`${payee} got ${got}, ${paid} are paid and ${unknown} unknown`);
    if (got + owed > debt || paid + unknown + owed !== debt) wrong.push(`${payee} got ${got} of ${debt}, owed ${owed}`);
  }
  if (all.some(({ state }) => state === 'claimed')) wrong.push('claimed for ever');
  const left = [...books.owed.values()].reduce((sum, amount) => sum + amount, 0);
  if (left > 0) wrong.push(`L$ ${left} are owed in the end`);
  const days = new Map<string, number>();
  for (const { by, at, amount } of moved) {
    const day = `${by} ${new Date(at).toISOString().slice(0, 10)}`;
    days.set(day, (days.get(day) ?? 0) + amount);
  }
  for (const [day, amount] of days) if (amount > limit) wrong.push(`L$ ${amount} on ${day}`);
  return [...wrong, ...world.log.errors.filter((text) => !text.includes('too many HTTP requests'))];
};

test(`no payee gets more than was owed in ${runs} random runs of INWORLD_SEED=${seed}`, () => {
  const random = randomFrom(seed);
  const others = randomFrom(seed + 1);
  source.random = others;
  source.bytes = (count) => Uint8Array.from({ length: count }, () => Math.floor(others() * 256));

  for (let run = 0; run < runs; run++) expect([run, play(random)]).toEqual([run, []]);
});
