import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { incrementCredit } from '../../lib/routes/credit.ts';
import { createBook } from '../workload/book.ts';
import { send } from '../workload/client.ts';
import { memoryFaults } from './memory.ts';
import { createRecorder } from './recorder.ts';

test('finds growing memory, and a run that is too short to compare', () => {
  const faultsOfMemory = (seconds: number, early: [number, number], late: [number, number]) =>
    memoryFaults({
      seconds,
      early: { rss: early[0], heapUsed: early[1] },
      late: { rss: late[0], heapUsed: late[1] },
    });

  expect(faultsOfMemory(900, [400, 36], [500, 38])).toEqual([]);
  expect(faultsOfMemory(900, [400, 36], [418, 46])).toEqual(['the heap grew from 36 MB to 46 MB']);
  expect(faultsOfMemory(900, [400, 36], [501, 36])).toEqual(['the process grew from 400 MB to 501 MB']);
  expect(faultsOfMemory(60, [204, 36], [276, 36])).toEqual([]);
  expect(faultsOfMemory(60, [204, 36], [356, 36])).toEqual(['the process grew from 204 MB to 356 MB']);
  expect(faultsOfMemory(9, [400, 0], [418, 36])).toEqual(['9 s are too short a life to compare memory in']);
});

/** A service that gives these answers, the last one from then on. */
const startAnswering = async (...answers: [number, object][]) => {
  const server = createServer((request, response) => {
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) as [number, object];
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const recorder = createRecorder();
  const book = createBook();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    service: { baseUrl: () => baseUrl, key: '', book, patienceMillis: 60_000, ...recorder },
    recorder,
    book,
    server,
  };
};

test('the report has the longest row of refusals of one request, and the longest wait', async () => {
  const { service, recorder, book, server } = await startAnswering(
    [503, {}],
    [500, {}],
    [503, {}],
    [503, {}],
    [400, {}],
  );

  await send(service, incrementCredit, { params: { identifier: 'a' }, body: { delta: 1 }, expect: [400] });
  server.close();

  const { worst } = recorder.summary();
  expect(book.faults).toEqual([]);
  expect(worst.refusalsInARow).toEqual({ count: 2, endpoint: incrementCredit.id });
  expect(worst.wait).toMatchObject({ endpoint: incrementCredit.id, heard: { 400: 1, 500: 1, 503: 3 } });
  expect(worst.wait.seconds).toBeGreaterThan(1);
});
