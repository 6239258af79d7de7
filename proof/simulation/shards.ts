import type { Written } from '../../test/lib/table/memory.ts';
import { Random } from '../../test/support/random.ts';

/** A record of the table's stream. */
export interface StreamRecord {
  /** Its number in its shard, greater than the number of each earlier record. */
  number: number;
  millis: number;
  written: Written;
}

export interface Shard {
  id: string;
  records: StreamRecord[];
  /** Consumers have processed this many of its first records. */
  done: number;
  /** Its records are read after all records of its parent. */
  parent: Shard | undefined;
  /** Until then Lambda waits for the consumer that has a batch of it. */
  takenUntil: number;
}

/** The stream of a table. The records of an item are in one shard at a time, in the order of its writes. */
export class ShardedStream {
  readonly arn: string;
  readonly shards: Shard[] = [];
  /** A random source of its own, so that a write does not change the schedule's. */
  readonly #random: Random;
  readonly #splits: number;
  /** The open shards by the hash of items. */
  readonly #lineages: Shard[][];
  /** No other stream has the same numbers. */
  #made: number;

  constructor(seed: number) {
    this.arn = `arn:aws:dynamodb:simulated:0:table/simulated/stream/${seed}`;
    this.#random = new Random(seed);
    this.#made = Math.floor(seed) * 1_000_000;
    // In half of all schedules no shard is ever divided.
    this.#splits = this.#random.chance(0.5) ? 0.1 : 0;
    this.#lineages = [[this.#open(undefined)], [this.#open(undefined)]];
  }

  #open(parent: Shard | undefined): Shard {
    const id = `shard-${this.shards.length}`;
    const shard: Shard = { id, records: [], done: 0, parent, takenUntil: 0 };
    this.shards.push(shard);
    return shard;
  }

  add(written: Written, millis: number): void {
    const name = `${written.key.pk} ${written.key.sk}`;
    let hash = 7;
    for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) % 65_521;
    const lineage = this.#lineages[hash % 2] as Shard[];
    if (this.#random.chance(this.#splits)) {
      const [first, second = first] = lineage.splice(0);
      lineage.push(this.#open(first), this.#open(second));
    }
    const shard = lineage[(hash >> 1) % lineage.length] as Shard;
    shard.records.push({ number: ++this.#made, millis, written });
  }

  /** True when consumers have processed every record. */
  isRead(): boolean {
    return this.shards.every(({ records, done }) => done === records.length);
  }

  /** The shards that can be read now: none before its parent has been read. */
  readable(time: number): Shard[] {
    const isOver = (shard: Shard | undefined): boolean =>
      !shard || (shard.done === shard.records.length && isOver(shard.parent));
    return this.shards.filter(
      ({ parent, takenUntil, records, done }) => isOver(parent) && takenUntil <= time && done < records.length,
    );
  }
}
