import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ServiceFile } from '../../../../local/start/state.ts';
import { startProcess } from '../../../../test/support/local-service.ts';
import { useBrowser } from './browser.ts';

/** The pages for developers during a restart of the service: two processes, one port. */

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

// Between the two services there is no service.json to read it from.
let address = '';
const { open, forgive } = useBrowser(() => address);

test('a page for developers says that the service is gone, and connects to the next one by itself, with a key of that one', async () => {
  const first = await start();
  const { baseUrl, keys } = service();
  address = baseUrl;
  const page = await open('/desk#/requests');
  await page.getByText(keys.all, { exact: true }).waitFor();
  await page.getByText('No request yet.').waitFor();

  expect(await first.stop()).toBe(0);
  await page.getByText('The service does not answer: it has ended or is starting. Trying again').waitFor();
  const second = await start('--port', new URL(baseUrl).port);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(service().keys.all, { exact: true }).waitFor();
  await fetch(`${baseUrl}/v1/products`);
  await page
    .getByRole('list', { name: /^Requests/ })
    .locator('> li', { hasText: '401' })
    .waitFor();

  expect(service().keys.all).not.toBe(keys.all);
  await second.stop();
  forgive(
    /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|status of (?:401|503)/,
  );
});
