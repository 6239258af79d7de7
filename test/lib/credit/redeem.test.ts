import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { disableGiftCard, getGiftCard, putGiftCard, updateGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { source, timestamp } from '../../../lib/clock.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import { Problem } from '../../../lib/problem.ts';
import type { GiftCard } from '../../../lib/routes/gift-cards.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { creditOf, customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { answerLost, injectFaults, intercept } from '../../support/faults.ts';
import { isolateAsDynamoDB } from '../../support/isolation.ts';
import { isLinearizable, type Operation } from '../../support/linearizable.ts';
import { newResident } from '../../support/residents.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';
import { booksOf, change, store, sweep } from './credit.ts';
import { outcomeOf } from './credit-steps.ts';
import { finished } from './large-credit.ts';

/** A gift card is redeemed once, whoever else writes the card or the credit, and whatever fails. */

/** `REDEEM_SEED` replays a run. */
const seed = Number(process.env.REDEEM_SEED ?? Date.now() % 2 ** 31);
const start = Date.parse('2028-02-29T12:00:00.000Z');
const limit = 1000;

let stop = () => {};
beforeEach(async () => {
  await freshTable();
  forgetResidents();
  setClock(start);
  process.env.CREDIT_LIMIT = String(limit);
});
afterEach(() => stop());

const fields = { credit: 300, texture: null, transfer: true, active: true };
const newCard = async (uuid: string, given: Partial<typeof fields> = {}): Promise<string> =>
  (await putGiftCard(store, { uuid, username: 'owner' }, { ...fields, ...given })).id;
const redeem = (card: string, uuid: string, expiresAt?: number) =>
  redeemGiftCard(
    store,
    card,
    { identifier: { uuid }, ...(expiresAt && { expiresAt: timestamp(expiresAt) }) },
    { by: 'redeem' },
  );
const lotsOf = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) => ({ amount: 1, expiresAt: timestamp(at + index) }));

/** Throws unless the books of each agree. */
const balancesOf = (residents: readonly string[]): Promise<number[]> =>
  Promise.all(
    residents.map(async (uuid) => {
      if (!(await findCustomerItem(store, uuid))) return 0;
      const { item, faults } = await creditOf(store, uuid);
      expect(faults).toEqual([]);
      return item.credit ?? 0;
    }),
  );

test.each([1, 8])('64 redemptions at once of one card add its credit once, for %i residents', async (count) => {
  const residents = await Promise.all(Array.from({ length: count }, newCustomer));
  const card = await newCard(residents[0] ?? '');

  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, index) => outcomeOf(redeem(card, residents[index % count] ?? ''))),
  );

  const made = outcomes.filter((outcome) => 'giftCard' in outcome);
  const sums = await balancesOf(residents);
  expect([made.length, sums.reduce((sum, credit) => sum + credit, 0)]).toEqual([1, 300]);
  expect(outcomes.filter((outcome) => 'status' in outcome && ![400, 503].includes(outcome.status))).toEqual([]);
  expect(await getGiftCard(store, card)).toMatchObject({ redeemed: true, credit: 0, active: true });
});

test.each([94, 95, 96, 97, 98, 250])('closes %i due lots and adds one more, all in the same change', async (count) => {
  const uuid = await customerWithLots(store, lotsOf(count, start - 1000), 20);
  const card = await newCard(uuid);
  setClock(start + 1000);

  const { credit } = await redeem(card, uuid, start + 60_000);

  expect(credit.credit).toBe(320);
  expect((await finished(uuid)).states).toEqual({ expired: count, open: 1 });
});

test('closes more due lots than one change holds, and leaves them closed where the card is refused', async () => {
  const uuid = await customerWithLots(store, lotsOf(1100, start - 2000), 20);
  const card = await newCard(uuid);
  await disableGiftCard(store, card);

  await expect(redeem(card, uuid)).rejects.toMatchObject({ status: 400 });
  await updateGiftCard(store, card, fields);
  const { credit } = await redeem(card, uuid);

  expect(credit.credit).toBe(320);
  expect((await finished(uuid)).states).toEqual({ expired: 1100 });
});

