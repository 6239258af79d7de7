import { auditTable } from '../../cli/kinds/audit-credit.ts';
import { auditHistories } from '../../cli/kinds/audit-history.ts';
import { auditDays } from '../../cli/kinds/days.ts';
import { asDecided, type CreditLot, lotType } from '../../lib/credit/lot.ts';
import type { CreditItem } from '../../lib/credit/state.ts';
import type { Delivery } from '../../lib/delivery/deliveries.ts';
import type { EventItem } from '../../lib/events/events.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { StoredProduct } from '../../lib/store/products.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import type { MemoryTable } from '../../test/lib/table/memory.ts';
import { isLinearizable, type Operation as Past } from '../../test/support/linearizable.ts';
import { balanceOf, type ModelCustomer } from '../model/credit-model.ts';
import type { ModelAvatar } from '../model/sale-model.ts';
import { consumeAll, deliverAll, readInOrder, sweepOnce } from './background.ts';
import type { Outcome } from './client.ts';
import { type Commit, Machine, type Process, type Trouble } from './machine.ts';
import { applyExpiry, type Effect, effectOf, operationsOf } from './operations.ts';
import { Random } from './random.ts';
import { isLarge, quietly, type State, start, type World, worldCount, worldOf } from './world.ts';

/** One schedule: eight operations at once in a made-up world of failures, and all that must hold when they are over. */

export interface Result {
  seed: number;
  /** Sentences about what is wrong; empty where all holds. */
  faults: string[];
  /** Calls to the table and the queue. */
  events: number;
  /** The operations, and each call, where they were asked for. */
  trace: string[];
}

const partOf = ({ pk }: Key): string => pk.split('#', 2)[1] ?? '';

