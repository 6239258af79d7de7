import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from '../../lib/operator/stores.ts';
import { atEnd } from './at-end.ts';
import { seedResidents } from './residents.ts';
import { freshTable } from './service.ts';

/** Makes a directory that is removed at the end of the test file. */
export const tempDir = (): string => {
  const dir = join(tmpdir(), `sis-files-${randomUUID()}`);
  mkdirSync(dir);
  atEnd(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Makes a table with the residents and one empty store. Returns the store's id. */
export const freshStore = async (): Promise<string> => {
  await freshTable();
  await seedResidents();
  return (await createStore('Test store')).id;
};

/** The files of a directory, by name. */
export const filesOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir)
      .sort()
      .map((name) => [name, readFileSync(join(dir, name), 'utf8')]),
  );
