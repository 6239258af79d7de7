import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { putResident } from '../../cli/deployment/residents.ts';
import { auditCredit } from '../../cli/kinds/audit-credit.ts';
import { source, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import type { HistoryItem } from '../../lib/credit/history.ts';
import { type CreditLot, changedIn, lotType } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import { sweepDueLots } from '../../lib/credit/sweep.ts';
import { Problem } from '../../lib/problem.ts';
import type { CustomerCredit } from '../../lib/routes/credit.ts';
import { findCustomerItem, getCustomer } from '../../lib/store/customers.ts';
import { expectHistory, keepHistory } from '../../test/support/history.ts';
import { freshTable } from '../../test/support/service.ts';
import { volume } from '../../test/support/volume.ts';
import { balanceOf, emptyCustomer, expire, increment, type ModelCustomer, set } from './credit-model.ts';

/** Random runs: `CREDIT_MODEL_RUNS` asks for more, `CREDIT_MODEL_SEED` and `CREDIT_MODEL_PATH` replay one. */
const runs = Number(process.env.CREDIT_MODEL_RUNS ?? volume(15, 300));
const seed = Number(process.env.CREDIT_MODEL_SEED ?? Date.now() % 2 ** 31);
const limit = 1000;

type Holder = Record<CreditType, ModelCustomer>;

interface Model {
  now: number;
  holders: Holder[];
}

/** The service under test. Each run has a store of its own. */
interface Real {
  store: string;
  uuids: string[];
  /** The credit of each customer after the last command. */
  before: Map<string, Stored>;
  /** The customers' items after each command. History has to tell of all of them. */
  seen: CreditItem[];
}

interface Stored {
  item: CreditItem;
  lots: CreditLot[];
}

/** The answer, or undefined for a refusal. Anything but a 400 is a failure of the test. */
const refusable = async (work: Promise<CustomerCredit>): Promise<CustomerCredit | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return undefined;
    throw error;
  }
};

const expiredOf = (lots: readonly CreditLot[]): number =>
  lots.reduce((sum, { state, remaining }) => sum + (state === 'expired' ? remaining : 0), 0);

/**
 * The changes of a command have the numbers up to the version, the lots those of their change, and the last one its
 * cause.
 */
const expectNumbered = (before: Stored | undefined, after: Stored): void => {
  const [from, to] = [before?.item.creditVersion ?? 0, after.item.creditVersion ?? 0];
  const known = new Map(before?.lots.map((lot) => [lot.sk, lot]));
  const touched = after.lots.filter((lot) => {
    const earlier = known.get(lot.sk);
    if (!earlier || earlier.state !== lot.state || earlier.remaining !== lot.remaining) return true;
    expect(changedIn(lot)).toBe(changedIn(earlier));
    return false;
  });
  const last = lastChangeOf(after.item);
  if (to === from) expect([touched, last]).toEqual([[], before && lastChangeOf(before.item)]);
  else expect(last?.types).toHaveLength(1);
  expect(touched.filter((lot) => changedIn(lot) <= from || changedIn(lot) > to)).toEqual([]);
  for (const [number, lots] of Map.groupBy(touched, changedIn)) {
    expect(new Set(lots.map(lotType)).size).toBe(1);
    if (number === to) expect(last?.types[0]?.type).toBe(lots[0] && lotType(lots[0]));
  }
  const ended = touched.filter((lot) => changedIn(lot) === to);
  if (to > from) expect(last?.types[0]?.expired ?? 0).toBe(expiredOf(ended));
};

const compare = async (model: Model, real: Real): Promise<void> => {
  for (const [index, uuid] of real.uuids.entries()) {
    const { credit, restrictedCredit } = await getCustomer(real.store, { uuid });
    const holder = model.holders[index] as Holder;
    expect([credit, restrictedCredit]).toEqual([balanceOf(holder.regular), balanceOf(holder.restricted)]);
    const item: CreditItem | undefined = await findCustomerItem(real.store, uuid);
    if (!item) continue;
    const stored = { item, lots: await listLots(real.store, uuid) };
    expect(auditCredit(item, stored.lots)).toEqual([]);
    expectNumbered(real.before.get(uuid), stored);
    real.before.set(uuid, stored);
    real.seen.push(item);
  }
};

