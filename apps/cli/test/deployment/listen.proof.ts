import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, test, vi } from 'vitest';
import { newId, now } from '../../../../lib/clock.ts';
import { eventKeys, type NotedEvent } from '../../../../lib/events/events.ts';
import { eventNames, eventTypes } from '../../../../lib/routes/events.ts';
import { eventRow } from '../../../../test/support/event-rows.ts';
import { intercept, stopIntercepting } from '../../../../test/support/faults.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { follow } from '../../deployment/listen.ts';
import { startForCli } from '../support/cli.ts';
import { type Message, startListen, startProgram } from '../support/listening.ts';

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
  process.env.XDG_CONFIG_HOME = service.dir;
});

/** A store with a key for all, whose openings and closings are the events of these tests. It has no other to come. */
const aStore = async (name: string) => {
  const [created] = (await service.run('create', name, '--preset', 'all', '--json')).rows;
  const { id } = created.store;
  // The consumer notes the issue of the key some time after the command has ended.
  await vi.waitFor(async () => {
    const keys = await eventKeys(id, ['key.issued'], {})({ descending: true, limit: 1 });
    expect(keys).toHaveLength(1);
  }, 10_000);
  const turn = async (to: 'close' | 'open'): Promise<void> => {
    const { status } = await service.call('POST', `/v1/store/actions/${to}`, created.key);
    expect(status).toBe(200);
  };
  return {
    id,
    close: () => turn('close'),
    open: () => turn('open'),
    run: (...args: string[]) => service.run(...args, '--store', id),
    listen: (...args: string[]) =>
      startListen([...args, '--store', id, '--data-dir', service.dir], { XDG_CONFIG_HOME: service.dir }),
    api: async (path: string) => (await service.call('GET', path, created.key)).body,
  };
};

const started = /Ctrl-C ends this/;
const verified = ({ body, headers }: Message, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('forwards the events of its store, signed with the secret of this machine, and none of another store', async () => {
  const [store, other] = [await aStore('Forwarding'), await aStore('Another')];
  const { got, url } = await startProgram();
  await store.close();
  const listening = store.listen('--forward', url.replace('http://127.0.0.1', 'localhost'));
  const [, secret = ''] = await listening.until(/(whsec_\S+)/, 'stderr');
  const again = await store.run('listen', '--print-secret');
  const ofOther = await other.run('listen', '--print-secret');
  await listening.until(started, 'stderr');

  await other.close();
  await store.open();
  await store.close();
  await listening.until(/store\.closed.*\n/);
  const code = await listening.stop();

  const types = got.map((message) => (verified(message, secret) as { type: string }).type);
  expect(types.toSorted()).toEqual(['store.closed', 'store.opened']);
  expect(JSON.stringify(got)).not.toContain('Another');
  expect(() => verified(got[0] as Message, ofOther.stdout.trim())).toThrow('No matching signature');
  expect([again.stdout.trim(), Buffer.from(secret.slice(6), 'base64').toString()]).toEqual([
    secret,
    expect.stringMatching(/^[a-z\d]{32}$/),
  ]);
  expect(statSync(join(service.dir, 'store-integration-service', 'listen.key')).mode & 0o777).toBe(0o600);
  const lines = listening.printed.stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}store\.\w+ +[\da-f-]{36} {2}204 {2}\d+ ms$/);
  expect(code).toBe(0);
  expect(listening.printed.stderr).toMatch(/2 events: 2 taken, 0 not\.\nGo on behind .* --after [\da-f-]{36}\n$/);
  expect(listening.printed.stdout).not.toContain(secret);
});

test('tries again while the program is down or refuses, and lives on', async () => {
  const store = await aStore('Down');
  const gone = await startProgram();
  gone.stop();
  const listening = store.listen('--forward', gone.url);
  await listening.until(started, 'stderr');
  await store.close();
  await listening.until(/store\.closed \S+ is tried again: ECONNREFUSED/, 'stderr');

  const { got } = await startProgram([500, 200, 410], Number(new URL(gone.url).port));
  await listening.until(/store\.closed .* 200 .* [34] tries\n/);
  await store.open();
  await listening.until(/store\.opened .* 410 {2}\d+ ms\n/);
  await listening.stop();

  const ids = got.map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual([ids[0], ids[0], ids[2]]);
  expect(listening.printed.stderr).toContain('is tried again: 500');
  expect(listening.printed.stderr).toContain('2 events: 1 taken, 1 not.');
});

test('begins behind an event of the list, prints only the types that are wanted, and each with its data', async () => {
  const store = await aStore('Resuming');
  await putAll(
    [1, 2, 3, 4].map((index) =>
      eventRow(store.id, {
        type: index % 2 === 0 ? 'store.opened' : 'store.closed',
        data: { id: store.id, name: 'Resuming', open: index % 2 === 0 },
        notedAt: now() - 3_600_000 + index,
      }),
    ),
  );
  const [first, second, , fourth] = (await store.api('/v1/events')).data;

  const listening = store.listen('--after', first.id, '--events', 'store.opened', '--print-json');
  await listening.until(new RegExp(fourth.id));
  await listening.stop();
  const unknown = await store.run('listen', '--after', newId());

  const printed = listening.printed.stdout.trimEnd().split('\n');
  expect(printed.map((line) => JSON.parse(line))).toEqual([second, fourth]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('after must be the id of an event') });
});

