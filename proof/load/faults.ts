import { SQSClient } from '@aws-sdk/client-sqs';
import { source } from '../../lib/clock.ts';
import { deliveryQueue } from '../../lib/delivery/queue.ts';
import { countMessages } from '../../local/start/views.ts';
import { answerLost, conflict, intercept, notSent, randomFrom, throttled } from '../../test/support/faults.ts';

/**
 * The load test loads this into the local service (`node --expose-gc --import ./proof/load/faults.ts local/main.ts`).
 * It makes a part of the calls to table and queue fail, continues the clock after a restart, and reports memory.
 */

/** The service's report to the test, every two seconds. */
export interface Sample {
  /** Bytes. */
  rss: number;
  heapUsed: number;
  /** True right after a garbage collection. */
  collected: boolean;
  /** Deliveries in the queue, also the ones that a worker has; only while there are no faults. */
  queued?: number;
}

const tableFaultRate = 0.04;
const slowRate = 0.01;
const queueFaultRate = 0.01;
const maxSlowMillis = 250;

const advance = Number(process.env.LOAD_CLOCK_MILLIS ?? 0);
source.now = () => Date.now() + advance;

// A killed worker's messages must come back during the run. The delivery's own lease, rather than the queue's time-out,
// keeps a second worker away.
Object.assign(deliveryQueue, { visibilitySeconds: 8 });

const random = randomFrom(Number(process.env.LOAD_SEED ?? 1));
let on = false;
process.on('message', (message) => {
  on = message === 'faults on';
});
// The test that started this process is gone.
process.on('disconnect', () => process.exit(1));

const slowly = async (): Promise<void> => {
  if (random() < slowRate) await new Promise((resolve) => setTimeout(resolve, random() * maxSlowMillis));
};

intercept(async (call, send) => {
  if (!on) return send();
  await slowly();
  if (random() >= tableFaultRate) return send();
  const how = Math.floor(random() * 4);
  if (how === 0) throw notSent();
  // DynamoDB reports no transaction conflict for a batch.
  if (how === 1 && call.isWrite && call.operation !== 'BatchWriteItem') throw conflict(call);
  if (how === 2) throw throttled();
  await send();
  throw answerLost();
});

// Above the SDK's own retries, which would hide most faults.
const sendToQueue = SQSClient.prototype.send as (...args: unknown[]) => Promise<unknown>;
const sendToQueueOrFail = async function (this: SQSClient, ...args: unknown[]): Promise<unknown> {
  const fails = on && random() < queueFaultRate;
  if (fails && random() < 0.5) throw notSent();
  const answer = await sendToQueue.apply(this, args);
  if (fails) throw answerLost();
  return answer;
};
SQSClient.prototype.send = sendToQueueOrFail as typeof SQSClient.prototype.send;

let samples = 0;
setInterval(async () => {
  const collected = samples++ % 3 === 0;
  if (collected) globalThis.gc?.();
  const sample: Sample = { ...process.memoryUsage(), collected };
  const { DELIVERY_QUEUE_URL: url } = process.env;
  if (!on && url) {
    const { ready, taken } = await countMessages(url);
    sample.queued = ready + taken;
  }
  process.send?.(sample);
}, 2000).unref();
