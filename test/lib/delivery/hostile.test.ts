import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { resolver } from '../../../lib/delivery/address.ts';
import { callDispenser } from '../../../lib/delivery/call.ts';
import { serve, serveRaw } from '../../support/deliveries.ts';

/** Hostile dispensers. Every call must end with an outcome, after it has read little. */

/** The time-out of calls that run into it. A busy machine may end them later, but before `endMillis`. */
const timeoutMillis = 400;
const endMillis = timeoutMillis + 10_000;
/** A time-out that calls must not need: they end long before it. */
const patientMillis = 50_000;
const { lookup } = resolver;

beforeAll(() => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
});

/** Calls the dispenser, and measures the time. */
const call = async (url: string, timeout = patientMillis) => {
  const started = performance.now();
  const outcome = await callDispenser(url, ['body'], timeout);
  return { outcome, millis: performance.now() - started };
};

const megabyte = Buffer.alloc(1024 * 1024, 'x');

test('asks for a retry within the time-out when no answer comes', async () => {
  const { outcome, millis } = await call(await serveRaw(() => {}), timeoutMillis);

  expect(outcome).toEqual({ kind: 'again', error: 'No answer within 400 ms' });
  expect(millis).toBeLessThan(endMillis);
});

test('asks for a retry when the headers come one byte at a time', async () => {
  const { outcome, millis } = await call(
    await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    }),
    timeoutMillis,
  );

  expect(outcome.kind).toBe('again');
  expect(millis).toBeLessThan(endMillis);
});

test('asks for a retry when the headers never end', async () => {
  const { outcome } = await call(
    await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`X-Long: ${'x'.repeat(10_000)}\r\n`), 1);
      socket.on('close', () => clearInterval(timer));
    }),
  );

  expect(outcome).toEqual({ kind: 'again', error: 'HPE_HEADER_OVERFLOW' });
});

test.each([
  ['an endless body', {}],
  ['a body that says it is a gigabyte', { 'Content-Length': '1073741824' }],
])('goes by the status, and reads no more than the beginning, of %s', async (_, headers) => {
  /** In megabytes. Bytes that the worker does not read stay in the buffers between the two. */
  let written = 0;
  const url = await serve((_request, response) => {
    response.writeHead(200, headers);
    const more = (): void => {
      let isRoom = true;
      for (; isRoom && !response.destroyed && written < 1024; written++) isRoom = response.write(megabyte);
    };
    response.on('drain', more);
    more();
  });

  const { outcome, millis } = await call(url);

  expect(outcome).toEqual({ kind: 'given' });
  expect(millis).toBeLessThan(patientMillis / 2);
  expect(written).toBeLessThan(100);
});

test('uses the status of an answer whose body never ends', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(422);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });

  const { outcome, millis } = await call(url, 5 * timeoutMillis);

  expect(outcome.kind).toBe('refused');
  expect(millis).toBeLessThan(endMillis);
});

test('does not unpack a compression bomb, nor asks for one', async () => {
  let accepted: string | undefined;
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, 'x'));
  const url = await serve((request, response) => {
    accepted = request.headers['accept-encoding'];
    response.writeHead(500, { 'Content-Encoding': 'gzip' }).end(bomb);
  });

  const { outcome } = await call(url);

  expect(accepted).toBe('identity');
  expect(outcome).toMatchObject({ kind: 'again', error: expect.stringMatching(/^The dispenser answered 500/) });
  expect(JSON.stringify(outcome)).not.toContain('xxx');
  expect(JSON.stringify(outcome).length).toBeLessThan(300);
});

test('asks for a retry when the connection is reset before or during the answer', async () => {
  const before = await call(await serveRaw((socket) => socket.resetAndDestroy()));
  const amid = await call(
    await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n', () => socket.resetAndDestroy());
    }),
  );

  expect([before.outcome.kind, amid.outcome.kind]).toEqual(['again', 'again']);
});

test('asks for a retry when no server listens', async () => {
  const { outcome } = await call('http://127.0.0.1:1/');

  expect(outcome).toEqual({ kind: 'again', error: 'ECONNREFUSED' });
});

test('asks for a retry when the answer is no HTTP', async () => {
  const { outcome } = await call(await serveRaw((socket) => socket.end('\u0000\u0001 nonsense\r\n\r\n')));

  expect(outcome.kind).toBe('again');
});

test('follows no redirect, to the metadata service or anywhere', async () => {
  let followed = 0;
  const target = await serve((_request, response) => {
    followed += 1;
    response.end();
  });

  for (const Location of ['http://169.254.169.254/latest/meta-data/', target]) {
    const url = await serve((_request, response) => {
      response.writeHead(307, { Location }).end();
    });
    expect((await call(url)).outcome.kind).toBe('again');
  }
  expect(followed).toBe(0);
});

test('keeps only the printable text of a script’s answer', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(400).end(`\u001b[31mred\nline${'é'.repeat(5000)}`);
  });

  const { outcome } = await call(url);

  expect(outcome).toEqual({ kind: 'refused', error: 'The dispenser answered 400: [31mred line' });
});

test('ends in time when the look-up of the name hangs', async () => {
  delete process.env.DISPENSER_LOOPBACK;
  resolver.lookup = () => new Promise(() => {});

  const { outcome, millis } = await call('https://simhost-1.agni.secondlife.io:12043/cap/1', timeoutMillis);

  expect(outcome.kind).toBe('again');
  expect(millis).toBeLessThan(endMillis);
  resolver.lookup = lookup;
});

test('connects to the checked address, even if the name leads elsewhere by then', async () => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
  let called = 0;
  const url = await serve((_request, response) => {
    called += 1;
    response.end();
  });
  // The system resolves this name to 127.0.0.1, where the server is. The check found an address without a server.
  resolver.lookup = async () => [{ address: '127.0.0.2' }];

  const { outcome } = await call(url.replace('127.0.0.1', 'localhost'));

  expect(outcome.kind).toBe('again');
  expect(called).toBe(0);
  resolver.lookup = lookup;
});

test('refuses a name that has come to lead into a private network since the last call', async () => {
  const hosts: (string | undefined)[] = [];
  const checked = await serve((request, response) => {
    hosts.push(request.headers.host);
    response.end();
  });
  const answers = [[{ address: '127.0.0.1' }], [{ address: '10.0.0.1' }]];
  resolver.lookup = async () => answers.shift() ?? [];
  const url = checked.replace('127.0.0.1', 'localhost');

  const first = await call(url);
  const second = await call(url);

  expect(first.outcome).toEqual({ kind: 'given' });
  expect(second.outcome.kind).toBe('lost');
  expect(hosts).toEqual([new URL(url).host]);
  resolver.lookup = lookup;
});
