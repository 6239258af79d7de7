import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { decodeMessage } from '../../lib/delivery/message.ts';
import { sendDue } from '../../lib/events/due.ts';
import { queueEvents } from '../../lib/events/send.ts';
import { pageLimitOf } from '../../lib/http/usage-key.ts';
import { logSink } from '../../lib/log.ts';
import { useLocalEngines } from '../../lib/operator/local-engines.ts';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { actedBy } from '../../lib/table/actor.ts';
import { tableName } from '../../lib/table/client.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { seedWaiting } from '../demo/deliveries.ts';
import { seedDemo } from '../demo/demo.ts';
import { seedResidents, untouchedResidents } from '../demo/residents.ts';
import { type Engine, startEngine } from '../engines/engine.ts';
import { startPoller } from '../engines/poller.ts';
import { ensureQueues, type Queue, startQueue } from '../engines/queue.ts';
import { followStream } from '../engines/stream.ts';
import { ensureTable } from '../engines/table.ts';
import { createGateway, GatewayFault, type GatewayOptions, type Handler } from '../gateway/gateway.ts';
import { startLookUps } from '../gateway/lambda.ts';
import { connectDeveloper } from './dev.ts';
import { startDispensers } from './dispensers.ts';
import { type Cost, noteRequest, publish, type ServedRequest, stopEvents } from './events.ts';
import type { LocalOptions } from './options.ts';
import { answerOwn } from './own.ts';
import { type DataDir, openDataDir, type ServiceFile } from './state.ts';
import { demoStore, ensureKeys, ensureStore, keysOfDesk, otherStore } from './stores.ts';

/** Sets the environment variables that the stack gives the handlers on AWS. */
export const setEnvironment = (table: string, queue: string, cursorSecret: string): void => {
  useLocalEngines(table, queue);
  Object.assign(process.env, {
    CURSOR_SECRET: cursorSecret,
    // A person is watching, so deliveries are retried sooner than on AWS.
    DISPENSER_TIMEOUT_MILLIS: process.env.DISPENSER_TIMEOUT_MILLIS ?? '5000',
    DELIVERY_RETRY_SECONDS: process.env.DELIVERY_RETRY_SECONDS ?? '1',
  });
};

const authorizerTtlSeconds = 60;

/** Looks for due events this often. On AWS the sweep does so every minute. */
const dueMillis = 1000;

/** Starts what delivers: the worker of the queues, the dispensers and the look-ups of residents. */
const startDeliveries = async (queueUrls: readonly string[]) => {
  const { handler } = await import('../../functions/delivery-worker.ts');
  const dispensers = await startDispensers();
  const lookUps = await startLookUps(dispensers.ensure);
  const worker: typeof handler = async (event, context) => {
    for (const { body } of event.Records) await dispensers.ensure(decodeMessage(body)?.store ?? '');
    return handler(event, context);
  };
  const pollers = queueUrls.map((queueUrl) => startPoller({ queueUrl, worker }));
  const due = setInterval(
    () =>
      sendDue(
        (orders) => queueEvents(orders, 'slow'),
        () => true,
      ).catch(() => undefined),
    dueMillis,
  );
  return {
    dispenserOf: dispensers.ensure,
    stop: async (): Promise<void> => {
      clearInterval(due);
      await Promise.all([...pollers.map(({ stop }) => stop()), dispensers.stop()]);
      lookUps.stop();
    },
  };
};

const functionFile = (row: Route): URL => new URL(`../../functions/${row.id}.ts`, import.meta.url);

/** Loads every function in advance, so that its first call is as fast as the others. */
const loadHandlers = async (): Promise<GatewayOptions['handlerOf']> => {
  const load = async (row: Route): Promise<Handler> => (await import(functionFile(row).href)).handler;
  await Promise.all(routes.map(load));
  return load;
};

/** Reads the handlers' log. Returns the cost of each request by its id, and tells the page of progress. */
const hearLog = (): Map<string, Cost> => {
  const costs = new Map<string, Cost>();
  logSink.write = (fields) => {
    const line = fields as Record<'requestId' | 'route' | 'delivery' | 'events' | 'stack', string> & Cost;
    if (line.stack) console.error(line.stack);
    else if (line.route) costs.set(line.requestId, { calls: line.calls, units: line.units, route: line.route });
    // The log line reports progress of a delivery.
    if (line.delivery) publish('deliveries');
    if (line.events) publish('events');
  };
  return costs;
};

/** How far the start has come. First the data are ready, then the service's own calls have ended. */
interface Progress {
  isReady: boolean;
  hasStarted: boolean;
}

const gatewayOptions = async (
  { rate, burst, cors }: LocalOptions,
  progress: Progress,
  onAnswer: (request: ServedRequest) => void,
): Promise<GatewayOptions> => {
  const costs = hearLog();
  return {
    routes,
    handlerOf: await loadHandlers(),
    authorizer: (await import('../../functions/authorizer.ts')).handler,
    authorizerTtlSeconds,
    rate,
    burst,
    storeLimit: { rate: rate / 2, burst: Math.max(1, Math.floor(burst / 2)) },
    pageLimit: pageLimitOf(rate / 2),
    cors,
    before: async (request, response, body) => {
      // The port is open before the data is ready.
      if (!progress.isReady) throw new GatewayFault('AUTHORIZER_FAILURE');
      return answerOwn(request, response, body);
    },
    onAnswer: (answered) => {
      const cost = costs.get(answered.id);
      costs.delete(answered.id);
      // The service's own calls during its start are not shown.
      if (progress.hasStarted) onAnswer(noteRequest(answered, cost));
    },
  };
};

