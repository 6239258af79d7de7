import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ServiceFile } from '../../local/state.ts';
import { startProcess } from '../support/local-service.ts';
import { useBrowser } from './browser.ts';

/** The console during a restart of the service: two processes, one port. */

const dir = join(tmpdir(), `sis-test-${randomUUID()}`);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const service = (): ServiceFile => JSON.parse(readFileSync(join(dir, 'service.json'), 'utf8'));

const start = async (...options: string[]) => {
  const started = startProcess(dir, ['--memory', '--no-demo', ...options], {
    ...process.env,
    TABLE_NAME: `test-${randomUUID()}`,
  });
  await started.until(/Ctrl-C ends it/);
  return started;
};

const { open, forgive } = useBrowser(() => service().baseUrl);

test('the console says that the service is gone, and connects to the next one by itself', async () => {
  const first = await start();
  const { baseUrl, keys } = service();
  const page = await open('/');
  await page.getByText(keys.all, { exact: true }).waitFor();
  await page.getByText('No customer yet.').waitFor();

  expect(await first.stop()).toBe(0);
  await page.getByText('The service does not answer. Trying again').waitFor();
  const second = await start('--port', new URL(baseUrl).port);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(service().keys.all, { exact: true }).waitFor();
  await fetch(`${baseUrl}/v1/products`);
  await page.locator('#requests-list > li', { hasText: '401' }).waitFor();

  expect(service().keys.all).not.toBe(keys.all);
  await second.stop();
  forgive(
    /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|status of 503/,
  );
});
