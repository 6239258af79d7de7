import { handler } from '../functions/stream-consumer.ts';
import { logSink } from '../lib/log.ts';

/** A consumer in a process of its own, which bench/history.ts sends events to as JSON, and kills. */

logSink.write = () => {};
process.on('message', async (event: string) => {
  const { batchItemFailures } = await handler(JSON.parse(event));
  process.send?.(batchItemFailures.length);
});
