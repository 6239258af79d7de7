import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tableName } from '../../../../lib/table/client.ts';
import { startForTests } from '../../../../test/support/local-service.ts';
import { executablePath, flags } from './chromium.ts';

/** A page from another origin, which knows the addresses of a running service's engine and queue. */

let service: Awaited<ReturnType<typeof startForTests>>;
let browser: Awaited<ReturnType<typeof chromium.launch>>;
let page: Page;
beforeAll(async () => {
  service = await startForTests();
  browser = await chromium.launch({ executablePath, args: flags });
  page = await browser.newPage();
  await page.goto(await serve('127.0.0.1'));
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** Starts a server that allows every origin, as the engine does. */
const serve = async (host: string): Promise<string> => {
  const allowed = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
  const server = createServer((_, response) => response.writeHead(200, allowed).end('{"open":true}'));
  await once(server.listen(0, host), 'listening');
  afterAll(() => server.close());
  return `http://${host}:${(server.address() as AddressInfo).port}/`;
};

/** The answer as far as the page may read it, or `refused`. */
const read = (url: string, init: { mode?: 'no-cors'; headers: Record<string, string>; body: string }) =>
  page.evaluate(
    ([address, options]) =>
      fetch(address, { method: 'POST', ...options }).then(
        (response) => response.text(),
        () => 'refused',
      ),
    [url, init] as const,
  );

const authorization =
  'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=x';
const callFrom = (operation: string, body: object) => ({
  headers: {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': operation,
    'X-Amz-Date': '20260101T000000Z',
    Authorization: authorization,
  },
  body: JSON.stringify(body),
});
const form = (fields: Record<string, string>) => ({
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** Sends the same request from this process. */
const call = async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
  const sent = request(url, { method: 'POST', headers }).end(body);
  const [response] = await once(sent, 'response');
  return text(response);
};

test('a page of another origin cannot read keys or write one', async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: engine = '' } = process.env;
  const TableName = tableName();
  const mark = randomUUID();
  const scan = callFrom('DynamoDB_20120810.Scan', { TableName });
  const put = callFrom('DynamoDB_20120810.PutItem', { TableName, Item: { pk: { S: mark }, sk: { S: mark } } });

  const answers = [await read(engine, scan), await read(engine, put)];
  const control = await read(await serve(new URL(engine).hostname), scan);

  expect(answers).toEqual(['refused', 'refused']);
  expect(control).toBe('{"open":true}');
  const kept = await call(engine, scan);
  expect(kept).toContain('"pk"');
  expect(kept).not.toContain(mark);
});

test('a page of another origin cannot make a delivery, not even with a form', async () => {
  const { AWS_ENDPOINT_URL_SQS: queue = '' } = process.env;
  const mark = randomUUID();
  const create = form({ Action: 'CreateTopic', Name: mark });

  const answer = await read(queue, { mode: 'no-cors', ...create });
  const control = await read(await serve(new URL(queue).hostname), { mode: 'no-cors', ...create });

  expect(answer).toBe('refused');
  // The page cannot read the answer, but the form has arrived.
  expect(control).toBe('');
  const topics = await call(queue, form({ Action: 'ListTopics' }));
  expect(topics).toContain('ListTopicsResult');
  expect(topics).not.toContain(mark);
});
