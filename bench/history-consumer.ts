import { openSync, readSync } from 'node:fs';
import { handler } from '../functions/stream-consumer.ts';
import { logSink } from '../lib/log.ts';

/**
 * A consumer in a process of its own, as it is deployed. bench/history.ts kills it, and sends it batches: where each record
 * begins and ends in the file of records, which hold no character beyond ASCII.
 */

logSink.write = () => {};
const file = openSync(process.argv[2] ?? '', 'r');
const buffer = Buffer.alloc(100_000);

process.on('message', async (places: Float64Array) => {
  const texts: string[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const [start = 0, end = 0] = places.subarray(i, i + 2);
    texts.push(buffer.toString('latin1', 0, readSync(file, buffer, 0, end - start, start)));
  }
  const { batchItemFailures } = await handler(JSON.parse(`{"Records":[${texts.join(',')}]}`));
  process.send?.(batchItemFailures.length);
});