/** The L$ in open lots, by the time of their expiry. */
const byExpiry = (lots: Iterable<{ expiresAt: number | string; remaining: number }>): [string, number][] => {
  const sums = new Map<string, number>();
  for (const { expiresAt, remaining } of lots) {
    const due = typeof expiresAt === 'number' ? new Date(expiresAt).toISOString() : expiresAt;
    sums.set(due, (sums.get(due) ?? 0) + remaining);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
};

/** All that operations change, as the model has it. */
const endOf = (state: State, { avatars, products, couponId }: World) => ({
  stock: products.map((id) => state.products[id]?.stock),
  avatars: avatars.map((uuid) => {
    const { credit, spend, owned, uses } = state.avatars[uuid] as ModelAvatar;
    const heldOf = (holder: ModelCustomer) => [balanceOf(holder), holder.unlotted, byExpiry(holder.lots)];
    return {
      ...{ regular: heldOf(credit.regular), restricted: heldOf(credit.restricted) },
      ...{ sum: spend.sum, totalOwned: spend.totalOwned, uses: uses[couponId] ?? 0 },
      owned: products.map((id) => owned[id]?.quantity ?? 0),
    };
  }),
  cards: Object.values(state.cards).map(({ isRedeemed }) => isRedeemed),
  sales: Object.entries(state.sales)
    .map(([id, sale]) => `${id} ${sale.state}`)
    .sort(),
});

/** The same as the table has it. */
const endInTable = (
  table: MemoryTable,
  { store, avatars, products, couponId, cards }: World,
): ReturnType<typeof endOf> => {
  const at = (pk: string, sk: string): Item => table.get({ pk: `${store}#${pk}`, sk }) ?? {};
  const sales = [...(table.partitions.get(`${store}#SALE`)?.values() ?? [])] as unknown as SaleItem[];
  return {
    stock: products.map((id) => at('PRODUCT', id).availableAmount as number),
    avatars: avatars.map((uuid) => {
      const item = at('CUSTOMER', uuid) as unknown as CreditItem;
      const lots = [...(table.partitions.get(`${store}#LOT#${uuid}`)?.values() ?? [])] as unknown as CreditLot[];
      const open = lots.map((lot) => asDecided(lot, item)).filter(({ state }) => state === 'open');
      const heldOf = (type: string, balance = 0, unlotted = 0) => [
        balance,
        unlotted,
        byExpiry(open.filter((lot) => lotType(lot) === type)),
      ];
      const { sum = 0, totalOwned = 0 } = at('SPEND', uuid) as { sum?: number; totalOwned?: number };
      return {
        regular: heldOf('regular', item.credit, item.creditUnlotted),
        restricted: heldOf('restricted', item.restrictedCredit, item.restrictedUnlotted),
        ...{ sum, totalOwned, uses: (at(`USE#${uuid}`, couponId).uses as number) ?? 0 },
        owned: products.map((id) => (at(`OWNED#${uuid}`, id).quantity as number) ?? 0),
      };
    }),
    cards: cards.map((id) => at('GIFTCARD', id).redeemed as boolean),
    sales: sales.map(({ sk, state }) => `${sk} ${state}`).sort(),
  };
};

/** The events that a change makes, as their types say. */
const eventsOf = ({ written }: Commit): string[] =>
  written.flatMap(({ key, before, after }) => {
    if (!after) return [];
    const kind = partOf(key);
    if (kind === 'CUSTOMER') return after.creditVersion === before?.creditVersion ? [] : 'credit.changed';
    if (kind === 'SALE' && key.pk.endsWith('#SALE')) return after.state === before?.state ? [] : `sale.${after.state}`;
    if (kind === 'GIFTCARD') return after.redeemedAt === before?.redeemedAt ? [] : 'giftcard.redeemed';
    if (kind === 'DELIVERY' && after.attempts !== undefined)
      return after.state === before?.state || after.state === 'queued' ? [] : `delivery.${after.state}`;
    if (kind !== 'PRODUCT') return [];
    const [left, had] = [after, before].map((item) => (item as StoredProduct | undefined)?.availableAmount);
    return left === 0 && had !== 0 ? 'product.sold_out' : [];
  });

const eventFaults = (machine: Machine, earlier: ReadonlySet<string>, { store }: World): string[] => {
  const wanted: Record<string, number> = {};
  for (const type of machine.commits.flatMap(eventsOf)) wanted[type] = (wanted[type] ?? 0) + 1;
  const found: Record<string, number> = {};
  for (const [id, item] of machine.table.partitions.get(`${store}#EVENT`) ?? []) {
    const { type } = item as unknown as EventItem;
    if (!earlier.has(id)) found[type] = (found[type] ?? 0) + 1;
  }
  return Object.keys({ ...wanted, ...found })
    .filter((type) => wanted[type] !== found[type])
    .map((type) => `${found[type] ?? 0} events tell of ${type}, ${wanted[type] ?? 0} changes were.`);
};

/** The events of each thing stand in the order of its changes, where the stream was read in that order. */
const orderFaults = (machine: Machine, earlier: ReadonlySet<string>, { store }: World): string[] => {
  const [wanted, found] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const add = (to: Map<string, string[]>, thing: string, told: string) =>
    to.set(thing, [...(to.get(thing) ?? []), told]);
  for (const commit of machine.commits)
    for (const written of commit.written)
      for (const type of eventsOf({ ...commit, written: [written] }))
        add(wanted, written.key.sk, `${type} ${type === 'credit.changed' ? written.after?.creditVersion : ''}`);
  const events = [...(machine.table.partitions.get(`${store}#EVENT`) ?? [])] as unknown as [string, EventItem][];
  for (const [id, { type, data }] of events.toSorted(([, a], [, b]) => (a.rank < b.rank ? -1 : 1))) {
    const { id: thing, uuid, sequence = '' } = JSON.parse(data);
    if (!earlier.has(id)) add(found, thing ?? uuid, `${type} ${sequence}`);
  }
  return [...wanted]
    .filter(([thing, told]) => `${found.get(thing)}` !== `${told}`)
    .map(([thing, told]) => `The events of ${thing} stand as ${found.get(thing)}, its changes were ${told}.`);
};

/** A completed sale is delivered; nothing is delivered that was not sold. */
const deliveryFaults = (machine: Machine, { store }: World): string[] => {
  const sales = [...(machine.table.partitions.get(`${store}#SALE`)?.values() ?? [])] as unknown as SaleItem[];
  const sold = new Map(sales.filter(({ deliveryId }) => deliveryId).map((sale) => [sale.deliveryId ?? '', sale]));
  const faults = [...machine.given.keys()].filter((id) => !sold.has(id)).map((id) => `delivery ${id}: was never sold.`);
  for (const { key, before, after } of machine.commits.flatMap(({ written }) => written))
    if (partOf(key) === 'DELIVERY' && before?.state === 'delivered' && after?.state !== 'delivered')
      faults.push(`delivery ${key.sk}: was tried again after it was made.`);
  for (const [id, { state, flags, sk }] of sold) {
    const record = machine.table.get({ pk: `${store}#DELIVERY`, sk: id }) as unknown as Delivery | undefined;
    if (flags !== undefined) faults.push(`sale ${sk}: is still in the list of those without a delivery.`);
    if (state === 'completed' && record?.state !== 'delivered')
      faults.push(`sale ${sk}: its delivery is ${record?.state ?? 'not there'}.`);
    if (state === 'refunded' && record?.state !== 'failed' && record?.state !== 'delivered')
      faults.push(`sale ${sk}: was refunded, and its delivery is ${record?.state ?? 'not there'}.`);
    const isNewSale = machine.commits.some(({ written }) =>
      written.some(({ key, before }) => key.sk === sk && !before),
    );
    if (state === 'completed' && isNewSale && !machine.given.has(id))
      faults.push(`sale ${sk}: the item was not given.`);
  }
  return faults;
};

/** Runs what nobody asks for until nothing is left to do. */
const settle = (machine: Machine, process: Process): Promise<void> =>
  quietly(machine, process, async () => {
    for (let round = 0; round < 3; round++) {
      machine.time += 90_000;
      await sweepOnce(machine, 60_000);
      if (!machine.isStreaming) break;
      await consumeAll(machine);
      await deliverAll(machine);
      if (machine.stream.length === 0 && machine.queue.length === 0) break;
    }
    await consumeAll(machine);
  });

interface Run {
  outcome: Outcome;
  start: number;
  end: number;
}

const troubleOf = (random: Random): Trouble => {
  const level = random.of([0, 0.05, 0.1, 0.2]);
  return {
    faults: level,
    deaths: random.of([0, 0.1, 0.3]),
    torn: random.of([0, 0.5, 1]),
    staleMillis: random.of([0, 500, 20_000]),
  };
};

const operationCount = 8;

/** Runs the schedule of a seed, and answers what is wrong. The same seed is the same schedule. */
export const runSchedule = async (seed: number, { isTraced = false, isInOrder = false } = {}): Promise<Result> => {
  const random = new Random(seed);
  // A change of many lots costs twenty times as much as another.
  let index = random.below(worldCount);
  if (isLarge(index) && !random.chance(0.1)) index = random.below(worldCount - 1);
  const world = await worldOf(index);
  const machine = new Machine(random.next() * 2 ** 32, world.table.copy(), start, troubleOf(random), isTraced);
  // History, days, events and deliveries cost as much as all else together.
  machine.isStreaming = random.chance(0.3) || isInOrder;
  if (isInOrder) readInOrder(machine);
  // Between two batches the order of events holds for clocks that differ by less than a batch takes.
  const skew = isInOrder ? 0 : random.of([0, 50, 3000]);
  const processes = Array.from(
    { length: 4 },
    (): Process => ({
      skew: Math.round((random.next() - 0.5) * 2 * skew),
      states: new Map(),
    }),
  );
  const earlier = new Set(machine.table.partitions.get(`${world.store}#EVENT`)?.keys() ?? []);
  const operations = operationsOf(machine, world, processes, operationCount);
  const runs: Run[] = [];
  for (const [place, operation] of operations.entries())
    machine.after(machine.random.of([0, 5, 100, 2000]) + machine.random.below(20), () => {
      const run: Run = { outcome: { kind: 'unknown' }, start: machine.place, end: Number.POSITIVE_INFINITY };
      runs[place] = run;
      operation.run(machine, processes).then((outcome) => {
        Object.assign(run, { outcome, end: machine.place });
      });
    });
  for (const millis of [500, 5000]) machine.after(machine.random.below(millis), () => machine.expireOld());
  await machine.run();
  const events = machine.place;
  const process = processes[0] as Process;
  const faults: string[] = [];
  try {
    await settle(machine, process);
  } catch (error) {
    faults.push(`What follows does not end: ${error instanceof Error ? error.stack : error}`);
  }

  const history: (Past<State> & { hint: number })[] = [];
  const effects = new Map<string, { effect: Effect; commit: Commit }[]>();
  for (const commit of machine.commits) {
    const effect = effectOf(commit);
    if (effect?.kind === 'expire')
      history.push({
        ...{ start: commit.at, end: machine.shownFrom(commit.shown), hint: commit.at },
        apply: applyExpiry(effect.item),
      });
    else if (effect) effects.set(commit.operation, [...(effects.get(commit.operation) ?? []), { effect, commit }]);
  }
  for (const [place, operation] of operations.entries()) {
    const { outcome, start: begun, end } = runs[place] as Run;
    const [first, ...others] = effects.get(operation.name) ?? [];
    machine.trace?.push(`${begun}-${end} ${operation.name}, ${operation.text}: ${JSON.stringify(outcome)}`);
    if (others.length > 0) faults.push(`${operation.name} (${operation.text}) took effect ${others.length + 1} times.`);
    const { apply } = operation;
    if (!apply || (outcome.kind === 'unknown' && !first)) continue;
    const seen = { outcome, effect: first?.effect, start: begun };
    // Nobody was told of the end of a request that was not answered.
    const last = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : machine.shownFrom(end);
    history.push({
      ...{ start: begun, end: last, hint: first?.commit.at ?? end - 0.5 },
      apply: (state) => apply(state, seen),
    });
  }
  // The order of the commits is nearly always one that explains all.
  history.sort((a, b) => a.hint - b.hint);
  const end = JSON.stringify(endInTable(machine.table, world));
  if (!isLinearizable(world.state, history, (state) => JSON.stringify(endOf(state, world)) === end))
    faults.push(`No order of the operations explains their answers and the table at the end: ${end}`);
  const items = machine.table.items() as (Item & Key)[];
  const ofStore = items.filter(({ pk }) => pk.startsWith(`${world.store}#`));
  const audits = await quietly(machine, process, async () => [
    ...auditTable(ofStore),
    ...(machine.isStreaming ? [...auditHistories(ofStore), ...auditDays(ofStore)] : []),
  ]);
  faults.push(...audits, ...machine.alarms);
  if (machine.isStreaming) faults.push(...eventFaults(machine, earlier, world), ...deliveryFaults(machine, world));
  if (isInOrder) faults.push(...orderFaults(machine, earlier, world));
  return { seed, faults, events, trace: machine.trace ?? [] };
};
