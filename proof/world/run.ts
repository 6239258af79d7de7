import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { source, timestamp } from '../../lib/clock.ts';
import { listDeliveries } from '../../lib/routes/deliveries.ts';
import { listPayees, listPayouts } from '../../lib/routes/payouts.ts';
import { listSales } from '../../lib/routes/sales.ts';
import { walk } from '../workload/client.ts';
import { createTally } from '../workload/tally.ts';
import {
  compareCredit,
  compareGifts,
  compareMoney,
  compareOwnRows,
  compareSeen,
  readBooks,
  withoutLate,
} from './accounts.ts';
import { live } from './avatars.ts';
import type { Transfer } from './book.ts';
import { type FaultLevel, type Grid, isForeign, isOpen, rates } from './grid.ts';
import { changeKey, type Mall, retryFailed, touchOwn } from './mall.ts';
import { manage, payClaims, payRefunds } from './merchant.ts';
import { comparePayouts, findMiscounts, settleUnknown } from './payouts.ts';
import { openWorld, type Setting, sweep, type WorldOptions } from './setting.ts';
import { runFaster } from './time.ts';
import { makeTrouble } from './trouble.ts';

const setFaults = ({ grid, killable }: Setting, level: FaultLevel): void => {
  grid.rates = rates[level];
  killable.setFaults(level !== 'none');
};

/** Lets everybody act until the day is over. */
const spendDay = async (setting: Setting): Promise<void> => {
  const { options, grid, actorOf, avatars, malls, visits } = setting;
  const { clock, book, gifts } = grid;
  const began = clock.now();
  const secondsNow = (): number => (clock.now() - began) / 1000;
  let hasFailed = false;
  const isOver = (): boolean => hasFailed || secondsNow() >= options.seconds;
  setFaults(setting, options.faults);
  const watching = setInterval(() => {
    const text = `${book.transfers.length} transfers of L$, ${gifts.length} items given`;
    options.onProgress?.(`${Math.round(secondsNow())} s: ${text}`);
  }, 10_000);
  const pause = (60 * options.avatars) / options.rate;
  const common = { ...setting, note: visits.add, isOver };
  try {
    await Promise.all([
      ...avatars.map((me, n) => live({ ...common, me, actor: actorOf(`avatar ${n}`) }, pause)),
      ...malls.map((mall, n) => manage({ ...common, mall, actor: actorOf(`merchant ${n}`) })),
      makeTrouble(setting, isOver),
    ]);
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    clearInterval(watching);
  }
};

/** Lists in words what is under way between a store and its cashiers. */
const openPayouts = async ({ service, tills }: Mall, grid: Grid): Promise<string[]> => {
  const query = { limit: 1000 };
  const claimed = await walk(service, listPayouts, { query: { ...query, state: 'claimed' } });
  const payees = await walk(service, listPayees, { query });
  const sales = await walk(service, listSales, { query });
  const notes = tills.flatMap(({ object: { body } }) =>
    [...body.linksetData].filter(
      ([name, pair]) => name.startsWith(`sis:c:${body.id}:n`) && pair.pass !== '' && !isForeign(grid, pair),
    ),
  );
  return [
    ...findMiscounts({ sales, payees }),
    ...notes.map(([name, { value }]) => `a cashier has noted ${name} ${value}`),
    ...claimed.map(({ id }) => `payout ${id} is claimed`),
  ];
};

/** Lists in words everything that is still under way. */
const stillOpen = async (setting: Setting): Promise<string[]> => {
  const { malls, grid, queued } = setting;
  await sweep(setting.baseUrl);
  const given = new Set(grid.gifts.map(({ deliveryId }) => deliveryId));
  const open = malls.flatMap(({ vendors, productOf }) =>
    vendors.flatMap(({ object: { body } }) =>
      [...body.linksetData]
        .filter(([, pair]) => productOf.has(pair.by) && !isForeign(grid, pair) && isOpen(pair.value))
        .map(([name, { value }]) => {
          const seen = body.seen.text.replaceAll('\n', ' ');
          return `vendor ${body.id}: ${name} ${value}; timer ${body.timer()}, above it ${seen}`;
        }),
    ),
  );
  if (queued() !== 0) open.push(`${queued()} messages in the queue`);
  for (const { service } of malls) {
    for (const state of ['queued', 'waiting'])
      for (const { id } of await walk(service, listDeliveries, { query: { state, limit: 1000 } }))
        open.push(`delivery ${id}: ${state}`);
    for (const { id, deliveryId } of await walk(service, listSales, { query: { state: 'completed', limit: 1000 } }))
      if (!given.has(deliveryId)) open.push(`the item of sale ${id} is not given`);
  }
  for (const mall of malls) open.push(...(await openPayouts(mall, grid)));
  return open;
};

