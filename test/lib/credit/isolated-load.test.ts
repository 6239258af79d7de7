import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getCustomer } from '../../../lib/avatars/customers.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { holdingOf } from '../../../lib/credit/state.ts';
import { auditTable } from '../../../lib/operator/audit-credit.ts';
import { creditOf, customerWithLots } from '../../support/credit-seed.ts';
import { randomFrom } from '../../support/faults.ts';
import { isolateAsDynamoDB } from '../../support/isolation.ts';
import { freshTable, setClock, wholeTable } from '../../support/service.ts';
import { trials, volume } from '../../support/volume.ts';
import { store, sweep } from './credit.ts';
import { outcomeOf, steps, takeAtOnce } from './credit-steps.ts';

/**
 * Credit while the items of a transaction appear one by one, as on DynamoDB: against a model in rounds, and with many
 * writers at once.
 */

/**
 * `CREDIT_ISOLATION_SEED` repeats the commands of a run, though not its timing; `CREDIT_ISOLATION_RUNS` asks for more.
 */
const seed = Number(process.env.CREDIT_ISOLATION_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.CREDIT_ISOLATION_RUNS ?? trials(1, 4));
const start = Date.parse('2028-02-29T12:00:00.000Z');
const longestMillis = 60;

const seeded = (count: number, at: number) =>
  customerWithLots(
    store,
    Array.from({ length: count }, (_, index) => ({ amount: 10, expiresAt: timestamp(at + 500 * index) })),
    20,
  );

const rounds = fc.array(fc.record({ wait: fc.constantFrom(0, 600, 1500), all: steps, order: fc.integer() }), {
  minLength: volume(2, 2),
  maxLength: volume(4, 12),
});

test(`rounds of concurrent commands are linearizable, and the books add up after each (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      await freshTable();
      setClock(start);
      const uuid = await seeded(8, start + 300);
      let at = start;

      for (const { wait, all: steps, order } of all) {
        at += wait;
        await takeAtOnce(uuid, steps, { at, end: at + 1000, begin: () => isolateAsDynamoDB(order, longestMillis) });
      }
    }),
    { numRuns: runs, seed },
  );
});

/** A random command of one writer; reads and sweeps are as frequent as on a busy table. */
const takeOne = async (uuid: string, random: () => number, at: number): Promise<unknown> => {
  const dice = random();
  const type: CreditType = random() < 0.85 ? 'regular' : 'restricted';
  const amount = 1 + Math.floor(random() * 30);
  const expiresAt = timestamp(at + 300 + Math.floor(random() * 3000));
  if (dice < 0.06) return sweep();
  if (dice < 0.15) return getCustomer(store, { uuid });
  if (dice < 0.18) return changeCredit(store, { uuid }, type, { kind: 'set', credit: 100, expiresAt }, { by: 'test' });
  if (dice < 0.25) return changeCredit(store, { uuid }, type, { kind: 'increment', delta: amount }, { by: 'test' });
  const command =
    dice < 0.6
      ? { kind: 'increment' as const, delta: amount, expiresAt }
      : { kind: 'increment' as const, delta: -amount };
  return changeCredit(store, { uuid }, type, command, { by: 'test' });
};

// Most of the time the writers wait for each other.
const timeout = 60_000 * (1 + runs);

test(`the books of all customers add up after a load of all commands and sweeps (seed ${seed})`, {
  timeout,
}, async () => {
  const random = randomFrom(seed);
  for (let run = 0; run < runs; run++) {
    await freshTable();
    setClock(start);
    const uuids = await Promise.all(volume([12, 6], [12, 12, 12, 6, 6, 6]).map((count) => seeded(count, start + 1000)));
    let clock = start;
    const statuses: number[] = [];
    const stop = isolateAsDynamoDB(Math.floor(random() * 2 ** 31), longestMillis);
    const write = async (uuid: string): Promise<void> => {
      for (let count = 0; count < volume(4, 12); count++) {
        clock += Math.floor(random() * 20);
        setClock(clock);
        const outcome = await outcomeOf(takeOne(uuid, random, clock));
        if (outcome && typeof outcome === 'object' && 'status' in outcome) statuses.push(Number(outcome.status));
      }
    };

    await Promise.all([...uuids, ...uuids, ...uuids].map(write)).finally(stop);

    expect(auditTable(await wholeTable())).toEqual([]);
    expect(statuses.filter((status) => status !== 400 && status !== 503)).toEqual([]);
    setClock(clock + 3_600_000);
    expect(await sweep()).toMatchObject({ failed: 0, finished: true });
    for (const uuid of uuids) {
      const { item, faults } = await creditOf(store, uuid);
      expect(faults).toEqual([]);
      for (const type of creditTypes) {
        const { balance, unlotted, lots } = holdingOf(item, type);
        expect([lots, balance]).toEqual([0, unlotted]);
      }
    }
  }
});
