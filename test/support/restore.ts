import { afterAll, vi } from 'vitest';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { logSink } from '../../lib/log.ts';
import { forgetResidents } from '../../lib/store/residents.ts';
import { engine } from '../../lib/table/table.ts';
import { cleanUpAll } from './at-end.ts';
import { stopIntercepting } from './faults.ts';
import { logLines } from './log.ts';

/** Ends what the test file started, and restores the process, so that the next file starts from the same state. */

const env = { ...process.env };
const kept = [source, resolver, logSink, engine].map((object) => ({ object, members: { ...object } }));

afterAll(async () => {
  vi.restoreAllMocks();
  stopIntercepting();
  try {
    await cleanUpAll();
  } finally {
    forgetResidents();
    logLines.length = 0;
    for (const { object, members } of kept) {
      for (const name of Object.keys(object)) if (!(name in members)) Reflect.deleteProperty(object, name);
      Object.assign(object, members);
    }
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
});