/** A vendor that cannot read something is given its other key for a while. */
const changeKeys = (mall: Mall, grid: Grid): void => {
  for (const stall of mall.vendors)
    if (grid.told.get(stall.object.body.id)?.join().includes('cannot read')) changeKey(mall, stall);
};

/** The day is over: nothing fails any more, and everything that is under way ends. Answers what does not end. */
const settle = async (setting: Setting): Promise<string[]> => {
  const { options, grid, actorOf, malls, killable } = setting;
  const { settleSeconds = 3600, onProgress = () => {} } = options;
  const settler = actorOf('settler');
  if (options.faults !== 'none') {
    // The last trouble of each day: the queue does not answer. The calls that wait for it must end without any death.
    killable.tell('stop answers');
    await settler.wait(60);
    killable.tell('go answers');
  }
  setFaults(setting, 'none');
  onProgress('the day is over; all settles');
  const end = grid.clock.now() + settleSeconds * 1000;
  let open: string[] = [];
  for (let round = 0; grid.clock.now() < end; round++) {
    await settler.wait(10);
    open = await stillOpen(setting);
    if (open.length === 0) break;
    if (round % 6 === 5) onProgress(`waits for ${open.length}: ${open[0]}, told ${JSON.stringify(grid.toldOwners)}`);
    if (round % 12 === 11) for (const mall of malls) changeKeys(mall, grid);
    // A registration hands waiting deliveries over.
    if (round % 6 === 0) malls.forEach(touchOwn);
    for (const mall of malls) await retryFailed(mall);
  }
  return open.map((text) => `not settled after ${settleSeconds} s: ${text}`);
};

/** The merchant gives back payments that were lost with a region before a script heard of them. */
const payUnheard = ({ malls, grid: { book, unheard } }: Setting): void => {
  for (const [of, payment] of unheard) {
    const mall = malls.find(({ productOf }) => productOf.has(payment.of));
    if (mall) book.move({ reason: 'unheard', from: mall.owner, to: payment.from, amount: payment.amount, of });
  }
};

/** Minutes after which the sweep follows a rename once more, since nobody can write the old name any more. */
const renameMinutes = 7;

/**
 * The faults that `store audit` finds. A customer who could not be named at once may have the wrong name until the
 * sweep follows their rename. So if there are faults, the audit is repeated after that.
 */
const auditAll = async (setting: Setting): Promise<string[]> => {
  const audit = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const { store } of setting.malls)
      await setting.store('--store', store.id, 'audit').catch(({ stdout }) => faults.push(`store audit: ${stdout}`));
    return faults;
  };
  const faults = await audit();
  if (faults.length === 0) return faults;
  await setting.actorOf('auditor').wait(60 * renameMinutes);
  for (let sweeps = 0; sweeps < 20 && !(await sweep(setting.baseUrl)); sweeps++);
  return audit();
};

/**
 * The differences that `store reconcile` finds between a store and the history of its owner's L$. The history includes
 * L$ that moved while a vendor belonged to another account, and excludes what the owner spends and earns elsewhere.
 */
const reconcile = async (setting: Setting, { store, owner, productOf }: Mall): Promise<string[]> => {
  const { options, grid, others } = setting;
  const path = join(options.dataDir, `${store.id}.csv`);
  const elsewhere = [others.account, others.group];
  const isOwn = ({ from, to, of, reason }: Transfer): boolean =>
    [from, to].includes(owner)
      ? reason !== 'spent' && reason !== 'earned'
      : productOf.has(of) && (elsewhere.includes(from) || elsewhere.includes(to));
  const lines = grid.book.transfers.filter(isOwn).map(({ id, at, reason, from, to, amount }) => {
    const [other, sums] = from === owner || elsewhere.includes(from) ? [to, `,${amount}`] : [from, `${amount},`];
    return `${timestamp(at)},${id},${reason},${other},${sums}`;
  });
  writeFileSync(path, ['Date,Transaction ID,Description,Resident,Deposit,Withdrawal', ...lines, ''].join('\n'));
  const differences = await setting
    .store('--store', store.id, '--json', 'reconcile', path)
    .catch(({ stdout }) => stdout);
  const found = differences.split('\n').filter((line: string) => line !== '');
  const left = withoutLate(found.map((line: string) => JSON.parse(line)));
  for (let pairs = (found.length - left.length) / 2; pairs > 0; pairs--) grid.counts.add('sales that came late');
  return left.map((one) => `store reconcile: ${JSON.stringify(one)}`);
};