test('a redemption that dies before all due lots are marked has added its credit once', async () => {
  const uuid = await customerWithLots(store, lotsOf(250, start - 1000), 20);
  const card = await newCard(uuid);
  let closings = 0;
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#LOT#') && ++closings > 40)
      throw new Error('The function has died.');
    return send();
  });

  const { credit } = await redeem(card, uuid, start + 60_000);
  stop();
  const again = await outcomeOf(redeem(card, uuid));
  await sweep();

  expect([credit.credit, again]).toEqual([320, { status: 400 }]);
  expect(await booksOf(uuid)).toEqual({ balance: 320, unlotted: 20, states: { expired: 250, open: 1 } });
});

test('a redemption whose answer is lost is sent again under its token, and adds once', async () => {
  const uuid = await newCustomer();
  const card = await newCard(uuid);
  let sent = 0;
  stop = intercept(async ({ operation }, send) => {
    const answer = await send();
    if (operation.startsWith('TransactWrite') && ++sent === 1) throw answerLost();
    return answer;
  });

  const { credit } = await redeem(card, uuid);

  expect([credit.credit, sent]).toEqual([300, 2]);
  expect((await creditOf(store, uuid)).item.credit).toBe(300);
});

test('is not refused for a balance and a card that were never there together', async () => {
  const uuid = await customerWithLots(store, [], 100);
  const card = await newCard(uuid, { credit: 950 });
  const cardIsRead = Promise.withResolvers<void>();
  let isFirst = true;
  // The card is read, then both change; the customer is read afterwards.
  stop = intercept(async ({ operation, input }, send) => {
    if (operation !== 'GetItem') return send();
    if (input.Key.sk.S === card) return send().finally(cardIsRead.resolve);
    if (!isFirst || input.Key.pk.S !== customerKey(store, uuid).pk) return send();
    isFirst = false;
    await cardIsRead.promise;
    await updateGiftCard(store, card, { ...fields, credit: 50 });
    await change(uuid, { kind: 'set', credit: 900 });
    return send();
  });

  const { credit } = await redeem(card, uuid);

  expect(credit.credit).toBe(950);
});

type Step =
  | { kind: 'redeem'; who: 0 | 1; lives: boolean }
  | { kind: 'put'; credit: number; active: boolean; transfer: boolean }
  | { kind: 'disable' }
  | { kind: 'read' }
  | { kind: 'set'; amount: number }
  | { kind: 'add'; amount: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('redeem' as const), who: fc.constantFrom(0, 0, 1), lives: fc.boolean() }),
    fc.record({
      kind: fc.constant('put' as const),
      credit: fc.constantFrom(0, 50, 950),
      active: fc.boolean(),
      transfer: fc.boolean(),
    }),
    fc.constantFrom<Step>({ kind: 'disable' }, { kind: 'read' }),
    fc.record({ kind: fc.constant('set' as const), amount: fc.constantFrom(0, 100, 900) }),
    fc.record({ kind: fc.constant('add' as const), amount: fc.constantFrom(-40, 25) }),
  ),
  { minLength: 2, maxLength: 6 },
);

/** The card, what is due of the owner's credit, and the balances of the owner and of somebody else. */
interface State {
  card: Pick<GiftCard, 'credit' | 'active' | 'transfer' | 'redeemed'>;
  due: number;
  balances: [number, number];
}

const cardIn = ({ credit, active, transfer, redeemed }: State['card']): State['card'] => ({
  ...{ credit, active, transfer, redeemed },
});

/** The state after a change of the balance of `who`, which closes what is due; undefined if a rule refuses it. */
const changed = (state: State, who: 0 | 1, to: (balance: number) => number): State | undefined => {
  const balance = to(state.balances[who] - (who === 0 ? state.due : 0));
  if (balance < 0 || balance > limit) return undefined;
  const balances = state.balances.with(who, balance) as State['balances'];
  return { ...state, balances, due: who === 0 ? 0 : state.due };
};

const redeemed = (state: State, who: 0 | 1): State | undefined => {
  const { credit, active, transfer, redeemed: isOver } = state.card;
  if (!active || isOver || credit === 0 || (who === 1 && !transfer)) return undefined;
  const after = changed(state, who, (balance) => balance + credit);
  return after && { ...after, card: { ...state.card, credit: 0, redeemed: true } };
};

