import { join } from 'node:path';
import { createCategory } from '../../lib/routes/categories.ts';
import { putDispenser } from '../../lib/routes/dispenser.ts';
import { createProduct } from '../../lib/routes/products.ts';
import { createWebhook } from '../../lib/routes/webhooks.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { startEngine } from '../../local/engines/engine.ts';
import { startDispenser } from '../../local/start/dispenser.ts';
import { categoryActions } from './category-actions.ts';
import { deliveryFigures, memoryFaults, tableFaults } from './checks.ts';
import { type Service, send } from './client.ts';
import { couponActions } from './coupon-actions.ts';
import { creditActions } from './credit-actions.ts';
import { customerActions } from './customer-actions.ts';
import { createKillableService } from './killable-service.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { calledRows, otherActions } from './other-actions.ts';
import { productActions } from './product-actions.ts';
import { bringToRest } from './quiet.ts';
import { createRecorder } from './recorder.ts';
import { makeResidents, seedResidents } from './residents.ts';
import { saleActions } from './sale-actions.ts';
import { readTable } from './table.ts';
import { createClock, makeTrouble } from './trouble.ts';
import { unrepeatedFigures } from './unrepeated.ts';
import { walkActions } from './walks.ts';
import { act, createWorld } from './world.ts';

const clientCount = 50;
const customersEach = 6;
const hotCount = 5;
const sharedCategories = 3;
const limitedProducts = 4;
const copiesEach = 8;

const actions = [
  ...creditActions,
  ...customerActions,
  ...productActions,
  ...categoryActions,
  ...couponActions,
  ...saleActions,
  ...walkActions,
  ...otherActions,
];

/** How many sales ended in each state. */
const sortedStates = ({ sales }: Ledger): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(sales.values(), ({ state }) => state)].map(([state, some]) => [state, some.length]).sort(),
  );

interface Options {
  seconds: number;
  seed: number;
  /** An empty directory. */
  dataDir: string;
  onProgress?: (text: string) => void;
}

/**
 * Lets 50 clients call every endpoint of the local service for `seconds`, while table and queue fail at random. During
 * the first half it also kills service and engine in turn. The service runs in a process of its own. Returns figures,
 * and in `faults` everything that was lost, doubled or answered wrongly. Ends early after many faults.
 */
export const runLoad = async ({ seconds, seed: seedNumber, dataDir, onProgress = () => {} }: Options) => {
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'load', AWS_SECRET_ACCESS_KEY: 'load' });
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  delete process.env.TABLE_NAME;
  const residents = makeResidents(1 + hotCount + clientCount * customersEach);
  const [counted, ...others] = residents as [Resident, ...Resident[]];
  await seedResidents(join(dataDir, 'table'), residents);

  const clock = createClock();
  const ledger = createLedger();
  const recorder = createRecorder(Math.max(1, Math.round(seconds / 120)));
  const killable = createKillableService({ dataDir, seed: seedNumber, clockMillis: clock.advancedMillis, ...recorder });
  try {
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

    const limited: { id: string; price: number }[] = [];
    for (let index = 0; index < limitedProducts; index++) {
      const fields = { name: `Limited ${index}`, price: 10 * index };
      const body = { ...fields, limited: true, availableAmount: copiesEach };
      const { id } = (await send(service, createProduct, { body })).body;
      limited.push({ id, price: fields.price });
      ledger.stocks.set(id, copiesEach);
      ledger.changed('PRODUCT', id, { ...fields, active: true });
    }

    // Nothing closes the store, so nothing is sent.
    const webhook = { url: 'http://127.0.0.1:9/', events: ['store.closed'] };
    const webhooks = [(await send(service, createWebhook, { body: webhook })).body.id as string];

    killable.setFaults(true);
    const begun = recorder.seconds();
    const trouble = makeTrouble({
      killSeconds: begun + seconds / 2,
      killEverySeconds: Math.min(60, seconds / 6),
      ...{ baseUrl, service: killable, dispenser, clock, recorder },
    });
    // A slow machine that has not called every endpoint in time gets the same time again.
    const isOver = (): boolean =>
      ledger.faultCount() > 20 ||
      recorder.seconds() > begun + 2 * seconds ||
      (recorder.seconds() > begun + seconds && recorder.hasAnswered(calledRows));
    const runClient = async (_: unknown, index: number): Promise<void> => {
      const customers = others.slice(hotCount + index * customersEach, hotCount + (index + 1) * customersEach);
      const world = createWorld(index, seedNumber, {
        service,
        customers,
        hot: others.slice(0, hotCount),
        counted,
        shared,
        limited,
        webhooks,
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
      sales: sortedStates(ledger),
      lots: [...ledger.accounts.values()].reduce((sum, { lots }) => sum + lots.size, 0),
      records: table.requests,
      unrepeated: unrepeatedFigures(ledger.unrepeated),
      hotTakes: ledger.hotTakes,
      deliveries,
      faults: [
        ...ledger.faults,
        ...lostDeliveries,
        ...tableFaults(table, ledger, counted.uuid),
        ...memoryFaults(traffic.memory),
      ],
    };
  } finally {
    await killable.stop();
  }
};

export type LoadReport = Awaited<ReturnType<typeof runLoad>>;
