import { setTimeout as sleep } from 'node:timers/promises';
import { putResident } from '../../lib/operator/residents.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { checkLists } from '../workload/actions/lists.ts';
import { calledRows } from '../workload/actions/reads.ts';
import { createBook } from '../workload/book.ts';
import { auditStore, tableFaults } from '../workload/checks/books.ts';
import type { Service } from '../workload/client.ts';
import { readTable } from '../workload/table.ts';
import { figuresOf, startTraffic } from '../workload/traffic.ts';
import { createKillableService } from './killable-service.ts';
import { createRecorder, memoryFaults } from './recorder.ts';
import { createClock, makeTrouble } from './trouble.ts';

const [clients, customersEach, hotCount] = [50, 6, 5];

/** Nothing closes the store, so nothing is sent. */
const webhook = { url: 'http://127.0.0.1:9/', events: ['store.closed'] };

/** A client gives a request up after this long. */
const patienceMillis = 300_000;

interface Options {
  seconds: number;
  seed: number;
  /** An empty directory. */
  dataDir: string;
  onProgress?: (text: string) => void;
}

/** Makes this process know no service but its own. */
const prepareProcess = (): void => {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'load', AWS_SECRET_ACCESS_KEY: 'load' });
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  delete process.env.TABLE_NAME;
};

/** Points this process's calls of the table to an engine. In a test they would go to the engine of its file. */
const useEngine = (url: string): void => {
  const { protocol, hostname, port } = new URL(url);
  const endpoint = { protocol, hostname, port: Number(port), path: '/' };
  for (const { config } of [db, dbOnce])
    Object.assign(config, { isCustomEndpoint: true, endpoint: async () => endpoint });
};

/**
 * Lets 50 clients call every endpoint of the local service for `seconds`, while table and queue fail at random. During
 * the first half it also kills service and engine in turn. The service runs in its own process. Returns figures, and in
 * `faults` everything that was lost, doubled or answered wrongly. Ends early after many faults.
 */
export const runLoad = async ({ seconds, seed, dataDir, onProgress = () => {} }: Options) => {
  prepareProcess();
  const clock = createClock();
  const book = createBook();
  const recorder = createRecorder();
  const killable = createKillableService({ dataDir, seed, clockMillis: clock.advancedMillis, ...recorder });
  try {
    const { baseUrl, otherStore, table: first } = await killable.start();
    useEngine(first.endpoint);
    const service: Service = { baseUrl: () => baseUrl, key: otherStore.key, book, patienceMillis, ...recorder };
    const traffic = await startTraffic(service, {
      ...{ seed, clients, customersEach, hotCount, webhook },
      tellResident: putResident,
    });
    killable.setFaults(true);
    const begun = recorder.seconds();
    const { dispenser } = traffic;
    const trouble = makeTrouble({
      killSeconds: begun + seconds / 2,
      killEverySeconds: Math.min(60, seconds / 6),
      ...{ baseUrl, killable, dispenser, clock, recorder, book, onProgress },
    });
    for (let at = 0; at < 3 * seconds && book.faultCount() <= 20; at = recorder.seconds() - begun) {
      onProgress(`${Math.round(at)} s: ${recorder.answers()} answers, ${book.faultCount()} faults`);
      // If a slow machine has not called every endpoint in time, it gets up to twice the time more.
      if (at > seconds && recorder.hasAnswered(calledRows)) break;
      await sleep(5000);
    }

    await traffic.end();

    const summary = recorder.summary();
    await trouble.bringToRest();
    await checkLists(service);
    await traffic.stop();
    // Only what is on the disk counts.
    await killable.stop();
    const { table } = await killable.start();
    const items = await readTable(table.endpoint, otherStore.id);
    useEngine(table.endpoint);
    const gifts = dispenser.inbox();
    const faults = [
      ...[...book.faults, ...tableFaults(items, book, gifts)],
      ...[...(await auditStore(otherStore.id)), ...memoryFaults(summary.memory)],
    ];
    return { seed, clients, ...summary, ...figuresOf(book, gifts), records: items.requests, faults };
  } finally {
    await killable.stop();
  }
};