test('hands events to no other machine, by whatever spelling', async () => {
  const store = await aStore('Here alone');
  const elsewhere = [
    ...['https://127.0.0.1/', 'http://10.0.0.1/', 'http://example.com/', 'http://127.0.0.1.example.com/'],
    ...['http://localhost.example.com/', 'http://0.0.0.0/', 'http://[::ffff:10.0.0.1]/', 'http://[::]/', 'http://'],
    ...['http://127.0.0.1@10.0.0.1/', 'http://user:word@127.0.0.1/', 'file:///etc/passwd', 'ftp://127.0.0.1/', ''],
  ];

  for (const url of elsewhere) {
    const { code, stderr } = await store.run('listen', '--forward', url);
    expect([url, code]).toEqual([url, 2]);
    expect(stderr).toContain('It must be an address of this machine');
  }
});

/** Reads on until this many events have come. */
const take = async (count: number, events: ReturnType<typeof follow>): Promise<NotedEvent[]> => {
  const found: NotedEvent[] = [];
  // A loop with for await would end the generator.
  while (found.length < count) found.push(...((await events.next()).value ?? []));
  return found;
};

test('an event that comes to stand before one that was read is not missed, nor is one while the table is away', async () => {
  const store = (await aStore('Late')).id;
  const closing = (notedAt: number) =>
    eventRow(store, { type: 'store.closed', data: { id: store, name: 'Late', open: false }, notedAt });
  const start = now();
  const rows = [closing(start), closing(start + 9000), closing(start + 1000), closing(start + 9001)];
  const trouble: unknown[] = [];
  await putAll([rows[0] as NotedEvent]);
  const { signal } = new AbortController();
  const onTrouble = (error: unknown) => {
    trouble.push(error);
    stopIntercepting();
  };
  const events = follow({ store, types: eventNames, after: undefined, signal, onTrouble });
  await events.next();

  await putAll([rows[1] as NotedEvent]);
  const first = await take(1, events);
  intercept(async ({ operation }, send) =>
    operation === 'Query' ? Promise.reject(Object.assign(new Error('away'), { $fault: 'client' })) : send(),
  );
  await putAll([rows[2] as NotedEvent, rows[3] as NotedEvent]);

  expect([...first, ...(await take(2, events))].map(({ sk }) => sk)).toEqual(
    [rows[1], rows[2], rows[3]].map((row) => row?.sk),
  );
  expect(trouble).toHaveLength(1);
});

test('a sample goes to the webhooks that subscribe and to a running listen, marked as one, and into no list of events', async () => {
  const [store, other] = [await aStore('Sampled'), await aStore('Not sampled')];
  const [standard, discord, unsubscribed, foreign] = [
    await startProgram(),
    await startProgram(),
    await startProgram(),
    await startProgram(),
  ];
  const hook = async (of: typeof store, { url }: { url: string }, ...more: string[]) =>
    (await of.run('webhooks', 'create', '--url', url, '--json', ...more)).rows[0];
  const webhook = await hook(store, standard, '--events', 'sale.completed');
  await hook(store, discord, '--events', 'sale.completed', '--format', 'discord');
  await hook(store, unsubscribed, '--events', 'sale.refused');
  await hook(other, foreign, '--events', 'sale.completed');
  const local = await startProgram();
  const listening = store.listen('--forward', local.url, '--events', 'sale.completed');
  const ofOther = other.listen('--events', 'sale.completed');
  await Promise.all([listening, ofOther].map(({ until }) => until(started, 'stderr')));
  const [, secret = ''] = await listening.until(/(whsec_\S+)/, 'stderr');

  const [sample] = (await store.run('trigger', 'sale.completed', '--json')).rows;

  await listening.until(/sale\.completed .* sample {2}204/);
  const arrived = [standard, discord];
  while (arrived.some(({ got }) => got.length === 0)) await new Promise((resolve) => setTimeout(resolve, 20));
  await service.advance(11);
  const message = { type: 'sale.completed', timestamp: expect.any(String), sample: true, data: expect.any(Object) };
  expect(verified(standard.got[0] as Message, webhook.secret)).toEqual(message);
  expect(verified(local.got[0] as Message, secret)).toEqual(message);
  expect(JSON.parse(discord.got[0]?.body ?? '').embeds[0].title).toBe('Sample: A product was sold.');
  expect([unsubscribed, foreign].map(({ got }) => got.length)).toEqual([0, 0]);
  expect(sample).toMatchObject({
    type: 'sale.completed',
    sample: true,
    webhooks: expect.arrayContaining([webhook.id]),
  });
  expect([local, standard].map(({ got }) => got[0]?.headers['webhook-id'])).toEqual([sample.id, sample.id]);
  // The local service registers a dispenser for a store that has deliveries.
  expect(JSON.stringify(await store.api('/v1/events'))).not.toContain(sample.id);
  expect((await store.api('/v1/events?type=sale.completed')).data).toEqual([]);
  expect((await store.api(`/v1/events?after=${sample.id}`)).status).toBe(400);
  await listening.stop();
  await ofOther.stop();
  expect(ofOther.printed.stdout).toBe('');
  expect(listening.printed.stderr).not.toContain('--after');
});

test('there is a sample of each type, whose data has the form of the type', async () => {
  const store = await aStore('All samples');
  const { signal } = new AbortController();
  const events = follow({ store: store.id, types: eventNames, after: undefined, signal, onTrouble: () => {} });
  await events.next();

  for (const type of eventNames) expect((await store.run('trigger', type)).code).toBe(0);
  const listed = await store.run('trigger', '--list', '--json');

  const samples = await take(eventNames.length, events);
  expect(samples.map(({ type }) => type)).toEqual(eventNames);
  for (const { type, data, sample } of samples) {
    expect(eventTypes[type].data.parse(JSON.parse(data))).toEqual(JSON.parse(data));
    expect(sample).toBe(true);
  }
  expect(listed.rows.map(({ type }) => type)).toEqual(eventNames);
  expect(await store.run('trigger')).toMatchObject({ code: 2, stderr: expect.stringContaining('--list') });
  expect(await store.run('trigger', 'webhook.ping')).toMatchObject({ code: 2 });
});
