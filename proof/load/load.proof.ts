import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registerDispenser } from '../../lib/routes/dispenser.ts';
import { createWebhook } from '../../lib/routes/webhooks.ts';
import { trials } from '../../test/support/volume.ts';
import { calledRows } from '../workload/actions/reads.ts';
import { runLoad } from './run.ts';

const seconds = Number(process.env.LOAD_SECONDS ?? trials(60, 120));
const seed = Number(process.env.LOAD_SEED ?? Date.now() % 2 ** 31);

// The service logs these because of injected faults, the killed engine and the short time-out of messages. A 503 that
// ends the retries is logged for a key that is not released, or for a part of a sweep that is put off. A sweep logs how
// many sales and customers it leaves to the next one. On a busy machine a queue is silent for four seconds, or a
// request ends before its answer: its caller sends again.
const expected =
  /ECONNREFUSED|ECONNRESET|EPIPE|socket hang up|ProvisionedThroughputExceeded|TransactionConflict|TransactionCanceled|MessageNotInflight|The engine .* ended|The service is busy\. Nothing was changed|could not be (?:ordered|swept): \d+|The delivery queue did not confirm|The request took longer than its function may run/;

test(`50 clients lose and double nothing while service and engine are killed (LOAD_SECONDS=${seconds} LOAD_SEED=${seed})`, {
  timeout: (3 * seconds + 600) * 1000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'store-load-'));

  const { faults, endpoints, kills, complaints } = await runLoad({ seconds, seed, dataDir });

  expect(faults).toEqual([]);
  const called = [...calledRows, registerDispenser, createWebhook].map(({ id }) => id);
  expect(Object.keys(endpoints).sort()).toEqual(called.sort());
  expect(new Set(kills.map(({ what }) => what))).toEqual(new Set(['service', 'engine']));
  expect(Object.keys(complaints).filter((line) => !expected.test(line))).toEqual([]);
  rmSync(dataDir, { recursive: true });
});
