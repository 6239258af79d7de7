import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { streamSource } from '../../infra/stream.ts';
import type { ShardEvent } from '../../lib/events/stream.ts';

export type Consumer = (event: ShardEvent) => Promise<DynamoDBBatchResponse>;

/** How far a stream has been consumed. */
export interface StreamPlace {
  stream: string;
  /** The number of the last consumed record, by the shard's id. */
  shards: Record<string, string>;
}

/** A shard ends when it is divided or some hours old. Its successors name it as their parent. */
interface Shard {
  ShardId: string;
  ParentShardId?: string;
}

interface StreamOptions {
  /** The engine. */
  endpoint: string;
  table: string;
  consumer: Consumer;
  /**
   * The place where an earlier reader stopped. Without it, or if it is of another stream, reading begins with the
   * oldest record.
   */
  place?: StreamPlace | undefined;
  /** The event source's filters and its largest batch; by default as for the stream's consumer. */
  filters?: readonly Pattern[];
  batchSize?: number;
  /** Returns true when reading must end although the stream has more records. */
  isOver?: () => boolean;
}

// Calls the streams without the SDK, whose package for them is older than its other packages.
const agent = new Agent({ keepAlive: true });

/** Calls an operation of DynamoDB or its streams at a local engine, which accepts any signature. */
const call = async <T>(endpoint: string, operation: string, input: object): Promise<T> => {
  const sent = request(endpoint, {
    agent,
    method: 'POST',
    signal: AbortSignal.timeout(10_000),
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': operation,
      'X-Amz-Date': '20260101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
  });
  sent.end(JSON.stringify(input));
  const [response] = await once(sent, 'response');
  const answer = (await json(response)) as T & { __type?: string; message?: string };
  if (response.statusCode === 200) return answer;
  throw Object.assign(new Error(`${operation}: ${answer.message}`), { name: answer.__type?.split('#').at(-1) });
};

type Pattern = {
  readonly [name: string]: Pattern | readonly (string | { exists: true } | { suffix: string } | { prefix: string })[];
};

/** Matches a record with a pattern as Lambda's filters do. Knows only the forms that this service uses. */
const matches = (pattern: Pattern, value: unknown): boolean =>
  Object.entries(pattern).every(([name, expected]) => {
    const found = (value as Record<string, unknown> | undefined)?.[name];
    if (!Array.isArray(expected)) return matches(expected as Pattern, found);
    return expected.some((one) => {
      if (typeof one === 'string') return found === one;
      if ('exists' in one) return found !== undefined;
      return typeof found === 'string' && ('suffix' in one ? found.endsWith(one.suffix) : found.startsWith(one.prefix));
    });
  });

/** True if the event source passes the record to the consumer. */
export const isWanted = (record: DynamoDBRecord, filters: readonly Pattern[] = streamSource.filters): boolean =>
  filters.some((filter) => matches(filter, record));

/**
 * Reads a table's stream and passes its records to the consumer as Lambda's event source does: filtered, and in
 * batches. Stops at a batch with failed records.
 */
