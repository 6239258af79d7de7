import { join } from 'node:path';
import { putDispenser } from '../../lib/routes/dispenser.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { type Gift, startDispenser } from '../../local/start/dispenser.ts';
import { act, createWorld, type World } from '../workload/action.ts';
import { allActions } from '../workload/actions/all.ts';
import { calledRows } from '../workload/actions/reads.ts';
import { type Book, createBook } from '../workload/book.ts';
import { auditStore, tableFaults } from '../workload/checks/books.ts';
import { creditFigures } from '../workload/checks/credit.ts';
import { deliveryFigures } from '../workload/checks/deliveries.ts';
import { saleFigures } from '../workload/checks/sales.ts';
import { type Service, send } from '../workload/client.ts';
import { openShop } from '../workload/shop.ts';
import { readTable } from '../workload/table.ts';
import { createKillableService } from './killable-service.ts';
import { memoryFaults } from './memory.ts';
import { bringToRest } from './quiet.ts';
import { createRecorder } from './recorder.ts';
import { makeResidents, seedResidents, startTableEngine } from './residents.ts';
import { createClock, makeTrouble } from './trouble.ts';

const clientCount = 50;
const customersEach = 6;
const hotCount = 5;

/** Nothing closes the store, so nothing is sent. */
const webhook = { url: 'http://127.0.0.1:9/', events: ['store.closed'] };

/** A client gives a request up after so long. */
const patienceMillis = 300_000;

interface Options {
  seconds: number;
  seed: number;
  /** An empty directory. */
  dataDir: string;
  onProgress?: (text: string) => void;
}

/** Lets each client act, one request after another, until it is over. */
const runClients = async (
  { service, ...shared }: Omit<World, 'index' | 'below' | 'pick' | 'unique' | 'customers' | 'own'>,
  customers: readonly Resident[],
  seed: number,
  isOver: () => boolean,
): Promise<void> => {
  const runClient = async (_: unknown, index: number): Promise<void> => {
    const own = customers.slice(index * customersEach, (index + 1) * customersEach);
    const world = createWorld(index, seed, { ...shared, service, customers: own });
    try {
      while (!isOver()) await act(world, allActions);
    } catch (error) {
      service.book.fault(`client ${index} ended: ${error}`);
    }
  };
  await Promise.all(Array.from({ length: clientCount }, runClient));
};

const figuresOf = (book: Book, gifts: readonly Gift[]) => ({
  rows: Object.fromEntries(Object.entries(book.rows).map(([kind, rows]) => [kind, rows.size])),
  sales: saleFigures(book),
  credit: creditFigures(book),
  deliveries: deliveryFigures(book, gifts),
});

/** Makes this process one that knows no service but its own. */
const prepareProcess = (): void => {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'load', AWS_SECRET_ACCESS_KEY: 'load' });
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  delete process.env.TABLE_NAME;
};

/**
 * Lets 50 clients call every endpoint of the local service for `seconds`, while table and queue fail at random. During
 * the first half it also kills service and engine in turn. The service runs in a process of its own. Returns figures,
 * and in `faults` everything that was lost, doubled or answered wrongly. Ends early after many faults.
 */
export const runLoad = async ({ seconds, seed, dataDir, onProgress = () => {} }: Options) => {
  prepareProcess();
  const residents = makeResidents(1 + hotCount + clientCount * customersEach);
  const [counted, ...others] = residents as [Resident, ...Resident[]];
  await seedResidents(join(dataDir, 'table'), residents);

  const clock = createClock();
  const book = createBook();
  const recorder = createRecorder();
  const killable = createKillableService({ dataDir, seed, clockMillis: clock.advancedMillis, ...recorder });
  try {
    const { baseUrl, otherStore } = await killable.start();
    const service: Service = { baseUrl: () => baseUrl, key: otherStore.key, book, patienceMillis, ...recorder };
    const dispenser = await startDispenser(
      async (url) => (await send(service, putDispenser, { body: { url, region: 'Loopback', items: [] } })).body.secret,
    );
    await dispenser.registerAgain();
    const shared = { ...(await openShop(service, webhook)), service, counted, hot: others.slice(0, hotCount) };

    killable.setFaults(true);
    const begun = recorder.seconds();
    const trouble = makeTrouble({
      killSeconds: begun + seconds / 2,
      killEverySeconds: Math.min(60, seconds / 6),
      ...{ baseUrl, service: killable, dispenser, clock, recorder },
    });
    // A slow machine that has not called every endpoint in time gets up to twice the time besides.
    const isOver = (): boolean =>
      book.faultCount() > 20 ||
      recorder.seconds() > begun + 3 * seconds ||
      (recorder.seconds() > begun + seconds && recorder.hasAnswered(calledRows));
    const watching = setInterval(() => {
      const at = Math.round(recorder.seconds() - begun);
      onProgress(`${at} s: ${recorder.answers()} answers, ${book.faultCount()} faults`);
    }, 10_000);
    await runClients(shared, others.slice(hotCount), seed, isOver);
    clearInterval(watching);

    const traffic = recorder.summary();
    await bringToRest({ killable, dispenser, trouble, recorder, service, onProgress });
    await killable.stop();
    await dispenser.stop();

    const engine = await startTableEngine(join(dataDir, 'table'));
    const table = await readTable(engine.endpoint, otherStore.id);
    const audited = await auditStore(otherStore.id).finally(engine.stop);
    const gifts = dispenser.inbox();
    const faults = [
      ...[...book.faults, ...tableFaults(table, book, gifts)],
      ...[...audited, ...memoryFaults(traffic.memory)],
    ];
    const figures = { ...traffic, ...figuresOf(book, gifts), records: table.requests };
    return { seed, clients: clientCount, engine: engine.name, ...figures, faults };
  } finally {
    await killable.stop();
  }
};
