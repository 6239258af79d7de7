import { afterAll, vi } from 'vitest';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { forgetReads } from '../../lib/http/store-reads.ts';
import { logSink } from '../../lib/log.ts';
import { forgetResidents } from '../../lib/store/residents.ts';
import { db, dbOnce } from '../../lib/table/client.ts';
import { engine } from '../../lib/table/table.ts';
import { cleanUpAll } from './at-end.ts';
import startTestEngine from './engine.ts';
import { stopIntercepting } from './faults.ts';
import { logLines } from './log.ts';
import { anySignature } from './seed.ts';

/**
 * Gives each test file an engine of its own. Ends what the file started, and restores the process, so that the next
 * file starts from the same state.
 */

const env = { ...process.env };
// The engine keeps the records of all streams in one place, which each further write and each look at a stream
// searches.
const stopEngine = await startTestEngine();
const { protocol, hostname, port } = new URL(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
const endpoint = { protocol, hostname, port: Number(port), path: '/' };
/** Signing takes a third of the time that the SDK needs for a call. */
const signer = {
  sign: async (request: { headers: object }) => {
    Object.assign(request.headers, anySignature);
    return request;
  },
};
// The files of a process share these clients, which read the environment only once.
for (const { config } of [db, dbOnce]) {
  const httpAuthSchemes = config.httpAuthSchemes.map((scheme) => ({ ...scheme, signer }));
  Object.assign(config, { isCustomEndpoint: true, endpoint: async () => endpoint, httpAuthSchemes });
}
const kept = [source, resolver, logSink, engine].map((object) => ({ object, members: { ...object } }));

afterAll(async () => {
  vi.restoreAllMocks();
  stopIntercepting();
  try {
    await cleanUpAll();
  } finally {
    forgetResidents();
    forgetReads();
    logLines.length = 0;
    for (const { object, members } of kept) {
      for (const name of Object.keys(object)) if (!(name in members)) Reflect.deleteProperty(object, name);
      Object.assign(object, members);
    }
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    await stopEngine();
  }
});
