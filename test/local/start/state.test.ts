import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataDir, type ServiceFile } from '../../../local/start/state.ts';
import { atEnd } from '../../support/at-end.ts';

/** The files that the local service keeps beside its data. */

const service = (name: string) => ({ baseUrl: 'http://127.0.0.1:1', store: { id: 'Store', name } }) as ServiceFile;

test('who reads service.json while it is written anew reads it as it was, whole', () => {
  const dir = mkdtempSync(join(tmpdir(), 'store-state-'));
  atEnd(() => rmSync(dir, { recursive: true, force: true }));
  const files = openDataDir(dir, { reset: false, memory: false });
  files.writeService(service('before'));
  const reader = openSync(join(dir, 'service.json'), 'r');

  files.writeService(service('after'));
  const read = readFileSync(reader, 'utf8');
  closeSync(reader);

  expect(JSON.parse(read)).toEqual(service('before'));
  expect(JSON.parse(readFileSync(join(dir, 'service.json'), 'utf8'))).toEqual(service('after'));
});
