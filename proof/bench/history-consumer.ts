import { openSync, readSync } from 'node:fs';
import type { DynamoDBRecord } from 'aws-lambda';
import { sequenceText } from '../../lib/events/days.ts';
import { isConsumed, noteConsumed } from '../../lib/events/processed-records.ts';
import { record } from '../../lib/events/record.ts';
import { contributionsOf } from '../../lib/events/records.ts';
import { changeOf } from '../../lib/events/stream.ts';

/**
 * The part of the stream's consumer that makes history and days, in a process of its own. proof/bench/history.ts kills
 * it, and sends it batches of its shard: the places in the shard's file where each begins and ends.
 */

const shard = process.argv[2] ?? '';
const file = openSync(shard, 'r');

process.on('message', async ({ start, end }: { start: number; end: number }) => {
  const buffer = Buffer.alloc(end - start);
  readSync(file, buffer, 0, buffer.length, start);
  // A comma follows each record.
  const records: DynamoDBRecord[] = JSON.parse(`[${buffer.toString().slice(0, -1)}]`);
  const changes = records.filter((one) => !isConsumed(one)).flatMap((one) => changeOf(one) ?? []);
  const told = changes.map((change) => ({
    sequence: sequenceText(change.sequenceNumber ?? ''),
    contributions: contributionsOf(change),
  }));
  try {
    await record(changes[0]?.store ?? '', shard, told, () => true);
    noteConsumed(records);
    process.send?.('done');
  } catch {
    process.send?.('failed');
  }
});
