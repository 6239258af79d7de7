import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Resident } from '../../lib/avatars/residents.ts';
import { randomText } from '../../lib/clock.ts';
import type { Scope } from '../../lib/routes/scopes.ts';
import type { StreamPlace } from '../engines/stream.ts';

/**
 * `<data-dir>/service.json`. It exists as soon as the local service is ready, and tells other programs how to call it.
 */
export interface ServiceFile {
  baseUrl: string;
  store: { id: string; name: string };
  /** A key with all scopes under `all`, and a key for each single scope. */
  keys: Record<'all' | Scope, string>;
  otherStore: { id: string; name: string; key: string };
  /** The keys with which the desk opens other stores of this machine, by store. */
  deskKeys: Record<string, string>;
  /** The engines, for the operator's command. */
  table: { endpoint: string; name: string };
  queue: { endpoint: string; url: string; deadLetterUrl: string };
  /** How long the gateway caches the authorizer's answers. */
  authorizerTtlSeconds: number;
  version: string;
  /** Residents that neither store has met in a fresh demo. */
  residents: readonly Resident[];
}

/** `<data-dir>/state.json`, which the service keeps beside its data. */
interface ServiceState {
  cursorSecret: string;
  /** True if all demo rows are written. */
  seeded: boolean;
}

export const readJson = <T>(path: string): T | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;

/**
 * Only the owner may read the file, since it holds keys. It replaces the earlier one in a single step: programs that
 * read it must find it complete, even if the service is killed meanwhile.
 */
const writeJson = (path: string, value: object): void => {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user is alive, but may not be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The data directory of the local service. Throws if another process uses it. */
export const openDataDir = (dir: string, { reset, memory }: { reset: boolean; memory: boolean }) => {
  const path = (name: string): string => join(dir, name);
  mkdirSync(dir, { recursive: true });
  const holder = readJson<{ pid: number }>(path('lock.json'));
  if (holder && holder.pid !== process.pid && isAlive(holder.pid))
    throw new Error(`${dir} is in use by process ${holder.pid}. End that one, or choose another --data-dir.`);
  writeJson(path('lock.json'), { pid: process.pid });
  if (reset)
    for (const name of ['table', 'queue', 'state.json', 'stream.json', 'service.json', 'service-before.json'])
      rmSync(path(name), { recursive: true, force: true });
  // Programs take the file as a sign that the service is ready, so it exists only then. Its keys are kept for the next
  // start.
  const putAside = (): void => {
    if (existsSync(path('service.json'))) renameSync(path('service.json'), path('service-before.json'));
  };
  putAside();
  const kept = (!memory && readJson<ServiceState>(path('state.json'))) || {
    cursorSecret: randomText(43),
    seeded: false,
  };
  return {
    kept,
    tableDir: memory ? undefined : path('table'),
    queueDir: memory ? undefined : path('queue'),
    keep: (state: ServiceState): void => {
      if (!memory) writeJson(path('state.json'), state);
    },
    place: memory ? undefined : readJson<StreamPlace>(path('stream.json')),
    keepPlace: (place: StreamPlace): void => {
      if (!memory) writeJson(path('stream.json'), place);
    },
    service: memory ? undefined : readJson<ServiceFile>(path('service-before.json')),
    writeService: (service: ServiceFile): void => {
      writeJson(path('service.json'), service);
      if (!memory) rmSync(path('service-before.json'), { force: true });
    },
    close: (): void => {
      if (memory) rmSync(path('service.json'), { force: true });
      else putAside();
      rmSync(path('lock.json'), { force: true });
    },
  };
};

export type DataDir = ReturnType<typeof openDataDir>;
