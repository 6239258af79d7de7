import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { contractScopes } from '../../lib/routes/scopes.ts';
import type { ServiceFile } from '../../local/start/state.ts';
import { startProcess } from '../support/local-service.ts';
import { paced } from './paced.ts';

/** The service under test, with the keys and residents that the suite may use. */
export interface Target {
  baseUrl: string;
  /** True if the suite started the service itself, with the demo's rows. */
  local: boolean;
  /** A key with all scopes. */
  key: string;
  /** The service's process, which sleeps until a worker wakes it. */
  pid?: number | undefined;
  /** A key of the same store with one scope alone, `products:read`. */
  narrowKey?: string | undefined;
  otherKey?: string | undefined;
  /** The address at which the service reaches `{port}` of this machine, for test/extensions/. */
  loopback?: string | undefined;
  /** A key for each single scope of the contract. */
  scopeKeys?: Record<string, string>;
  residents: readonly { uuid: string; username: string }[];
}

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    targets: Target[];
  }
}

/**
 * Looks residents up through the API, in turn: a new account runs few functions at once. Throws with advice if one is
 * unknown.
 */
const readResidents = async (baseUrl: string, key: string, names: string[]) => {
  const residents: { uuid: string; username: string }[] = [];
  for (const name of names) {
    const path = `/v1/customers/${encodeURIComponent(name)}`;
    const response = await paced(baseUrl + path, { headers: { 'X-API-Key': key } });
    const { uuid, username, detail } = (await response.json()) as Record<string, string>;
    if (!uuid || !username)
      throw new Error(`GET ${path} answered ${response.status} (${detail}). See docs/contract/contract-suite.md.`);
    residents.push({ uuid, username });
  }
  return residents;
};

/** The service that the environment names. */
const given = async (baseUrl: string): Promise<Target> => {
  const key = process.env.CONTRACT_KEY;
  if (!key)
    throw new Error('Set CONTRACT_KEY to a key of the store with all scopes. See docs/contract/contract-suite.md.');
  const names = (process.env.CONTRACT_RESIDENTS ?? '').split(',').filter((name) => name.trim() !== '');
  if (names.length === 1) throw new Error('CONTRACT_RESIDENTS must name at least two residents, or none.');
  return {
    baseUrl,
    local: false,
    key,
    narrowKey: process.env.CONTRACT_READ_KEY,
    otherKey: process.env.CONTRACT_OTHER_KEY,
    loopback: process.env.CONTRACT_LOOPBACK,
    residents: await readResidents(baseUrl, key, names),
  };
};

export const localTarget = ({
  baseUrl,
  keys,
  otherStore,
  residents,
}: Pick<ServiceFile, 'baseUrl' | 'keys' | 'otherStore' | 'residents'>): Target => ({
  baseUrl,
  local: true,
  key: keys.all,
  narrowKey: keys['products:read'],
  otherKey: otherStore.key,
  loopback: 'http://127.0.0.1:{port}',
  scopeKeys: Object.fromEntries(contractScopes.map((scope) => [scope, keys[scope]])),
  residents,
});

/** Starts a local service. */
const startTarget = async (env: NodeJS.ProcessEnv) => {
  const dataDir = join(tmpdir(), `sis-contract-${randomUUID()}`);
  const service = startProcess(dataDir, ['--memory', '--rate', '1000000', '--burst', '1000000'], {
    ...env,
    TABLE_NAME: `contract-${randomUUID()}`,
  });
  await service.until(/Ctrl-C ends it/);
  const file = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8')) as ServiceFile;
  // It looks at its stream and its queue ten times a second, and is the last to be tested.
  const { pid } = service.child;
  if (process.platform !== 'win32') service.child.kill('SIGSTOP');
  const target: Target = { ...localTarget(file), pid };
  const stop = async (): Promise<void> => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { target, stop };
};

/**
 * Starts a local service for each worker, or takes the one that the environment names. Returns a function that ends the
 * started services.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { CONTRACT_BASE_URL, ...env } = process.env;
  if (CONTRACT_BASE_URL) {
    project.provide('targets', [await given(CONTRACT_BASE_URL.replace(/(?:\/v1)?\/*$/, ''))]);
    return undefined;
  }
  const { testFiles } = await project.globTestFiles();
  const count = Math.min(Number(project.config.maxWorkers), testFiles.length);
  const started = await Promise.all(Array.from({ length: count }, () => startTarget(env)));
  project.provide(
    'targets',
    started.map(({ target }) => target),
  );
  return async () => {
    await Promise.all(started.map(({ stop }) => stop()));
  };
}
