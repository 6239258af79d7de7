import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImportOptions, type ImportReport, importFile } from '../../cli/data/import.ts';
import { importFiles } from '../../cli/kinds/kinds.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { atEnd } from './at-end.ts';
import { kindOf } from './kinds.ts';
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

/** Imports a file with these contents; its name says its kind and format. */
export const importText = (
  store: string,
  dir: string,
  name: string,
  contents: string | Buffer,
  options?: ImportOptions,
): Promise<ImportReport> => {
  const path = join(dir, name);
  writeFileSync(path, contents);
  return importFile(kindOf(name.slice(0, name.indexOf('.'))), store, path, options);
};

/** The files of a directory, by name. */
export const filesOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir)
      .sort()
      .map((name) => [name, readFileSync(join(dir, name), 'utf8')]),
  );

/** Imports every file of an export in the order in which kinds refer to each other. */
export const importAll = async (store: string, dir: string, format = 'csv'): Promise<ImportReport[]> => {
  const reports: ImportReport[] = [];
  for (const kind of importFiles) reports.push(await importFile(kind, store, join(dir, `${kind.name}.${format}`)));
  return reports;
};