/** The history of every customer is whole, and its rows have the balances that were seen after each command. */
const expectTold = async (seen: readonly CreditItem[]): Promise<void> => {
  const items = (await expectHistory()) as unknown as HistoryItem[];
  const name = (owner: string, sequence: number): string => `${owner} ${sequence}`;
  const rows = new Map(
    items.filter(({ kind }) => kind).map((row) => [name(row.pk.replace(/#\w+$/, ''), Number(row.sk)), row]),
  );
  for (const { pk, sk, creditVersion = 0, credit = 0, restrictedCredit = 0 } of seen) {
    if (creditVersion === 0) continue;
    const row = rows.get(name(`${pk.split('#')[0]}#HISTORY#${sk}`, creditVersion));
    expect([row?.credit, row?.restrictedCredit]).toEqual([credit, restrictedCredit]);
  }
};

class Change implements fc.AsyncCommand<Model, Real> {
  readonly kind: 'set' | 'increment';
  readonly who: number;
  readonly type: CreditType;
  readonly amount: number;
  readonly lifeMillis: number | undefined;
  constructor(
    kind: 'set' | 'increment',
    who: number,
    type: CreditType,
    amount: number,
    lifeMillis: number | undefined,
  ) {
    this.kind = kind;
    this.who = who;
    this.type = type;
    this.amount = amount;
    this.lifeMillis = lifeMillis;
  }
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const { kind, who, type, amount, lifeMillis } = this;
    const holder = (model.holders[who] as Holder)[type];
    const expiresAt = lifeMillis === undefined ? undefined : model.now + lifeMillis;
    // The endpoint's schema refuses this command before the credit rules see it.
    if (kind === 'increment' && amount < 0 && expiresAt !== undefined) return;
    const accepted = (kind === 'set' ? set : increment)(holder, amount, expiresAt, model.now, limit);
    const stamp = expiresAt === undefined ? undefined : timestamp(expiresAt);
    const command =
      kind === 'set' ? { kind, credit: amount, expiresAt: stamp } : { kind, delta: amount, expiresAt: stamp };
    const answer = await refusable(
      changeCredit(real.store, { uuid: real.uuids[who] as string }, type, command, { by: 'test' }),
    );
    expect(answer !== undefined).toBe(accepted);
    const { regular, restricted } = model.holders[who] as Holder;
    if (answer) expect([answer.credit, answer.restrictedCredit]).toEqual([balanceOf(regular), balanceOf(restricted)]);
    await compare(model, real);
  }
  toString = (): string => `${this.kind}(${this.who}, ${this.type}, ${this.amount}, ${this.lifeMillis})`;
}

class Wait implements fc.AsyncCommand<Model, Real> {
  readonly millis: number;
  constructor(millis: number) {
    this.millis = millis;
  }
  check = (): boolean => true;
  async run(model: Model): Promise<void> {
    model.now += this.millis;
    source.now = () => model.now;
  }
  toString = (): string => `wait(${this.millis})`;
}

class Sweep implements fc.AsyncCommand<Model, Real> {
  check = (): boolean => true;
  async run(model: Model, real: Real): Promise<void> {
    const closed = model.holders.flatMap((holder) => creditTypes.map((type) => expire(holder[type], model.now)));
    const report = await sweepDueLots('sweep');
    expect(report).toMatchObject({ failed: 0, finished: true });
    // Stores of earlier runs may have had due lots as well.
    expect(report.lots).toBeGreaterThanOrEqual(closed.reduce((sum, { lots }) => sum + lots, 0));
    await compare(model, real);
  }
  toString = (): string => 'sweep()';
}

const who = fc.nat(1);
const type = fc.constantFrom(...creditTypes);
// Few distinct durations, so that some lots expire together and some are due at once.
const life = fc.option(fc.constantFrom(-1, 0, 1, 1000, 1000, 2000, 3000, 60_000), { nil: undefined, freq: 3 });
const commands = fc.commands(
  [
    fc
      .tuple(who, type, fc.constantFrom(0, 1, 10, 400, limit, limit + 1), life)
      .map((args) => new Change('set', ...args)),
    fc.tuple(who, type, fc.integer({ min: 1, max: 400 }), life).map((args) => new Change('increment', ...args)),
    fc.tuple(who, type, fc.integer({ min: 1, max: 400 }), life).map((args) => new Change('increment', ...args)),
    fc.tuple(who, type, fc.integer({ min: -300, max: -1 })).map((args) => new Change('increment', ...args, undefined)),
    fc.tuple(who, type, fc.integer({ min: -300, max: -1 })).map((args) => new Change('increment', ...args, undefined)),
    fc.constantFrom(1, 999, 1000, 1001, 2000).map((millis) => new Wait(millis)),
    fc.constant(new Sweep()),
  ],
  { maxCommands: 25, size: 'max' },
);

beforeAll(async () => {
  process.env.CREDIT_LIMIT = String(limit);
  await freshTable();
  await keepHistory();
});

test(
  `credit behaves as the rules say, books are true after every command, and history tells of each (seed ${seed})`,
  async () => {
    let now = Date.parse('2028-02-29T12:00:00.000Z');
    const seen: CreditItem[] = [];

    await fc.assert(
      fc.asyncProperty(commands, async (cmds) => {
        const store = randomUUID().slice(0, 12);
        const uuids = [randomUUID(), randomUUID()];
        source.now = () => now;
        for (const uuid of uuids) await putResident({ uuid, username: `r${uuid.slice(0, 8)}` });
        const model: Model = {
          now,
          holders: uuids.map(() => ({ regular: emptyCustomer(), restricted: emptyCustomer() })),
        };
        await fc.asyncModelRun(() => ({ model, real: { store, uuids, before: new Map(), seen } }), cmds);
        now = model.now;
      }),
      { numRuns: runs, seed, ...(process.env.CREDIT_MODEL_PATH && { path: process.env.CREDIT_MODEL_PATH }) },
    );
    await expectTold(seen);
  },
  10 * 60_000 * Math.max(1, runs / 300),
);
