import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueKey } from '../../cli/api-keys.ts';
import { putResident } from '../../cli/residents.ts';
import { createStore } from '../../cli/stores.ts';
import { scopes } from '../../lib/routes/route.ts';
import { startDeployment } from '../../local/deployed/deployment.ts';
import type { Use } from '../../local/deployed/engines.ts';

/** The template and the bundles as they are deployed, with rates that no test reaches. */

const dir = mkdtempSync(join(tmpdir(), 'sis-deployed-'));
const { PATH = '', HOME = '' } = process.env;

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const child = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output;
};

const uses: Use[] = [];
let deployment: Awaited<ReturnType<typeof startDeployment>>;
beforeAll(async () => {
  const rates = ['readRate', 'writeRate', 'listRate'].flatMap((name) => ['-c', `${name}=10000`]);
  const output = join(dir, 'cdk.out');
  const printed = await run('npm', ['run', 'synth', '--', '-o', output, ...rates, '-c', 'storeShare=100']);
  deployment = await startDeployment({
    template: output,
    port: 0,
    concurrency: 1000,
    onUse: (use) => uses.push(use),
  }).catch((error: Error) => {
    throw new Error(`${error.message}\n${printed}`);
  });
}, 300_000);
afterAll(async () => {
  await deployment?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const residents = Array.from({ length: 40 }, (_, index) => ({
  uuid: `5e51de27-0000-4000-8000-${String(index).padStart(12, '0')}`,
  username: `resident${index}.deployed`,
}));

test('the contract suite passes against the template and the bundles', { timeout: 600_000 }, async () => {
  for (const resident of residents) await putResident(resident);
  const [store, other] = [await createStore('Contract'), await createStore('Other')];
  const keyOf = async (id: string, of: readonly (typeof scopes)[number][]): Promise<string> =>
    (await issueKey({ store: id, name: 'suite', scopes: of, stage: 'live' })).text;

  const report = join(dir, 'contract.json');
  const output = await run('vitest', ['run', '--project', 'contract', '--reporter=json', `--outputFile=${report}`], {
    CONTRACT_BASE_URL: deployment.baseUrl,
    CONTRACT_KEY: await keyOf(store.id, scopes),
    CONTRACT_READ_KEY: await keyOf(store.id, ['products:read']),
    CONTRACT_OTHER_KEY: await keyOf(other.id, scopes),
    CONTRACT_RESIDENTS: residents.map(({ username }) => username).join(','),
  });

  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(
    ({ assertionResults }: { assertionResults: Record<string, string | string[]>[] }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.[0]}`),
  );
  expect(failed, output).toEqual([]);
  expect(numPassedTests).toBeGreaterThan(690);
  expect(uses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
});
