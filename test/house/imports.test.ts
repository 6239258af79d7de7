import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Checks the floor plan of docs/architecture.md by the imports, those of types included. */

const root = join(import.meta.dirname, '../..');

/** The rooms of `lib/`, from the ground up: each may import from itself and from those before it. */
const rooms = ['ground', 'lists', 'routes', 'table', 'store', 'credit', 'delivery', 'sale', 'events', 'http'];

/** The imports of each file: paths of files in the repository, and names of packages. */
type Imports = Record<string, readonly string[]>;

const specifier = /^(?:import|export)\b[^;']*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(specifier)]
    .map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
    .map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));

const isFile = (name: string): boolean => /\.tsx?$/.test(name);

const roomOf = (file: string): string => (file.split('/').length === 2 ? 'ground' : (file.split('/')[1] ?? ''));

const faultOf = (file: string, imported: string): string | undefined => {
  if (!isFile(imported)) return undefined;
  const arrow = `${file} imports ${imported}`;
  // A function that serves several endpoints imports theirs, which lie in the folder of its name.
  if (file.startsWith('functions/') && imported.startsWith(file.replace(/\.ts$/, '/'))) return undefined;
  if (!imported.startsWith('lib/')) return `${arrow}, which is outside of lib/`;
  if (!file.startsWith('lib/')) return undefined;
  return rooms.indexOf(roomOf(imported)) > rooms.indexOf(roomOf(file)) ? `${arrow}, which is above it` : undefined;
};

/** Every file that the functions load. */
const reachable = (imports: Imports): Set<string> => {
  const reached = new Set(Object.keys(imports).filter((file) => file.startsWith('functions/')));
  // The loop over a set also reaches elements that it adds.
  for (const file of reached) for (const imported of imports[file] ?? []) if (isFile(imported)) reached.add(imported);
  return reached;
};

const faultsOf = (imports: Imports): string[] => {
  const reached = reachable(imports);
  return Object.entries(imports).flatMap(([file, imported]) => [
    ...imported.flatMap((other) => faultOf(file, other) ?? []),
    ...(file.startsWith('lib/') && !rooms.includes(roomOf(file)) ? [`${file} is in no room`] : []),
    ...(reached.has(file) ? [] : [`${file} is reached from no function`]),
  ]);
};

const files = globSync('{lib,functions}/**/*.ts', { cwd: root });
const imports: Imports = Object.fromEntries(
  files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
);

test('no import of lib/ leads upward or out of it, functions import lib/ alone, and all of lib/ is reached', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(Object.values(imports).flat().filter(isFile).length).toBeGreaterThan(300);
  expect(faultsOf(imports)).toEqual([]);
});

/** The folders at the root from which imports lead back to the same folder. */
const circular = (imports: Imports): string[] => {
  const folderOf = (file: string): string => file.split('/')[0] ?? '';
  const arrows = Object.entries(imports).flatMap(([file, others]) =>
    others.filter(isFile).map((other) => [folderOf(file), folderOf(other)] as const),
  );
  const beyond = (folder: string): string[] =>
    arrows.filter(([from, to]) => from === folder && to !== from).map(([, to]) => to);
  return [...new Set(arrows.map(([from]) => from))].filter((folder) => {
    const reached = new Set(beyond(folder));
    // The loop over a set also reaches elements that it adds.
    for (const next of reached) for (const further of beyond(next)) reached.add(further);
    return reached.has(folder);
  });
};

test('no folder imports itself through another', () => {
  const all = globSync('{cli,client,desk,functions,infra,lib,local,proof,reference}/**/*.{ts,tsx}', { cwd: root });
  const importsOfAll: Imports = Object.fromEntries(
    all.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
  );
  const planted = { ...importsOfAll, 'cli/planted.ts': ['local/gateway/gateway.ts'] };

  expect(circular(importsOfAll)).toEqual([]);
  expect(circular(planted)).toEqual(expect.arrayContaining(['cli', 'local']));
});

test('the desk imports itself, the client and Preact alone, and nothing but tests imports the desk', () => {
  const all = globSync('{cli,client,desk,functions,infra,lib,local,proof,reference}/**/*.{ts,tsx}', { cwd: root });
  const arrows = all.flatMap((file) =>
    importsOf(file, readFileSync(join(root, file), 'utf8')).map((imported) => [file, imported] as const),
  );
  const isOfDesk = (name: string): boolean => name.startsWith('desk/');
  const allowed = /^(?:desk\/.*|client\/client\.ts|preact|preact\/hooks)$/;

  const fromDesk = arrows.filter(([file]) => isOfDesk(file));
  expect(fromDesk.length).toBeGreaterThan(50);
  expect(fromDesk.filter(([, imported]) => !allowed.test(imported))).toEqual([]);
  expect(arrows.filter(([file, imported]) => !isOfDesk(file) && isOfDesk(imported))).toEqual([]);
});

test('lib/ and functions/ import packages that are dependencies of the service', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packages = new Set(
    Object.values(imports)
      .flat()
      .filter((name) => !isFile(name) && !name.startsWith('node:'))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
  );

  // This package has only types.
  packages.delete('aws-lambda');
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
});

test.each([
  ["import type { A } from '../http/request.ts';", 'lib/table/table.ts imports lib/http/request.ts, which is above it'],
  [
    "export {\n  a,\n  b,\n} from '../store/stores.ts';",
    'lib/table/table.ts imports lib/store/stores.ts, which is above it',
  ],
  [
    "const { a } = await import('../../cli/ask.ts');",
    'lib/table/table.ts imports cli/ask.ts, which is outside of lib/',
  ],
  ["type A = import('../http/body.ts').A;", 'lib/table/table.ts imports lib/http/body.ts, which is above it'],
  ["import '../../local/start/own.ts';", 'lib/table/table.ts imports local/start/own.ts, which is outside of lib/'],
])('finds %j where it is planted', (line, fault) => {
  const file = 'lib/table/table.ts';

  expect(faultsOf({ ...imports, [file]: [...(imports[file] ?? []), ...importsOf(file, line)] })).toContain(fault);
});

test('finds a file that nothing uses, and a room that is not in the plan', () => {
  const planted = { ...imports, 'lib/utils/all.ts': [], 'functions/unknown.ts': ['local/start/own.ts'] };

  expect(faultsOf(planted)).toEqual(
    expect.arrayContaining([
      'lib/utils/all.ts is in no room',
      'lib/utils/all.ts is reached from no function',
      'functions/unknown.ts imports local/start/own.ts, which is outside of lib/',
    ]),
  );
});
