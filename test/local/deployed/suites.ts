import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { beginPayouts } from '../../../lib/operator/begin-payouts.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { startDeployment } from '../../../local/deployed/deployment.ts';
import type { BusEvent, EngineCall } from '../../../local/deployed/engines.ts';
import { atEnd } from '../../support/at-end.ts';

/**
 * The suites that know only HTTP, against a template and its bundles. A process has one pair of engines, so each file
 * has one template.
 */

export const dir = mkdtempSync(join(tmpdir(), 'sis-deployed-'));
atEnd(() => rmSync(dir, { recursive: true, force: true }));

const { PATH = '', HOME = '' } = process.env;

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const child = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output;
};

/** Makes a template with these settings, and with rates that no test reaches. Answers what that printed. */
export const synthesise = (output: string, settings: Record<string, string>): Promise<string> => {
  const rates = { endpointRate: '10000', storeShare: '100' };
  const context = Object.entries({ ...rates, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return run('npm', ['run', 'synth', '--', '-o', output, ...context]);
};

type Started = Awaited<ReturnType<typeof startDeployment>>;

export const residents = Array.from({ length: 40 }, (_, index) => ({
  uuid: `5e51de27-0000-4000-8000-${String(index).padStart(12, '0')}`,
  username: `resident${index}.deployed`,
}));

/**
 * Runs a suite that knows nothing but HTTP, with two stores of its own. Answers how many of its tests passed, and what
 * failed.
 */
const runSuite = async (deployment: Started, project: string, config: string) => {
  const [store, other] = [await createStore(project), await createStore('Other')];
  await beginPayouts(store.id, true);
  const keyOf = async (id: string, of: readonly (typeof scopes)[number][]): Promise<string> =>
    (await issueKey({ store: id, name: 'suite', scopes: of, stage: 'live' })).text;

  const report = join(dir, `${project}.json`);
  const args = ['run', '--config', config, '--project', project, '--reporter=json', `--outputFile=${report}`];
  const output = await run('vitest', args, {
    CONTRACT_BASE_URL: deployment.baseUrl,
    CONTRACT_KEY: await keyOf(store.id, scopes),
    CONTRACT_READ_KEY: await keyOf(store.id, ['products:read']),
    CONTRACT_OTHER_KEY: await keyOf(other.id, scopes),
    CONTRACT_RESIDENTS: residents.map(({ username }) => username).join(','),
    CONTRACT_LOOPBACK: 'https://loopback-{port}.agni.secondlife.io',
  });

  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(
    ({ assertionResults }: { assertionResults: Record<string, string | string[]>[] }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.[0]}`),
  );
  return { passed: Number(numPassedTests), failed, output };
};

/** Runs both suites against a template that was made with these settings. `printed` is what its synthesis printed. */
export const expectSuitesPass = async (
  output: string,
  printed: string,
  settings: Record<string, string>,
): Promise<void> => {
  const uses: EngineCall[] = [];
  const busEvents: BusEvent[] = [];
  /**
   * The errors that functions logged, which say why something was answered 500. An authorizer ends each 401 with one.
   */
  const errors: string[] = [];
  const deployment = await startDeployment({
    template: output,
    port: 0,
    concurrency: 1000,
    onUse: (use) => uses.push(use),
    onBusEvent: (event) => busEvents.push(event),
    onLine: (label, line) => {
      if (/"level":"ERROR"|Error/.test(line) && !line.includes('Unauthorized')) errors.push(`${label}: ${line}`);
    },
  }).catch((error: Error) => {
    throw new Error(`${error.message}\n${printed}`);
  });
  // It stays until the end of the file: what starts after it in the process has the same engines.
  atEnd(deployment.stop);
  for (const resident of residents) await putResident(resident);

  // The second suite waits for a minute, during which the first one works.
  const [contract, extensions] = await Promise.all([
    runSuite(deployment, 'contract', 'proof/vitest.config.ts'),
    runSuite(deployment, 'extensions', 'proof/vitest.config.ts'),
  ]);

  const logged = errors.join('\n');
  expect(contract.failed, `${contract.output}\n${logged}`).toEqual([]);
  expect(extensions.failed, `${extensions.output}\n${logged}`).toEqual([]);
  expect(contract.passed).toBeGreaterThan(690);
  expect(extensions.passed).toBeGreaterThan(120);
  expect(uses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  // A schedule calls it, so no caller sees its errors.
  expect(errors.filter((line) => line.startsWith('table-export'))).toEqual([]);
  const buses = new Set(busEvents.map(({ EventBusName }) => EventBusName));
  expect([...buses]).toEqual('eventBus' in settings ? [settings.eventBus] : []);
};
