import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId, source } from '../../lib/clock.ts';
import { signedMessage } from '../../lib/events/send.ts';
import type { EventType } from '../../lib/routes/events.ts';
import { atEnd } from '../../test/support/at-end.ts';
import { eventRow } from '../../test/support/event-rows.ts';
import { putAll } from '../../test/support/seed.ts';
import { startTestService } from '../../test/support/service.ts';
import { codeBlocks } from './code-blocks.ts';
import { hasPython, runScript } from './programs.ts';

/** Runs the receivers of docs/guides/webhooks.md on messages that the service makes. */

const blocks = codeBlocks().filter(({ file }) => file === 'docs/guides/webhooks.md');
const receiverIn = (language: string, mark: string): string => {
  const found = blocks.filter((block) => block.language === language && block.text.includes(mark));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
};

const [secret, other] = ['a', 'b'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`) as [
  string,
  string,
];
const { webhooks } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const dataOf = (type: EventType): string =>
  JSON.stringify(webhooks[type].post.requestBody.content['application/json'].example.data);
const sale = { type: 'sale.completed' as const, at: '2027-03-01T00:00:00.000Z', data: dataOf('sale.completed') };
const total: number = JSON.parse(sale.data).total;

type Message = ReturnType<typeof signedMessage>;

/** A good message, the same message signed with an old secret too, a sample, and messages that must be refused. */
const cases = (millis: number) => {
  const of = (fields: object, secrets = [secret], at = millis): Message =>
    signedMessage({ id: newId(), ...sale, ...fields }, secrets, at);
  const good = of({});
  return {
    taken: [good, of({}, [other, secret])],
    sample: of({ sample: true }),
    refused: [
      of({}, [other]),
      { ...good, body: good.body.replace('2027', '2028') },
      { ...good, headers: { ...good.headers, 'webhook-id': newId() } },
      of({}, [secret], millis - 301_000),
    ],
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Runs a receiver in a process of its own, and sends it the cases. Answers the statuses, and what it printed. */
const runReceiver = async (program: string, file: string, text: (port: number) => string) => {
  const dir = mkdtempSync(join(tmpdir(), 'receiver-'));
  const port = await freePort();
  writeFileSync(join(dir, file), text(port));
  const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PYTHONUNBUFFERED: '1' };
  const child = spawn(program, [join(dir, file)], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  atEnd(() => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  const send = async ({ body, headers }: Message): Promise<number> => {
    for (;;)
      try {
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
      } catch (error) {
        // It does not listen yet.
        if (child.exitCode !== null) throw new Error(printed, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
  };
  const { taken, sample, refused } = cases(Date.now());
  const statuses: number[] = [];
  for (const message of [...taken, taken[0] as Message, sample, ...refused]) statuses.push(await send(message));
  child.kill();
  await new Promise((resolve) => child.once('close', resolve));
  return { statuses, printed, ids: taken.map(({ headers }) => headers['webhook-id']) };
};

const statuses = [204, 204, 204, 204, 400, 400, 400, 400];

test('the receiver for Node.js takes what the service signs, once, books no sample, and refuses the rest', async () => {
  const client = new URL('../../apps/client/client.ts', import.meta.url).href;
  const text = receiverIn('js', 'verifyWebhook');

  const ran = await runReceiver(process.execPath, 'receiver.mjs', (port) =>
    text.replace('store-integration-client', client).replace('8080', String(port)),
  );

  expect(ran.statuses).toEqual(statuses);
  const lines = ran.printed.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('Error: '))).toHaveLength(4);
  expect(lines.filter((line) => !line.startsWith('Error: '))).toEqual(Array(2).fill(`Sold for L$ ${total}`));
});

test('the receiver for Python, with its standard library alone, does so too', async () => {
  if (!hasPython()) return;

  const ran = await runReceiver('python3', 'receiver.py', (port) =>
    receiverIn('python', 'hmac').replace('8080', String(port)),
  );

  expect(ran.statuses).toEqual(statuses);
  const lines = ran.printed.split('\n').filter((line) => line.includes('sale.completed'));
  expect(lines.map((line) => line.slice(0, 36))).toEqual([...ran.ids, ran.ids[0]]);
});

test('the script that reads the list says each sale once, in their order, and goes on where it stopped', async () => {
  const service = await startTestService();
  const key = await service.keyWith(['events:read', 'sales:read']);
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      eventRow(service.store, {
        type: 'sale.completed',
        data: { ...JSON.parse(sale.data), total: from + index },
        notedAt: source.now() - 3_600_000 + 1000 * (from + index),
      }),
    );
  await putAll(rows(1, 7));
  let asked: Promise<unknown> = Promise.resolve();
  const script = receiverIn('lsl', '/v1/events').replace('https://the.address.of.your.service', service.baseUrl);
  const { clock, told } = runScript(script.replace('sis_live_...', key), ({ url, method, headers }, answer) => {
    asked = fetch(url, { method, headers }).then(async (response) =>
      answer({
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        body: await response.text(),
      }),
    );
  });
  const turn = async (): Promise<void> => {
    clock.advance(30);
    await asked;
    clock.advance(0);
  };

  for (let count = 0; count < 3; count++) await turn();
  await putAll(rows(8, 2));
  await turn();

  expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((sold) => `Sold for L$ ${sold}`));
});

test('the script that checks signatures by llHMAC takes what the service signs, and refuses the rest', () => {
  const script = receiverIn('lsl', 'llHMAC').replace('whsec_...', secret);
  const address = 'https://sim.agni.example/cap/1';
  const { world, clock, told, grant } = runScript(script, () => {});
  grant(address);
  clock.advance(0);
  const answers: number[] = [];
  const { taken, sample, refused } = cases(clock.now());

  for (const { headers, body } of [...taken, sample, ...refused]) {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
    const text = [id, time, signatures, body].join('\n');
    world.receive(address, 'POST', text, (status) => void answers.push(status));
    clock.advance(0);
  }

  expect(told).toEqual([`Pass messages on to ${address}`, 'sale.completed', 'sale.completed']);
  expect(answers).toEqual([200, 200, 200, 400, 400, 400, 400]);
});