class StreamReader {
  readonly #options: StreamOptions;
  readonly #iterators = new Map<string, string>();
  readonly #closed = new Set<string>();
  #place: StreamPlace = { stream: '', shards: {} };
  /** The shards, while all of them are open. A closed one has successors, so they must be listed again. */
  #open: Shard[] | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  place(): StreamPlace {
    return this.#place;
  }

  /**
   * Consumes all records in the stream, and answers their number. Throws if the engine does not answer or the consumer
   * fails. The next call continues at the same place.
   */
  async toEnd(): Promise<number> {
    if (this.#place.stream === '') await this.#findStream();
    let count = 0;
    const shards = this.#open ?? (await this.#shards());
    // After a failure the shards are listed again.
    this.#open = undefined;
    const listed = new Set(shards.map(({ ShardId }) => ShardId));
    for (let left = shards; left.length > 0; ) {
      // A shard is read only after its parent has ended, so that an item's records come in order.
      const isNext = ({ ParentShardId: parent = '' }: Shard): boolean =>
        !listed.has(parent) || this.#closed.has(parent);
      const next = left.filter(isNext);
      if (next.length === 0) break;
      for (const { ShardId: id } of next) if (!this.#closed.has(id)) count += await this.#readShard(id);
      left = left.filter((shard) => !next.includes(shard));
    }
    if (!shards.some(({ ShardId }) => this.#closed.has(ShardId))) this.#open = shards;
    return count;
  }

  #call<T>(operation: string, input: object): Promise<T> {
    return call<T>(this.#options.endpoint, `DynamoDBStreams_20120810.${operation}`, input);
  }

  async #findStream(): Promise<void> {
    const { endpoint, table, place } = this.#options;
    const { Table } = await call<{ Table: { LatestStreamArn?: string } }>(endpoint, 'DynamoDB_20120810.DescribeTable', {
      TableName: table,
    });
    const stream = Table.LatestStreamArn;
    if (!stream) throw new Error(`The table ${table} has no stream.`);
    this.#place = place?.stream === stream ? structuredClone(place) : { stream, shards: {} };
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#call<{
        StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string };
      }>('DescribeStream', { StreamArn: this.#place.stream, ExclusiveStartShardId: after });
      shards.push(...StreamDescription.Shards);
      after = StreamDescription.LastEvaluatedShardId;
    } while (after !== undefined);
    return shards;
  }

  async #newIterator(ShardId: string): Promise<string> {
    const SequenceNumber = this.#place.shards[ShardId];
    const ask = async (from: object): Promise<string> => {
      const input = { StreamArn: this.#place.stream, ShardId, ...from };
      return (await this.#call<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator;
    };
    const fromOldest = () => ask({ ShardIteratorType: 'TRIM_HORIZON' });
    if (SequenceNumber === undefined) return fromOldest();
    // The record at the place may be gone from the stream.
    return ask({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber }).catch(fromOldest);
  }

  /** Reads a shard to its end, or until reading must stop. Answers the number of records. */
  async #readShard(id: string): Promise<number> {
    const { isOver = () => false } = this.#options;
    for (let count = 0; ; ) {
      const iterator = this.#iterators.get(id) ?? (await this.#newIterator(id));
      // If the iterator has expired, or its engine has ended, the next try makes a new one at the place.
      this.#iterators.delete(id);
      const { Records, NextShardIterator } = await this.#call<{
        Records: DynamoDBRecord[];
        NextShardIterator?: string;
      }>('GetRecords', { ShardIterator: iterator });
      await this.#consume(id, Records);
      const last = Records.at(-1)?.dynamodb?.SequenceNumber;
      if (last !== undefined) this.#place.shards[id] = last;
      if (NextShardIterator === undefined) this.#closed.add(id);
      else this.#iterators.set(id, NextShardIterator);
      count += Records.length;
      if (Records.length === 0 || NextShardIterator === undefined || isOver()) return count;
    }
  }

  /** Passes records on, batch by batch. Moves the place up to the first failed record. */
  async #consume(id: string, records: readonly DynamoDBRecord[]): Promise<void> {
    const { consumer, filters = streamSource.filters, batchSize = streamSource.batchSize } = this.#options;
    const wanted = records.filter((record) => isWanted(record, filters));
    for (let start = 0; start < wanted.length; start += batchSize) {
      const Records = wanted.slice(start, start + batchSize);
      const { batchItemFailures } = await consumer({ Records, shardId: id, eventSourceARN: this.#place.stream });
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const first = Records.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      const last = (first < 0 ? Records : Records.slice(0, first)).at(-1)?.dynamodb?.SequenceNumber;
      if (last !== undefined) this.#place.shards[id] = last;
      if (failed.size > 0) throw new Error(`The consumer failed at ${failed.size} of ${Records.length} records.`);
    }
  }
}

export const readStream = (options: StreamOptions): StreamReader => new StreamReader(options);

const pollMillis = 100;
/** After a failure, tries again once a second, since the consumer logs each failure. */
const retryMillis = 1000;

/** Consumes a stream until it is stopped. Goes on after failures of the engine or the consumer. */
export const followStream = ({
  onPlace,
  ...options
}: Omit<StreamOptions, 'isOver'> & { onPlace: (place: StreamPlace) => void }) => {
  const stopped = new AbortController();
  let isLeft = false;
  const reader = readStream({ ...options, isOver: () => isLeft });
  let kept = JSON.stringify(reader.place());
  /** Consumes everything in the stream. Answers whether that succeeded. */
  const round = async (): Promise<boolean> => {
    try {
      await reader.toEnd();
      return true;
    } catch {
      return false;
    } finally {
      // Also after a failure, since another reader must not pass records on that have succeeded.
      const place = JSON.stringify(reader.place());
      if (place !== kept) onPlace(reader.place());
      kept = place;
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const millis = (await round()) ? pollMillis : retryMillis;
      await sleep(millis, undefined, { signal: stopped.signal }).catch(() => {});
    }
    // Another round for the records that came during the last one.
    if (!isLeft) await round();
  };
  const running = run();
  return {
    /** Ends when all records written before are consumed, or have failed again. */
    stop: async (): Promise<void> => {
      stopped.abort();
      await running;
    },
    /**
     * Ends after the records that it has read. Another reader continues there. Under steady writes a stream has no end.
     */
    leave: async (): Promise<void> => {
      isLeft = true;
      stopped.abort();
      await running;
    },
  };
};