/** Compares the grid's book with the stores' books, as the merchants do in the evening, and runs `store audit`. */
const compareBooks = async (setting: Setting) => {
  const { malls, grid, regions } = setting;
  const { book, gifts, silences } = grid;
  for (const mall of malls) payRefunds(mall, grid);
  payUnheard(setting);
  grid.claims.push(...regions.flatMap((region) => region.claimsOfOthers()));
  const silent = (await Promise.all(malls.map((mall) => settleUnknown(mall, grid)))).flat();
  const books = await Promise.all(malls.map(readBooks));
  const claimFaults = books.flatMap((one) => payClaims(one, grid, () => compareMoney(one, grid).missing));
  const sums = books.flatMap((one) => [compareMoney(one, grid), comparePayouts(one, book.transfers)]);
  const items = books.map((one) => compareGifts(one, grid));
  const known = new Set(books.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)));
  const strays = gifts.filter(({ deliveryId }) => !known.has(deliveryId));
  const audits = await auditAll(setting);
  for (const mall of malls) audits.push(...(await reconcile(setting, mall)));
  return {
    unexplained: sums.reduce((sum, one) => sum + one.unexplained, 0),
    payouts: createTally(books.flatMap((one) => one.payouts.map(({ state, error }) => error ?? state))).toJSON(),
    sales: books.flatMap((one) => one.sales),
    givenTwiceByDeath: items.flatMap(({ twice }) => twice),
    faults: [
      ...sums.flatMap(({ faults }) => faults),
      ...[...silent, ...claimFaults, ...silences],
      ...malls.flatMap(({ service }) => service.book.faults),
      ...items.flatMap(({ faults }) => faults),
      ...strays.map(({ deliveryId, to, item }) => `no store knows delivery ${deliveryId} of ${item} to ${to}`),
      ...books.flatMap(compareCredit),
      ...books.flatMap((one) => compareSeen(one, grid)),
      ...books.flatMap((one) => compareOwnRows(one, grid)),
      ...regions.flatMap((region) => region.leaks()),
      ...regions.flatMap((region) => region.scriptErrors()).map((text) => `script error: ${text}`),
      ...audits,
    ],
  };
};

/**
 * Lets a day pass: avatars buy through the shipped scripts from the local service, while regions, network and service
 * fail. Returns figures, and in `faults` every unexplained difference between the grid's book and the service's.
 */
export const runWorld = async (options: WorldOptions) => {
  const { seed, speed, avatars } = options;
  const before = source.now;
  const begun = Date.now();
  const clock = runFaster(begun, speed);
  let setting: Setting | undefined;
  try {
    setting = await openWorld(options, clock, begun);
    const { grid, visits, network, complaints } = setting;
    const dayBegan = clock.now();
    await spendDay(setting);
    const dayEnded = clock.now();
    const open = await settle(setting);
    const settled = clock.now();
    const { unexplained, payouts, sales, givenTwiceByDeath, faults } = await compareBooks(setting);
    const { transfers } = grid.book;
    return {
      ...{ seed, faultLevel: options.faults, avatars, speed },
      worldSeconds: Math.round((dayEnded - dayBegan) / 1000),
      settledAfterSeconds: Math.round((settled - dayEnded) / 1000),
      wallSeconds: Math.round((Date.now() - begun) / 1000),
      unexplained,
      payouts,
      money: { transfers: transfers.length, byReason: createTally(transfers.map(({ reason }) => reason)).toJSON() },
      sales: createTally(sales.map(({ state, refusal }) => (refusal ? `refused: ${refusal}` : state))).toJSON(),
      items: { given: grid.gifts.length, givenTwiceByDeath },
      visits: visits.toJSON(),
      world: grid.counts.toJSON(),
      network: network.counts.toJSON(),
      toldOwners: grid.toldOwners.toJSON(),
      complaints: complaints.toJSON(),
      faults: [...open, ...faults],
    };
  } finally {
    await setting?.end();
    source.now = before;
  }
};