const listen = async (server: Server, port: number): Promise<string> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Closes the server. Waits at most five seconds for running requests. */
const close = async (server: Server): Promise<void> => {
  server.close();
  server.closeIdleConnections();
  await Promise.race([once(server, 'close'), new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
  server.closeAllConnections();
};

/** Makes history from the table's changes, from the place on where it last stopped. */
const startHistory = async (dir: DataDir, endpoint: string) =>
  followStream({
    endpoint,
    table: tableName(),
    consumer: (await import('../../functions/stream-consumer.ts')).handler,
    place: dir.place,
    onPlace: dir.keepPlace,
  });

/** The engines in place of DynamoDB and SQS, and the start of history. */
export interface Engines {
  engine: Engine;
  queue: Queue;
  startHistory: () => Promise<{ stop: () => Promise<void> }>;
}

/** Starts the engines, and makes the table. */
const startEngines = async (dir: DataDir): Promise<Engines> => {
  const [engine, queue] = await Promise.all([startEngine(dir.tableDir), startQueue(dir.queueDir)]);
  setEnvironment(engine.endpoint, queue.endpoint, dir.kept.cursorSecret);
  const client = new DynamoDBClient({});
  await ensureTable(client, tableName());
  client.destroy();
  return { engine, queue, startHistory: () => startHistory(dir, engine.endpoint) };
};

/** Makes the two stores. A new data folder gets demo data if `demo` is set. */
const prepareStores = async (isNew: boolean, demo: boolean) => {
  const store = await ensureStore(demoStore);
  const other = await ensureStore(otherStore);
  if (isNew) await seedResidents();
  if (isNew && demo) await actedBy({ type: 'operator' }, () => seedDemo(store, other));
  return store;
};

/** Makes the queues, and puts their addresses into the environment for the handlers. */
const prepareQueues = async (endpoint: string) => {
  const { historyFailuresUrl, slowUrl, vendorUrl, ...queues } = await ensureQueues(endpoint);
  Object.assign(process.env, {
    DELIVERY_QUEUE_URL: queues.url,
    SLOW_QUEUE_URL: slowUrl,
    VENDOR_QUEUE_URL: vendorUrl,
    DELIVERY_DLQ_URL: queues.deadLetterUrl,
    HISTORY_FAILURES_URL: historyFailuresUrl,
  });
  return { others: [slowUrl, vendorUrl], queues };
};

/**
 * Starts the whole service on 127.0.0.1: engines, demo data and gateway. Its errors say what to change. Tests use other
 * engines.
 */
export const startService = async (
  options: LocalOptions,
  onAnswer: (request: ServedRequest) => void,
  start: (dir: DataDir) => Promise<Engines> = startEngines,
) => {
  const { port, dataDir, memory, reset, demo, cors, textures } = options;
  const progress = { isReady: false, hasStarted: false };
  const server = createGateway(await gatewayOptions(options, progress, onAnswer));
  // The port comes first, so that no data have changed if it is taken.
  const baseUrl = await listen(server, port);

  const dir = openDataDir(dataDir, { reset, memory });
  const { engine, queue, ...engines } = await start(dir);
  process.env.CORS_ORIGINS = cors ?? '';
  process.env.TEXTURE_URL = textures ?? '';
  const isNew = !dir.kept.seeded;
  const store = await prepareStores(isNew, demo);
  const { others, queues } = await prepareQueues(queue.endpoint);
  const service: ServiceFile = {
    baseUrl,
    store: { id: store.id, name: store.name },
    ...(await actedBy({ type: 'operator' }, () => ensureKeys(dir.service))),
    deskKeys: dir.service?.deskKeys ?? {},
    table: { endpoint: engine.endpoint, name: tableName() },
    queue: { endpoint: queue.endpoint, ...queues },
    authorizerTtlSeconds,
    version: packageFile.version,
    residents: untouchedResidents,
  };
  const deliveries = await startDeliveries([queues.url, ...others]);
  connectDeveloper({
    baseUrl,
    key: service.keys.all,
    store: service.store,
    engine: engine.name,
    keyOf: keysOfDesk(service, () => dir.writeService(service)),
    dispenserOf: deliveries.dispenserOf,
  });
  progress.isReady = true;
  if (isNew && demo) await seedWaiting(store);
  if (isNew) dir.keep({ ...dir.kept, seeded: demo });
  const stream = await engines.startHistory();
  progress.hasStarted = true;
  // Programs wait for this file, and call as soon as it exists.
  dir.writeService(service);

  return {
    baseUrl,
    engine: engine.name,
    service,
    onEngineExit: engine.onExit,
    /** Stops history when it has caught up with everything written so far. */
    stopHistory: stream.stop,
    /** Finishes running requests, and then stops the service with its engines. */
    stop: async (): Promise<void> => {
      stopEvents();
      await close(server);
      await deliveries.stop();
      await stream.stop();
      await Promise.all([engine.stop(), queue.stop()]);
      dir.close();
    },
  };
};
