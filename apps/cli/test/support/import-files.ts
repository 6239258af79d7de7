import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportOptions, type ImportReport, importFile } from '../../data/import.ts';
import { importFiles } from '../../kinds/kinds.ts';
import { kindOf } from './kinds.ts';

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

/** Imports every file of an export in the order in which kinds refer to each other. */
export const importAll = async (store: string, dir: string, format = 'csv'): Promise<ImportReport[]> => {
  const reports: ImportReport[] = [];
  for (const kind of importFiles) reports.push(await importFile(kind, store, join(dir, `${kind.name}.${format}`)));
  return reports;
};
