import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createCategory } from '../../lib/routes/categories.ts';
import { putDispenser } from '../../lib/routes/dispenser.ts';
import { putResident, type Resident } from '../../lib/store/residents.ts';
import { tableName } from '../../lib/store/table.ts';
import { startDispenser } from '../../local/dispenser.ts';
import { startEngine } from '../../local/engine.ts';
import { ensureTable } from '../../local/table.ts';
import { categoryActions } from './category-actions.ts';
import { deliveryFigures, readTable, tableFaults } from './checks.ts';
import { type Service, send } from './client.ts';
import { couponActions } from './coupon-actions.ts';
import { creditActions } from './credit-actions.ts';
import { customerActions } from './customer-actions.ts';
import { createKillableService } from './killable-service.ts';
import { createLedger } from './ledger.ts';
import { productActions } from './product-actions.ts';
import { bringToRest } from './quiet.ts';
import { createRecorder } from './recorder.ts';
import { createClock, makeTrouble } from './trouble.ts';
import { walkActions } from './walks.ts';
import { act, createWorld } from './world.ts';

const clientCount = 50;
const customersEach = 6;
const hotCount = 5;
const sharedCategories = 3;

const actions = [
  ...creditActions,
  ...customerActions,
  ...productActions,
  ...categoryActions,
  ...couponActions,
  ...walkActions,
];

const makeResidents = (count: number): Resident[] =>
  Array.from({ length: count }, (_, index) => ({
    uuid: `10ad10ad-0000-0000-0000-${String(index + 1).padStart(12, '0')}`,
    username: `load${index}.tester`,
  }));

/** Writes what the API cannot: the residents. */
const seed = async (tableDir: string, residents: readonly Resident[]): Promise<void> => {
  const engine = await startEngine(tableDir);
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  await ensureTable(client, tableName());
  client.destroy();
  process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.endpoint;
  for (const resident of residents) await putResident(resident);
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  await engine.stop();
};

interface Options {
  seconds: number;
  seed: number;
  /** An empty directory. */
  dataDir: string;
  onProgress?: (text: string) => void;
}

/**
 * Has 50 clients call every endpoint of the local service, in a process of its own, for `seconds`: under faults of table
 * and queue, and for the first half with service and engine killed in turn. Answers figures, and in `faults` whatever
 * was lost, doubled or answered wrongly; none if all is well.
 */
export const runLoad = async ({ seconds, seed: seedNumber, dataDir, onProgress = () => {} }: Options) => {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'load', AWS_SECRET_ACCESS_KEY: 'load' });
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  delete process.env.TABLE_NAME;
  const residents = makeResidents(1 + hotCount + clientCount * customersEach);
  const [counted, ...others] = residents as [Resident, ...Resident[]];
  await seed(join(dataDir, 'table'), residents);

  const clock = createClock();
  const ledger = createLedger();
  const recorder = createRecorder(Math.max(1, Math.round(seconds / 120)));
  const killable = createKillableService({ dataDir, seed: seedNumber, clockMillis: clock.advancedMillis, ...recorder });
  const { baseUrl, otherStore } = await killable.start();
  const service: Service = { baseUrl, key: otherStore.key, ledger, ...recorder };
  const dispenser = await startDispenser(
    async (url) => (await send(service, putDispenser, { body: { url, region: 'Loopback', items: [] } })).body.secret,
  );
  await dispenser.registerAgain();
  const shared: string[] = [];
  for (let index = 0; index < sharedCategories; index++) {
    const name = `Shared ${index}`;
    const { id } = (await send(service, createCategory, { body: { name } })).body;
    shared.push(id);
    ledger.members.set(id, new Set());
    ledger.changed('CATEGORY', id, { name });
  }

  killable.setFaults(true);
  const begun = recorder.seconds();
  const trouble = makeTrouble({
    killSeconds: begun + seconds / 2,
    killEverySeconds: Math.min(60, seconds / 6),
    ...{ baseUrl, service: killable, dispenser, clock, recorder },
  });
  const isOver = (): boolean => recorder.seconds() > begun + seconds || ledger.faultCount() > 20;
  const runClient = async (_: unknown, index: number): Promise<void> => {
    const customers = others.slice(hotCount + index * customersEach, hotCount + (index + 1) * customersEach);
    const world = createWorld(index, seedNumber, {
      service,
      customers,
      hot: others.slice(0, hotCount),
      counted,
      shared,
    });
    try {
      while (!isOver()) await act(world, actions);
    } catch (error) {
      ledger.fault(`client ${index} ended: ${error}`);
    }
  };
  const watching = setInterval(() => {
    const at = Math.round(recorder.seconds() - begun);
    onProgress(`${at} s: ${recorder.answers()} answers, ${ledger.faultCount()} faults`);
  }, 10_000);
  await Promise.all(Array.from({ length: clientCount }, runClient));
  clearInterval(watching);

  const traffic = recorder.summary();
  await bringToRest({ killable, dispenser, trouble, recorder, service, onProgress });
  await killable.stop();
  await dispenser.stop();

  const engine = await startEngine(join(dataDir, 'table'));
  const table = await readTable(engine.endpoint, otherStore.id);
  await engine.stop();
  const { faults: lostDeliveries, ...deliveries } = deliveryFigures(table, ledger, dispenser.inbox());
  return {
    seed: seedNumber,
    clients: clientCount,
    engine: engine.name,
    ...traffic,
    rows: Object.fromEntries(Object.entries(ledger.rows).map(([kind, rows]) => [kind, rows.size])),
    lots: [...ledger.accounts.values()].reduce((sum, { lots }) => sum + lots.size, 0),
    records: table.requests,
    unrepeated: ledger.unrepeated,
    deliveries,
    faults: [...ledger.faults, ...lostDeliveries, ...tableFaults(table, ledger, counted.uuid)],
  };
};

export type LoadReport = Awaited<ReturnType<typeof runLoad>>;
