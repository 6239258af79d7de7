import { afterAll, vi } from 'vitest';
import { forgetResidents } from '../../lib/avatars/residents.ts';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { forgetShares } from '../../lib/http/store-share.ts';
import { logSink } from '../../lib/log.ts';
import { processOverride } from '../../lib/process.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { engine } from '../../lib/table/table.ts';
import { cleanUpAll } from './at-end.ts';
import startInMemory, { setEnvironment, startInFolder } from './engine.ts';
import { stopIntercepting } from './faults.ts';
import { logLines } from './log.ts';
import { forgetTables, useMemory } from './memory-db.ts';
import { anySignature } from './seed.ts';
import { wireTo } from './wire.ts';

/**
 * Gives each test file its own engine (in a folder if TEST_TABLES says so), or tables in memory, or none. Ends what the
 * file started, and restores the process, so that the next file starts from the same state.
 */

const env = { ...process.env };
/** Signing takes a third of the time that the SDK needs for a call. */
const signer = {
  sign: async (request: { headers: object }) => {
    Object.assign(request.headers, anySignature);
    return request;
  },
};

/**
 * Starts an engine, and leads the clients to it, which the files of a process share: they read the environment once.
 */
const startOwnEngine = async (start = startInMemory): Promise<() => Promise<void>> => {
  // An engine in memory keeps the records of all streams in one place, and searches it at each further write and each
  // look at a stream.
  const stopEngine = await start();
  const { protocol, hostname, port } = new URL(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const endpoint = { protocol, hostname, port: Number(port), path: '/' };
  const wires = [db, dbOnce].map(({ config }) => {
    const { requestHandler } = config;
    const httpAuthSchemes = config.httpAuthSchemes.map((scheme) => ({ ...scheme, signer }));
    const wire = wireTo(hostname, endpoint.port, requestHandler as never);
    Object.assign(config, { isCustomEndpoint: true, endpoint: async () => endpoint, httpAuthSchemes });
    Object.assign(config, { requestHandler: wire });
    return { config, requestHandler, wire };
  });
  return async () => {
    for (const { config, requestHandler, wire } of wires) {
      Object.assign(config, { requestHandler });
      wire.close();
    }
    await stopEngine();
  };
};

/** Lets every client find nothing where it looks for the engine. */
const useNoTable = async (): Promise<() => Promise<void>> => {
  setEnvironment('http://127.0.0.1:1');
  return async () => {};
};

/** Leads the clients of this process to tables in memory. Others find none. */
const useTables = async (): Promise<() => Promise<void>> => {
  await useNoTable();
  useMemory();
  return async () => forgetTables();
};

const tables = { memory: useTables, none: useNoTable, folder: () => startOwnEngine(startInFolder) };
const startTables = tables[process.env.TEST_TABLES as keyof typeof tables] ?? startOwnEngine;
const stopTables = await startTables();
/** The files of a worker share its process, but no file goes on with what a function remembered in another. */
const states = new Map<unknown, unknown>();
processOverride.stateOf = <T>(make: () => T): T => {
  if (!states.has(make)) states.set(make, make());
  return states.get(make) as T;
};
const kept = [source, resolver, logSink, engine].map((object) => ({ object, members: { ...object } }));

afterAll(async () => {
  vi.restoreAllMocks();
  stopIntercepting();
  try {
    await cleanUpAll();
  } finally {
    forgetResidents();
    forgetShares();
    logLines.length = 0;
    for (const { object, members } of kept) {
      for (const name of Object.keys(object)) if (!(name in members)) Reflect.deleteProperty(object, name);
      Object.assign(object, members);
    }
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    await stopTables();
  }
});
