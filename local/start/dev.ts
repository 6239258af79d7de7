import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { handler as sweep } from '../../functions/expiry-sweep.ts';
import { newId, source } from '../../lib/clock.ts';
import { trimmed } from '../../lib/normalise.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { listStores } from '../../lib/store/stores.ts';
import { storeResidentKey } from '../../lib/table/keys.ts';
import { getMany } from '../../lib/table/table.ts';
import { type Avatar, strangers } from '../grid/grid.ts';
import { Behaviour, type LocalDispenser } from './dispenser.ts';
import { clockState, follow, publish, replay } from './events.ts';
import { redrive, viewEvents, viewFaults } from './views.ts';

/** The tools of the local service under `/_dev`, which are never deployed. */

const Advance = z.object({ advanceSeconds: z.number().min(0).max(1e9) });
const Id = z.object({ id: z.guid() });
/** By default the demo store. */
const SignIn = z.object({ store: z.string().optional() });
const NewStore = z.object({ name: z.string().overwrite(trimmed).min(1).max(100) });

/** Moves the time that every handler sees. */
const advanceClock = (body: unknown) => {
  const { advanceSeconds } = Advance.parse(body);
  const behind = source.now;
  source.now = () => behind() + advanceSeconds * 1000;
  const clock = clockState();
  publish('clock', clock);
  return clock;
};

const sweepMillis = 60_000;

const runSweep = async () => {
  const end = performance.now() + sweepMillis;
  const getRemainingTimeInMillis = () => end - performance.now();
  const report = await sweep({}, { awsRequestId: newId(), getRemainingTimeInMillis } as Context);
  publish('credit');
  return report;
};

/** Finds some avatars of the made-up grid that no store has met. */
const showGrid = async () => {
  const stores = await listStores();
  const residents: Avatar[] = [];
  for (let from = 0; residents.length < 20; from += 50) {
    const avatars = strangers(50, from);
    const keys = stores.flatMap(({ id }) => avatars.map(({ uuid }) => storeResidentKey(id, uuid)));
    const met = new Set((await getMany(keys, { consistent: true })).map(({ sk }) => sk));
    residents.push(...avatars.filter(({ uuid }) => !met.has(uuid)));
  }
  return { residents };
};

type Action = (body: unknown, query: URLSearchParams) => object | Promise<object>;

const actions: Record<string, Action> = {
  'GET /_dev/clock': clockState,
  'POST /_dev/clock': advanceClock,
  'POST /_dev/sweep': runSweep,
  'GET /_dev/grid': showGrid,
};

/** The parts of the service that the pages for developers need. */
interface Developer {
  baseUrl: string;
  /** The key of the demo store, with all scopes. */
  key: string;
  /** The demo store. The tools use it unless the address names another by `?store=`. */
  store: { id: string; name: string };
  engine: string;
  /** Returns a key with all scopes for a store. Throws 404 if there is no such store. */
  keyOf: (store: string) => Promise<string>;
  dispenserOf: (store: string) => Promise<LocalDispenser | undefined>;
}

export const connectDeveloper = ({ keyOf, dispenserOf, ...service }: Developer): void => {
  const storeIn = (query: URLSearchParams): string => query.get('store') ?? service.store.id;
  const dispenserIn = async (query: URLSearchParams): Promise<LocalDispenser> => {
    const dispenser = await dispenserOf(storeIn(query));
    if (!dispenser) throw notFound();
    return dispenser;
  };
  const publishing =
    (change: Action): Action =>
    async (body, query) => {
      const result = await change(body, query);
      publish('deliveries');
      return result;
    };
  Object.assign(actions, {
    'GET /_dev/service': () => service,
    'GET /_dev/stores': async () => ({
      stores: (await listStores()).filter(({ deletedAt }) => !deletedAt).map(({ id, name }) => ({ id, name })),
    }),
    'POST /_dev/stores': async (body) => {
      const { id, name } = await createStore(NewStore.parse(body).name);
      // Its box must exist before the desk looks for one.
      await dispenserOf(id);
      return { id, name };
    },
    'POST /_dev/sign-in': async (body) => ({ key: await keyOf(SignIn.parse(body).store ?? service.store.id) }),
    'POST /_dev/replay': (body) => replay(service.baseUrl, Id.parse(body).id),
    'GET /_dev/store-events': (_, query) => viewEvents(storeIn(query)),
    'GET /_dev/inbox': async (_, query) => ({ deliveries: (await dispenserIn(query)).inbox() }),
    'GET /_dev/faults': async (_, query) => viewFaults(await dispenserIn(query)),
    'POST /_dev/redrive': publishing(redrive),
    'POST /_dev/dispenser': publishing(async (body, query) => {
      const behaviour = Behaviour.parse(body);
      await (await dispenserIn(query)).behave(behaviour);
      return behaviour;
    }),
  } satisfies Record<string, Action>);
};

/** Answers a request under `/_dev`. */
export const answerDev = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
  const [path, query] = (request.url ?? '').split(/\?(.*)/s);
  const send = (status: number, value: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(value));
  };
  const name = `${request.method} ${path}`;
  if (name === 'GET /_dev/events') return follow(response);
  const action = actions[name];
  if (!action) return send(404, { error: `There is no ${name}.` });
  try {
    const value = body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
    send(200, await action(value, new URLSearchParams(query)));
  } catch (error) {
    if (error instanceof Problem) send(error.status, { error: error.message });
    else if (error instanceof z.ZodError)
      send(400, { error: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ') });
    else send(400, { error: String(error) });
  }
};
