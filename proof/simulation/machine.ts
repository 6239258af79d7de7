import { AsyncLocalStorage } from 'node:async_hooks';
import { BusyError, CancelledError, ConflictError, type Engine, RefusedError } from '../../lib/table/engine.ts';
import { type Item, targetOf, type Write } from '../../lib/table/language.ts';
import { type Key, ttlAttribute } from '../../lib/table/schema.ts';
import { type MemoryTable, nameOf, type Written } from '../../test/lib/table/memory.ts';
import { Random } from '../../test/support/random.ts';
import { ShardedStream } from './shards.ts';
import type { Pass } from './there.ts';

/**
 * One machine in place of everything: processes with their own clocks, the table with its stream, the queue and a
 * dispenser, in virtual time. Everything that a process waits for is an event here. The seed chooses when each event
 * comes and how it fails.
 */

/** An execution environment of Lambda, with the state that modules keep. */
export interface Process {
  /** How far its clock is ahead, in milliseconds. */
  skew: number;
  states: Map<() => unknown, unknown>;
}

/** One piece of work of a process: an attempt at a request, a sweep, a batch of the stream. */
export interface Work {
  machine: Machine;
  process: Process;
  /** The operation that it belongs to. */
  operation: string;
  /** How many calls it makes before it dies. */
  callsLeft: number;
  isDead: boolean;
  onDeath: () => void;
}

export const works = new AsyncLocalStorage<Work>();

/** Work of a machine's first process, which does not die. */
export const lasting = (machine: Machine, operation: string): Work => {
  const [process] = machine.processes as [Process];
  return { machine, process, operation, callsLeft: Number.POSITIVE_INFINITY, isDead: false, onDeath: () => undefined };
};

/** A failure that the machine made up. */
export class Injected extends Error {}

/** Writes that were carried out together. */
export interface Commit {
  /**
   * Its place among all events. The last of its items became visible at `shown`. Each item becomes visible, and is
   * released, by itself.
   */
  at: number;
  shown: number;
  operation: string;
  written: Written[];
}

export interface Message {
  body: string;
  /** When a worker may take it. */
  visible: number;
}

/** How often calls fail, and how late things come. */
export interface Trouble {
  /** The share of calls that fail. */
  faults: number;
  /** The share of pieces of work that die. */
  deaths: number;
  /** The share of transactions whose items become visible one by one. */
  torn: number;
  /** How far an index is behind at most, in milliseconds. */
  staleMillis: number;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

export class Machine {
  readonly random: Random;
  readonly table: MemoryTable;
  readonly trouble: Trouble;
  processes: readonly Process[] = [{ skew: 0, states: new Map() }];
  /** Virtual time, in milliseconds since 1970. */
  time: number;
  /** Grows by one with each event. */
  place = 0;
  /** Calls are carried out at once, and none fails. */
  isQuiet = false;
  /** The table has a stream. */
  isStreaming = true;
  /** A shard has one consumer at a time, even after that has died. So the events of a thing are in order. */
  isInOrder = false;
  /** Its table is restored, or will be. Then history may lack changes. */
  isRestored = false;
  readonly commits: Commit[] = [];
  readonly stream: ShardedStream;
  readonly queue: Message[] = [];
  /** How often the dispenser was asked for each delivery and gave it. */
  readonly given = new Map<string, number>();
  /** How often cashiers moved the L$ of each payout. */
  readonly transfers = new Map<string, number>();
  /** The passes of a move, by the names of their operations. */
  readonly passes = new Map<string, Pass>();
  /** Faults that the service's own log reports. */
  readonly alarms: string[] = [];
  readonly trace: string[] | undefined;
  readonly #events: { at: number; run: () => void }[] = [];
  /**
   * The items of running transactions that are not visible yet, as readers see them instead. Other writes of them are
   * refused.
   */
  readonly #hidden = new Map<string, Item | undefined>();
  readonly #tokens = new Map<string, 'running' | 'done'>();

  constructor(seed: number, table: MemoryTable, time: number, trouble: Trouble, isTraced = false) {
    this.random = new Random(seed);
    this.stream = new ShardedStream(seed);
    this.table = table;
    this.time = time;
    this.trouble = trouble;
    this.trace = isTraced ? [] : undefined;
  }

  /** Calls `run` after this many milliseconds. */
  after(millis: number, run: () => void): void {
    this.#events.push({ at: this.time + millis, run });
  }

  sleep = (millis: number): Promise<void> => {
    if (works.getStore()?.isDead) return never();
    if (this.isQuiet) {
      this.time += millis;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.after(millis, resolve));
  };