/** The state after a step that its rules allow; undefined if they refuse it. */
const modelOf = (step: Step, state: State): State | undefined => {
  if (step.kind === 'redeem') return redeemed(state, step.who);
  if (step.kind === 'set') return changed(state, 0, () => step.amount);
  if (step.kind === 'add') return changed(state, 0, (balance) => balance + step.amount);
  if (step.kind === 'read') return state;
  if (state.card.redeemed) return undefined;
  const { credit, active, transfer } = step.kind === 'put' ? step : { ...state.card, active: false };
  return { ...state, card: { ...state.card, credit, active, transfer } };
};

/** The state after a step, as its answer tells it. */
type Seen = (state: State) => boolean;

const carryOut = async (card: string, who: [string, string], step: Step): Promise<Seen> => {
  const shows = (answer: GiftCard): Seen => {
    const seen = cardIn(answer);
    return (state) => JSON.stringify(state.card) === JSON.stringify(seen);
  };
  if (step.kind === 'redeem') {
    const { giftCard, credit } = await redeem(card, who[step.who], step.lives ? start + 60_000 : undefined);
    const showsCard = shows(giftCard);
    return (state) => showsCard(state) && state.balances[step.who] === credit.credit;
  }
  if (step.kind === 'put') return shows(await updateGiftCard(store, card, { ...fields, ...step }));
  if (step.kind === 'disable') return shows(await disableGiftCard(store, card));
  if (step.kind === 'read') return shows(await getGiftCard(store, card));
  const command =
    step.kind === 'set'
      ? ({ kind: 'set', credit: step.amount } as const)
      : ({ kind: 'increment', delta: step.amount } as const);
  const { credit } = await change(who[0], command);
  return (state) => state.balances[0] === credit;
};

/** Takes all steps at once on a fresh card, and checks that some serial order explains the answers and the end. */
const takeAtOnce = async (all: readonly Step[], begin: () => () => void): Promise<void> => {
  await freshTable();
  forgetResidents();
  const due = [{ amount: 10, expiresAt: timestamp(start) }];
  const who: [string, string] = [await customerWithLots(store, due, 100), await newCustomer()];
  const card = await newCard(who[0]);
  let clock = 0;
  const history: Operation<State>[] = [];
  const take = async (step: Step): Promise<void> => {
    const began = clock++;
    const outcome = await carryOut(card, who, step).catch((error: unknown) => {
      if (error instanceof Problem) return error.status;
      throw error;
    });
    const apply = (state: State): State | undefined => {
      if (outcome === 503) return state;
      const after = modelOf(step, state);
      if (typeof outcome === 'number') return after ? undefined : state;
      return after && outcome(after) ? after : undefined;
    };
    history.push({ start: began, end: clock++, apply });
  };

  const end = begin();
  await Promise.all(all.map(take)).finally(end);

  const balances = await balancesOf(who);
  const left = cardIn(await getGiftCard(store, card));
  const isEnd = (state: State): boolean =>
    JSON.stringify([state.card, state.balances]) === JSON.stringify([left, balances]);
  const initial: State = { card: cardIn({ ...fields, redeemed: false }), due: 10, balances: [110, 0] };
  expect(isLinearizable(initial, history, isEnd), JSON.stringify({ all, left, balances })).toBe(true);
};

const worlds: [name: string, begin: (order: number) => () => void][] = [
  ['at once', () => () => {}],
  ['if the items of a transaction appear one by one', (order) => isolateAsDynamoDB(order, 60)],
];

test.each(worlds)(
  `redeeming, PUT, disable and changes of credit are some serial order, %s (seed ${seed})`,
  async (_, begin) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), steps, async (order, all) => {
        await takeAtOnce(all, () => begin(order));
      }),
      { seed, numRuns: trials(3, 50) },
    );
  },
);

test(`on a table that fails at random, each card is redeemed once or not at all (seed ${seed})`, async () => {
  source.random = () => 0;
  for (let round = 0; round < trials(4, 20); round++) {
    const [owner, other] = [(await newResident()).uuid, (await newResident()).uuid];
    const card = await newCard(owner, { credit: 70 });
    stop = injectFaults(seed + round, 0.3);

    const outcomes = await Promise.allSettled([owner, other, owner].map((uuid) => redeem(card, uuid)));
    stop();

    const left = await getGiftCard(store, card);
    const sums = await balancesOf([owner, other]);
    const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(made).toBeLessThanOrEqual(1);
    expect([left.credit, sums.reduce((sum, credit) => sum + credit, 0)]).toEqual(left.redeemed ? [0, 70] : [70, 0]);
    if (made > 0) expect(left.redeemed).toBe(true);
  }
});
