import { beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/delivery-worker.ts';
import { handler as sweep } from '../../functions/expiry-sweep.ts';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { encodeMessage } from '../../lib/delivery/message.ts';
import { logSink } from '../../lib/log.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { buy, newProduct } from '../lib/sale/sales.ts';
import { newCustomer } from '../support/credit-seed.ts';
import { anOrder, batchOf, contextWith, serve, startTestQueue } from '../support/deliveries.ts';
import { freshTable, setClock } from '../support/service.ts';
import { type Resource, templateOf } from '../support/stack.ts';

/** The alarms that count lines of the log of the worker or the sweep, against the lines that these write. */

const { ofType } = templateOf();

await startTestQueue();
await freshTable();
process.env.DISPENSER_LOOPBACK = 'allowed';

/** The pattern of an alarm's only filter, and the log that it is about. */
const filterOf = (alarmName: string): { pattern: string; log: string } => {
  const [, alarm] = ofType('AWS::CloudWatch::Alarm').find(([id]) => id.includes(alarmName)) as [string, Resource];
  const filters = ofType('AWS::Logs::MetricFilter').filter(
    ([, { Properties }]) => Properties.MetricTransformations[0].MetricName === alarm.Properties.MetricName,
  );
  expect(filters).toHaveLength(1);
  const [[, { Properties }]] = filters as [[string, Resource]];
  return { pattern: Properties.FilterPattern, log: Properties.LogGroupName.Ref };
};

/** The values of `delivery` that an alarm's filter on the worker's log matches. */
const wordsOf = (alarmName: string): string[] => {
  const { pattern, log } = filterOf(alarmName);
  expect(log).toMatch(/^deliveryworkerLog/);
  return [...pattern.matchAll(/\$\.delivery = "(.*?)"/g)].map(([, word]) => String(word));
};

/** The lines that the worker logs about an order of this store. */
const logged = async (store: string): Promise<unknown[]> => {
  const written = vi.spyOn(logSink, 'write').mockImplementation(() => {});
  await handler(batchOf(encodeMessage(anOrder(store))), contextWith(120_000));
  const lines = written.mock.calls.map(([fields]) => fields);
  written.mockRestore();
  return lines;
};

const register = async (store: string, status: number): Promise<void> => {
  const url = await serve((_request, response) => response.writeHead(status).end());
  await registerDispenser(store, { url, region: '', items: [], keyId: 'KeyOfTests01' });
};

beforeEach(async () => {
  for (const id of ['Refusing', 'Gone', 'Never there', 'Giving']) await createStore(id, id);
});

test('a delivery that the dispenser refuses sets off GivenUp, and no other', async () => {
  await register('Refusing', 422);

  const lines = await logged('Refusing');

  expect(lines).toEqual([expect.objectContaining({ delivery: 'failed' })]);
  expect([wordsOf('GivenUp'), wordsOf('DeliveryWaiting')]).toEqual([['failed'], ['waiting']]);
});

test('a delivery that finds no dispenser sets off DeliveryWaiting', async () => {
  await register('Gone', 404);

  const lines = [...(await logged('Gone')), ...(await logged('Never there'))];

  const waiting = expect.objectContaining({ delivery: wordsOf('DeliveryWaiting')[0] });
  expect(lines).toEqual([waiting, waiting]);
});

test('a successful delivery sets off neither', async () => {
  await register('Giving', 200);

  const lines = await logged('Giving');

  expect(lines).toEqual([expect.objectContaining({ delivery: 'delivered' })]);
  expect([...wordsOf('GivenUp'), ...wordsOf('DeliveryWaiting')]).not.toContain('delivered');
});

test('a delivery that the worker cannot attempt sets off WorkerFailing', async () => {
  const table = process.env.TABLE_NAME;
  process.env.TABLE_NAME = 'no-such-table';

  const lines = await logged('Giving');

  process.env.TABLE_NAME = table;
  expect(lines).toEqual([expect.objectContaining({ delivery: wordsOf('WorkerFailing')[0] })]);
});

test('a sale whose delivery the queue does not take makes the sweep fail, for SweepFailing', async () => {
  const { id: store } = await createStore('Till');
  setClock(Date.now() - 60_000);
  await buy(store, { productId: await newProduct(store), buyer: await newCustomer(), paid: 1000 });
  setClock(Date.now());
  const queue = process.env.DELIVERY_QUEUE_URL;
  process.env.DELIVERY_QUEUE_URL = `${queue}-gone`;
  const written = vi.spyOn(logSink, 'write').mockImplementation(() => {});

  const sweeping = sweep({}, { ...contextWith(50_000), awsRequestId: 'test' });

  await expect(sweeping).rejects.toThrow('Sales whose delivery could not be ordered: 1.');
  process.env.DELIVERY_QUEUE_URL = queue;
  const lines = written.mock.calls.map(([fields]) => fields);
  written.mockRestore();
  expect(lines[0]).toMatchObject({ level: 'ERROR', unsent: expect.any(String) });
});

test('a webhook that is disabled sets off GivenUp, and one that cannot be called WorkerFailing', () => {
  expect(filterOf('GivenUp').pattern).toContain('($.webhook = "disabled")');
  expect(filterOf('WorkerFailing').pattern).toBe('{ ($.delivery = "error") || ($.webhook = "error") }');
});