  /** Runs the events in the order of their times until none is left. */
  async run(): Promise<void> {
    for (;;) {
      // Everything that follows from the last event without waiting happens before the next event.
      for (let tick = 0; tick < 24; tick++) await undefined;
      if (this.#events.length === 0) await new Promise(setImmediate);
      // If two have the same time, the one that was asked for first comes first.
      const event = this.#events.sort((a, b) => a.at - b.at).shift();
      if (!event) return;
      this.time = Math.max(this.time, event.at);
      this.place += 1;
      event.run();
    }
  }

  /** The place from which everybody sees the transactions that some may see at `place`. To be asked at the end. */
  shownFrom(place: number): number {
    return this.commits.reduce((last, { at, shown }) => (at <= place ? Math.max(last, shown) : last), place);
  }

  /** Most calls take milliseconds, some seconds. */
  #latency(): number {
    const { random } = this;
    return random.chance(0.03) ? 100 + random.below(3000) : 1 + random.below(30);
  }

  /** A call of another system. `effect` is what it does there, at one moment. */
  call<T>(name: string, isWrite: boolean, effect: () => T | Promise<T>): Promise<T> {
    const work = works.getStore();
    if (!work || work.isDead) return never();
    const { random, trouble } = this;
    const { operation } = work;
    const act = (): T | Promise<T> => works.run(work, effect);
    if (this.isQuiet) {
      this.place += 1;
      return Promise.try(act);
    }
    const note = (how: string): void => {
      this.trace?.push(`${this.place} ${new Date(this.time).toISOString()} ${operation}: ${name} ${how}`);
    };
    /** Its answer is lost. */
    const actUnheard = (): void => void Promise.try(act).catch(() => undefined);
    const later = (millis: number): void =>
      this.after(millis, () => {
        note('is carried out late');
        actUnheard();
      });
    work.callsLeft -= 1;
    if (work.callsLeft === 0) {
      note('dies');
      work.isDead = true;
      if (random.chance(0.5)) later(this.#latency());
      work.onDeath();
      return never();
    }
    return new Promise<T>((resolve, reject) => {
      const fails = random.chance(trouble.faults);
      const how = random.below(5);
      this.after(this.#latency(), () => {
        if (fails && (isWrite || how === 0)) {
          if (how <= 1) {
            note('is refused as busy');
            return reject(new BusyError(new Injected('ThrottlingException')));
          }
          if (how === 2) {
            note('is not sent');
            return reject(new Injected('ECONNREFUSED'));
          }
          if (how === 3) later(1 + random.below(random.chance(0.3) ? 45_000 : 300));
          else actUnheard();
          note('gets no answer');
          return reject(new Injected('socket hang up'));
        }
        note('is carried out');
        try {
          resolve(act());
        } catch (error) {
          note(`fails: ${(error as Error).message}`);
          reject(error);
        }
      });
    });
  }

  #isHeld(keys: readonly Key[]): boolean {
    return this.#hidden.size > 0 && keys.some((key) => this.#hidden.has(nameOf(key)));
  }

