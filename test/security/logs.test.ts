import { expect, test, vi } from 'vitest';
import { handler as worker } from '../../functions/delivery-worker.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { encodeMessage } from '../../lib/delivery/message.ts';
import { pingType } from '../../lib/events/sendings.ts';
import { logSink } from '../../lib/log.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { anOrder, batchOf, contextWith, serve, startTestQueue } from '../support/deliveries.ts';
import { exampleOf, needsItsKey, routesInOrder, seedExamples } from '../support/example-requests.ts';
import { intercept } from '../support/faults.ts';
import { writeLine } from '../support/log.ts';
import { sendRaw } from '../support/raw-http.ts';
import { seedResidents } from '../support/residents.ts';
import { startTestService } from '../support/service.ts';

/**
 * Sends a mark in every field, header and parameter of every endpoint, in requests that succeed and that fail. Then it
 * searches all output of the process: standard output and error, the console and the log lines.
 */

/** A text that is also a valid username, so that every field accepts it, and a number that occurs nowhere else. */
const mark = 'markxqzvw';
const markNumber = 87_654_321;
const marked = { uuid: 'deadbeef-cafe-0000-0000-feedfacef00d', username: `${mark}.tester` };
/** Text that would break a line, colour a terminal or end a JSON value. */
const hostile = `${mark}\r\n{"level":"ERROR"}\u001b[31m\u2028"},{`;

const listen = (): { said: string[]; stop: () => void } => {
  const said: string[] = [];
  const note = (chunk: unknown): boolean => {
    said.push(String(chunk));
    return true;
  };
  const spies = [
    ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(note as never)),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...parts) => void said.push(parts.map(String).join(' '))),
    ),
  ];
  return { said, stop: () => spies.forEach((spy) => void spy.mockRestore()) };
};

/** Fields that must keep their value for the request to succeed. */
const fixed = /Identifier$|Id$|^(?:url|scope|discount)$/;

/** The body with the mark in every text and number that may change. */
const withMarks = (body: object, text: string): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (fixed.test(name)) return [name, value];
      if (typeof value === 'number') return [name, markNumber];
      return [name, typeof value === 'string' ? text : value];
    }),
  );

/** A dispenser's answers, and the state of the delivery after each. */
const answersOfDispenser = [
  [200, 'delivered'],
  [422, 'failed'],
  [500, 'error'],
  [404, 'waiting'],
] as const;
const capability = 'cap-qjxwzkvy';

test('no log holds a key, a secret, a message, a body, a name or a header, for requests that succeed or fail', async () => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
  await startTestQueue();
  const service = await startTestService({ authorizerTtlSeconds: 3600 });
  await seedResidents();
  await putResident(marked);
  const rows = await seedExamples(service.call);
  const plainRows = await seedExamples(service.call, 'Plain');
  const answers = answersOfDispenser.map(([status]) => status as number);
  const dispenserUrl = await serve((_, response) => {
    response.writeHead(answers.shift() ?? 500).end(`${mark} ${hostile}`);
  });
  logSink.write = writeLine;
  const headers = {
    'User-Agent': mark,
    Cookie: `session=${mark}`,
    'X-Forwarded-For': mark,
    Authorization: `Bearer ${mark}`,
    Referer: `https://${mark}.example/`,
  };
  const { said, stop } = listen();
  const statuses = new Set<number>();

  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, rows, `${mark} ${row.id}`);
    const named = path.replace(/\/customers\/[^/]+|owner\/[^/]+/, (start) => start.replace(/[^/]+$/, marked.username));
    const send = async (target: string, content: unknown, more: object = {}): Promise<void> => {
      const { status } = await service.call(row.method, target, content, { ...headers, ...more });
      statuses.add(status);
    };
    const wholly = body && withMarks(body, mark);
    await send(`${named}?search=${mark}&${mark}=${mark}`, wholly, { 'Idempotency-Key': `${mark}-${row.id}` });
    await send(`${named}?cursor=${mark}&limit=${mark}&active=${mark}`, body && withMarks(body, hostile));
    await send(`${path}/${mark}?q=${mark}`, body);
    if (body) await send(path, `{"${mark}": ${mark}`);
    const broken = intercept(() => Promise.reject(new Error('The table is away.')));
    await send(named, wholly);
    broken();
    await service.callAs(`${service.key}${mark}`)(row.method, path, wholly, headers);
  }
  // Some requests fail with marks everywhere, so each is also sent once in a form that succeeds.
  const plain: [string, number][] = [];
  // The first key has ended itself.
  const callAfter = service.callAs(await service.keyWith(scopes));
  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, plainRows, `${mark} plain ${row.id}`);
    const asked = needsItsKey(row) ? service.call : callAfter;
    plain.push([row.id, (await asked(row.method, path, body, headers)).status]);
  }
  await sendRaw(Number(new URL(service.baseUrl).port), Buffer.from(`GET /${mark}\u001b HTTP/1.1\r\n${mark}\r\n\r\n`));
  const order = anOrder(service.store, { message: hostile, item: mark, recipientUsername: mark });
  await worker(batchOf(encodeMessage({ ...order, kind: 'deliver' }), hostile), contextWith(60_000));
  const dispenser = { url: `${dispenserUrl}/${capability}`, region: mark, items: [mark] };
  // In a store of its own: the requests have registered further boxes in the other, which would be asked first.
  const { id: withOneBox } = await createStore('Logs');
  const keyThere = await service.keyWith(scopes, withOneBox);
  const { secret } = (await service.callAs(keyThere)('PUT', '/v1/dispenser', dispenser)).body;
  for (const _ of answersOfDispenser) {
    const { id, store } = anOrder(withOneBox);
    await worker(batchOf(encodeMessage({ ...order, id, store, kind: 'deliver' })), contextWith(60_000));
  }

  const hook = {
    url: `${await serve((_, response) => void response.end(mark))}/${capability}`,
    events: ['store.closed'],
  };
  const webhook = (await service.call('POST', '/v1/webhooks', hook)).body;
  const rotated = (await service.call('POST', `/v1/webhooks/${webhook.id}/actions/rotate-secret`)).body;
  const ping = { kind: 'event', store: service.store, webhook: webhook.id, event: newId(), type: pingType } as const;
  await worker(batchOf(encodeMessage({ ...ping, notedAt: timestamp(now()) })), contextWith(60_000));

  stop();
  const text = said.join('');
  expect(plain).toEqual(routesInOrder.map(({ id, status }) => [id, status]));
  expect(answers).toEqual([]);
  for (const [, outcome] of answersOfDispenser) expect(text).toContain(`"delivery":"${outcome}"`);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404, 500]));
  expect(said.length).toBeGreaterThan(3 * routesInOrder.length);
  expect(secret).toMatch(/^\w{43}$/);
  expect(text).toContain('"webhook":"delivered"');
  const webhookSecrets = [webhook.secret, rotated.secret].flatMap((one: string) => [
    one.slice(6),
    Buffer.from(one.slice(6), 'base64').toString(),
  ]);
  const keys = [
    service.key,
    service.key.slice(22, 65),
    keyThere,
    keyThere.slice(22, 65),
    secret,
    capability,
    dispenserUrl,
    ...webhookSecrets,
  ];
  for (const hidden of [mark, marked.uuid, String(markNumber), ...keys])
    expect(said.find((line) => line.toLowerCase().includes(hidden.toLowerCase()))).toBeUndefined();
  for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  // JSON lines have no control characters, and none of the separators that some readers take for line ends.
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029]/u);
});
