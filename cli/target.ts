import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { source } from '../lib/clock.ts';
import type { Stage } from '../lib/keys.ts';
import { listStores, type Store } from '../lib/store/stores.ts';
import { useLocalEngines } from '../local/environment.ts';
import { Failure, UsageError } from './output.ts';
import { getStage } from './stage.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  local?: boolean;
  stage?: string;
  dataDir: string;
  store?: string;
  json?: boolean;
}

/** The deployment that a command works on. Its settings are in the environment, where `lib/` finds them. */
export interface Target {
  kind: 'local' | 'stage';
  /** What to call it before a person. */
  name: string;
  baseUrl: string;
  tableName: string;
  keyStage: Stage;
  /** For how long an answer about a key is kept. */
  authorizerTtlSeconds: number;
}

/** What the command needs of `service.json`. */
const ServiceFile = z.object({
  baseUrl: z.url(),
  authorizerTtlSeconds: z.number(),
  table: z.object({ endpoint: z.url(), name: z.string() }),
  queue: z.object({ endpoint: z.url(), url: z.url(), deadLetterUrl: z.url() }),
});

const Clock = z.object({ now: z.iso.datetime() });

/** The local service's clock, if it answers: it may have been moved. */
const findLocalClock = async (baseUrl: string): Promise<number | undefined> => {
  try {
    const response = await fetch(`${baseUrl}/_dev/clock`, { signal: AbortSignal.timeout(3000) });
    return Date.parse(Clock.parse(await response.json()).now);
  } catch {
    return undefined;
  }
};

const start = 'Start it in another terminal with npm start';

/** What a text of JSON holds; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The service that `npm start` runs on this machine; undefined if none does. */
const findLocal = async (dataDir: string): Promise<Target | undefined> => {
  const path = join(dataDir, 'service.json');
  if (!existsSync(path)) return undefined;
  const file = ServiceFile.safeParse(parsed(readFileSync(path, 'utf8')));
  if (!file.success)
    throw new Failure(`${path} is broken, or was written by another version of the local service. Start that anew.`);
  const { baseUrl, authorizerTtlSeconds, table, queue } = file.data;
  const clock = await findLocalClock(baseUrl);
  if (clock === undefined) return undefined;
  const ahead = clock - Date.now();
  source.now = () => Date.now() + ahead;
  useLocalEngines(table.endpoint, queue.endpoint);
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    DELIVERY_QUEUE_URL: queue.url,
    DELIVERY_DLQ_URL: queue.deadLetterUrl,
  });
  return {
    kind: 'local',
    name: 'the local service',
    baseUrl,
    tableName: table.name,
    keyStage: 'test',
    authorizerTtlSeconds,
  };
};

/**
 * Finds the deployment that the options name, the running local service if they name none, and makes `lib/` work on it.
 * Throws with what to do where there is none.
 */
export const connect = async ({ local, stage, dataDir }: GlobalOptions): Promise<Target> => {
  if (stage !== undefined && !local) return getStage(stage);
  const found = await findLocal(dataDir);
  if (found) return found;
  const seen = `No local service runs here (looked for ${join(dataDir, 'service.json')}).`;
  if (local) throw new Failure(`${seen} ${start}, or name its directory with --data-dir.`);
  throw new Failure(`${seen} ${start}, or name your deployment on AWS with --stage, such as --stage prod.`);
};

const nameOf = ({ id, name }: Store): string => `${name} (${id})`;

/**
 * The store that a command is about: `wanted` is its id or name, in any case; the only one is meant where none is named.
 * Throws with the stores to choose from. Those whose deletion has begun count only where `alsoDeleted` says so.
 */
export const chooseStore = async (wanted: string | undefined, alsoDeleted = false): Promise<Store> => {
  const stores = (await listStores()).filter(({ deletedAt }) => alsoDeleted || !deletedAt);
  const choice = `There are:\n${stores.map((store) => `  ${nameOf(store)}`).join('\n')}`;
  if (stores.length === 0) throw new Failure('There is no store yet. Make one: store create "My Store"');
  if (wanted === undefined) {
    if (stores.length > 1) throw new UsageError(`There are several stores: name one with --store. ${choice}`);
    return stores[0] as Store;
  }
  const same = (name: string): boolean => name.toLowerCase() === wanted.trim().toLowerCase();
  const byId = stores.find(({ id }) => id === wanted);
  const byName = stores.filter(({ name }) => same(name));
  if (byId) return byId;
  if (byName.length > 1) throw new UsageError(`Several stores have the name ${wanted}: give the id. ${choice}`);
  if (!byName[0]) throw new Failure(`There is no store ${wanted}. ${choice}`);
  return byName[0];
};