  /** Notes writes that were carried out, for the stream and for readers that are behind. */
  #committed(written: Written[]): Commit {
    const operation = works.getStore()?.operation ?? '';
    const commit: Commit = { at: this.place, shown: this.place, operation, written };
    this.commits.push(commit);
    for (const one of written) {
      this.#recent.push({ at: this.time, written: one });
      if (this.isStreaming && isTold(one.key)) this.stream.add(one, this.time);
    }
    return commit;
  }

  readonly #recent: { at: number; written: Written }[] = [];

  /** The items as a reader sees them who may be behind, as far as they differ from the table's. */
  #seen(isBehind: boolean): Map<string, Item | undefined> | undefined {
    const { random, trouble } = this;
    const lag = isBehind && !this.isQuiet && random.chance(0.5) ? random.below(trouble.staleMillis + 1) : 0;
    if (lag === 0) return this.#hidden.size > 0 ? this.#hidden : undefined;
    const seen = new Map(this.#hidden);
    for (let i = this.#recent.length - 1; i >= 0; i--) {
      const change = this.#recent[i];
      if (!change || change.at < this.time - lag) break;
      seen.set(nameOf(change.written.key), change.written.before);
    }
    // An index follows each item separately.
    for (const name of seen.keys()) if (!this.#hidden.has(name) && random.chance(0.3)) seen.delete(name);
    return seen;
  }

  #read(key: Key, seen: ReadonlyMap<string, Item | undefined> | undefined): Item | undefined {
    const name = seen ? nameOf(key) : '';
    return seen?.has(name) ? seen.get(name) : this.table.get(key);
  }

  /** Carries out writes, all at once or so that they become visible one by one. */
  #transact(writes: readonly Write[], token: string): void | Promise<void> {
    const before = this.#tokens.get(token);
    if (before === 'done') return;
    if (before === 'running') throw new Injected('TransactionInProgressException');
    const keys = writes.map(targetOf);
    if (this.#isHeld(keys)) throw new ConflictError(new Injected('TransactionConflict'));
    const result = this.table.transact(writes);
    if ('refusals' in result) throw new CancelledError(result.refusals);
    const commit = this.#committed(result.written);
    if (this.isQuiet || !this.random.chance(this.trouble.torn)) {
      this.#tokens.set(token, 'done');
      return;
    }
    this.#tokens.set(token, 'running');
    for (const { key, before } of result.written) this.#hidden.set(nameOf(key), before);
    // A check holds its item like a write.
    for (const key of keys) if (!this.#hidden.has(nameOf(key))) this.#hidden.set(nameOf(key), this.table.get(key));
    let left = keys.length;
    return new Promise((resolve) => {
      for (const key of keys)
        this.after(this.#showsAfter(), () => {
          this.#hidden.delete(nameOf(key));
          left -= 1;
          if (left > 0) return;
          this.#tokens.set(token, 'done');
          commit.shown = this.place;
          resolve();
        });
    });
  }

  /**
   * Milliseconds until an item of a transaction is visible. DynamoDB does not promise that all items are visible before
   * one is written again.
   */
  #showsAfter(): number {
    return this.random.below(this.random.chance(0.3) ? 3000 : 60);
  }

  /** The calls of this machine's table, below the language. */
  readonly engine: Engine = {
    get: (key) => this.call(`get ${key.pk} ${key.sk}`, false, () => this.#read(key, this.#seen(false))),
    // Each item is read at a moment of its own.
    getSome: async (keys, { consistent }) => {
      const isShort = keys.length > 1 && !this.isQuiet && this.random.chance(this.trouble.faults / 4);
      const some = isShort ? keys.slice(0, 1) : keys;
      const read = (key: Key) =>
        this.call(`get ${key.pk} ${key.sk}`, false, () => this.#read(key, this.#seen(!consistent)));
      const items = await Promise.all(some.map(read));
      return { items: items.filter((item) => item !== undefined), rest: isShort ? keys.slice(1) : [] };
    },
    getTogether: (keys) =>
      this.call(`get ${keys.length} items together`, true, () => {
        if (this.#isHeld(keys)) throw new ConflictError(new Injected('TransactionConflict'));
        return keys.map((key) => this.table.get(key));
      }),
    query: (query) =>
      this.call(`query ${query.partition}`, false, () =>
        this.table.query(query, this.#seen(query.index !== undefined || query.isEventual === true)),
      ),
    write: (write) =>
      this.call(`${write.kind} ${targetOf(write).pk} ${targetOf(write).sk}`, true, () => {
        if (this.#isHeld([targetOf(write)])) throw new ConflictError(new Injected('TransactionConflict'));
        const result = this.table.transact([write]);
        if ('refusals' in result) throw new RefusedError(result.refusals[0]?.item);
        this.#committed(result.written);
        return result.written[0]?.after;
      }),
    transact: (writes, token) =>
      this.call(`transact ${writes.length} writes`, true, () => this.#transact(writes, token)),
    removeSome: (keys) =>
      this.call(`remove ${keys.length} items`, true, () => {
        this.#remove(keys);
        return [];
      }),
  };

  /** Deletes expired items, as DynamoDB does at some time. */
  expireOld(): void {
    for (const item of this.table.items() as (Item & Key)[])
      if (Number(item[ttlAttribute] ?? Number.POSITIVE_INFINITY) * 1000 < this.time && !this.#isHeld([item]))
        this.#remove([item]);
  }

  #remove(keys: readonly Key[]): void {
    const written = keys.map((key) => ({ key, before: this.table.get(key), after: undefined }));
    for (const { pk, sk } of keys) this.table.set({ pk, sk }, undefined);
    this.#committed(written.filter(({ before }) => before));
  }

  send(bodies: readonly string[]): void {
    for (const body of bodies) this.queue.push({ body, visible: this.time });
  }
}

/** The consumer ignores records of other kinds. */
const isTold = ({ pk }: Key): boolean =>
  /^[^#]*#(CUSTOMER|LOT|GIFTCARD|SALE|DELIVERY|DISPENSER|PRODUCT|APPLIED|PAYOUT)(#|$)/.test(pk);

/** The items of a partition, in no order. */
export const listOf = <T>(table: MemoryTable, pk: string): T[] =>
  [...(table.partitions.get(pk)?.values() ?? [])] as T[];
