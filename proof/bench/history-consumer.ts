import { openSync, readSync } from 'node:fs';
import type { DynamoDBRecord } from 'aws-lambda';
import { isConsumed, noteConsumed } from '../../lib/events/consumed.ts';
import { sequenceText } from '../../lib/events/days.ts';
import { record } from '../../lib/events/record.ts';
import { contributionsOf } from '../../lib/events/records.ts';
import { changeOf } from '../../lib/events/stream.ts';

/**
 * The part of the stream's consumer that makes history and days, in a process of its own. proof/bench/history.ts kills
 * it, and sends it batches of a shard: where each record begins and ends in the file of records, which hold no
 * character beyond ASCII.
 */

const file = openSync(process.argv[2] ?? '', 'r');
const buffer = Buffer.alloc(100_000);

process.on('message', async ({ shard, places }: { shard: string; places: Float64Array }) => {
  const texts: string[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const [start = 0, end = 0] = places.subarray(i, i + 2);
    texts.push(buffer.toString('latin1', 0, readSync(file, buffer, 0, end - start, start)));
  }
  const records: DynamoDBRecord[] = JSON.parse(`[${texts.join(',')}]`);
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
