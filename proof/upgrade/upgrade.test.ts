import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getStore } from '../../lib/routes/store.ts';
import { tempDir } from '../../test/support/files.ts';
import { createBook } from '../workload/book.ts';
import { type Service, send } from '../workload/client.ts';
import { receiverFaults } from './checks.ts';
import { answersOf, commitOf, sourceOf, unpack } from './releases.ts';

/** The parts of `npm run upgrade`, which takes minutes as a whole. */

test('a check tells of each event that did not reach the receiver', () => {
  const listed = [
    { id: '1', type: 'sale.completed' },
    { id: '2', type: 'credit.changed' },
    { id: '3', type: 'product.changed' },
  ];

  expect(receiverFaults(listed, new Set(['1', '2']))).toEqual([]);
  expect(receiverFaults(listed, new Set(['2', '4']))).toEqual([
    'for the receiver, the event 1 is lost',
    'for the receiver, the event 4 is there, and nobody asked for it',
  ]);
});

test('an answer may have the shape of the earlier version while that may answer, and no other', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'lib/routes'), { recursive: true });
  const row = `{ method: '${getStore.method}', path: '${getStore.path}', response: z.object({ before: z.int() }) }`;
  writeFileSync(
    join(dir, 'lib/routes/routes.ts'),
    `import * as z from '${import.meta.resolve('zod')}';\nexport const routes = [${row}];`,
  );
  const earlier = await answersOf(dir);
  const faultsAfter = async (answer: object, more: Pick<Service, 'earlier'>): Promise<number> => {
    const book = createBook();
    const server = createServer((_, response) => response.end(JSON.stringify(answer))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await send({ baseUrl, key: 'key', book, patienceMillis: 1000, ...more }, getStore);
    server.close();
    server.closeAllConnections();
    return book.faults.length;
  };

  expect(await faultsAfter({ before: 1 }, { earlier })).toBe(0);
  expect(await faultsAfter({ before: 1 }, {})).toBe(1);
  expect(await faultsAfter({ before: 'x' }, { earlier })).toBe(1);
});

test('the last release is the last tag, and a clone that lacks it says what to do', async () => {
  const dir = tempDir();
  const git = (cwd: string, ...args: string[]): string =>
    String(execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd })).trim();
  const [origin, shallow, none] = [join(dir, 'origin'), join(dir, 'shallow'), join(dir, 'none')];
  git(dir, 'init', '-q', origin);
  for (const name of ['one', 'two', 'three']) {
    writeFileSync(join(origin, 'file'), name);
    git(origin, 'add', '.');
    git(origin, 'commit', '-qm', name);
    if (name === 'two') git(origin, 'tag', 'v1');
  }
  git(dir, 'clone', '-q', '--depth', '1', `file://${origin}`, shallow);

  expect(await commitOf(undefined, origin)).toBe(git(origin, 'rev-parse', 'HEAD~1'));
  expect(await commitOf('HEAD', origin)).toBe(git(origin, 'rev-parse', 'HEAD'));
  await expect(commitOf(undefined, shallow)).rejects.toThrow('git fetch --unshallow --tags');
  await expect(commitOf('nowhere', origin)).rejects.toThrow('no commit nowhere');
  await expect(commitOf(undefined, none)).rejects.toThrow('no clone of the repository');
});

test("a version to update from may be a release's source archive", async () => {
  const dir = tempDir();
  const [source, unpacked, archive] = [join(dir, 'source'), join(dir, 'unpacked'), join(dir, 'service-1.2.0.tar.gz')];
  for (const each of [source, unpacked]) mkdirSync(each);
  writeFileSync(join(source, 'package.json'), 'released');
  execFileSync('tar', ['-czf', archive, '-C', dir, 'source']);

  await unpack(await sourceOf(archive), unpacked);

  expect(readFileSync(join(unpacked, 'package.json'), 'utf8')).toBe('released');
  await expect(sourceOf(join(dir, 'other.tar.gz'))).rejects.toThrow('There is no file');
});
