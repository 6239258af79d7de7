import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trials } from '../../test/support/volume.ts';
import { runWorld } from './run.ts';

const seed = Number(process.env.WORLD_SEED ?? 1 + (Date.now() % 999_999));
const seconds = Number(process.env.WORLD_SECONDS ?? trials(60, 120));

test(`in a day of the world every L$, item and credit has an explanation, whatever dies (WORLD_SEED=${seed} WORLD_SECONDS=${seconds})`, {
  timeout: (seconds + 600) * 1000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'store-world-'));

  const report = await runWorld({ seconds, seed, avatars: 40, rate: 160, speed: 10, faults: 'normal', dataDir });

  expect(report.faults).toEqual([]);
  expect(report.unexplained).toBe(0);
  // How many sales there are in a minute depends on the machine and the seed.
  expect(report.sales.completed).toBeGreaterThan(0);
  rmSync(dataDir, { recursive: true });
});
