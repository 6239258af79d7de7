import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { coded, codeOf, countsOf, type House, houseOf, houses, service, testsOf } from '../support/houses.ts';

/** Checks the floor plan of docs/architecture.md by the imports, those of types included. */

const root = join(import.meta.dirname, '../..');

/** The rooms of each house, from the ground up: a room may import from itself and from those before it. */
const plan: Partial<Record<House, readonly string[]>> = {
  lib: [
    'ground',
    'lists',
    'routes',
    'table',
    'avatars',
    'catalogue',
    'store',
    'credit',
    'delivery',
    'vendor',
    'sale',
    'payout',
    'events',
    'http',
    'operator',
  ],
  deploy: ['launch', 'release'],
  'apps/cli': ['terminal', 'deployment', 'kinds', 'books', 'data', 'person', 'move', 'commands', 'program', 'ground'],
  local: ['engines', 'gateway', 'demo', 'pages', 'grid', 'start', 'deployed', 'ground'],
  proof: ['workload', 'bench', 'fuzz', 'load', 'model', 'simulation', 'upgrade', 'world', 'ground'],
};

/** The most arrows between the rooms of a house whose rooms are not a reader's only guide. */
const mostArrows = { 'apps/cli': 25, local: 12 };

/** The imports of each file: paths of files in the repository, and names of packages. */
type Imports = Record<string, readonly string[]>;

const specifier = /^(?:import|export)\b[^;']*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(specifier)]
    .map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
    .map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));

const isFile = (name: string): boolean => /\.tsx?$/.test(name);

/** The folder of a house that a file is in. The files directly in the house make a room too. */
const roomOf = (file: string): string => {
  const [first = '', ...rest] = file.slice(houseOf(file).length + 1).split('/');
  return rest.length === 0 ? 'ground' : first;
};

/** Reports an import from a room to one above it, and a file in no room. */
const faultsOfRoom = (file: string, imported: readonly string[]): string[] => {
  const house = houseOf(file);
  const rooms = house === '' ? undefined : plan[house];
  if (!rooms) return [];
  const place = rooms.indexOf(roomOf(file));
  if (place < 0) return [`${file} is in no room`];
  return imported
    .filter((other) => isFile(other) && houseOf(other) === houseOf(file) && rooms.indexOf(roomOf(other)) > place)
    .map((other) => `${file} imports ${other}, which is above it`);
};

const isOfOperator = (file: string): boolean => file.startsWith('lib/operator/');

/** Reports an import with which code that runs on Lambda would load code that does not. */
const faultOf = (file: string, imported: string): string | undefined => {
  if (isOfOperator(imported) && !isOfOperator(file)) return `${file} imports ${imported}, which no function may load`;
  if (!isFile(imported) || imported.startsWith('lib/')) return undefined;
  // A function that serves several endpoints imports theirs, which are in the folder with its name.
  if (file.startsWith('functions/') && imported.startsWith(file.replace(/\.ts$/, '/'))) return undefined;
  return `${file} imports ${imported}, which is outside of lib/`;
};

/** Every file that the functions or the operator's verbs load. */
const reachable = (imports: Imports): Set<string> => {
  const isFirst = (file: string) => file.startsWith('functions/') || isOfOperator(file);
  const reached = new Set(Object.keys(imports).filter(isFirst));
  // The loop over a set also reaches elements that it adds.
  for (const file of reached) for (const imported of imports[file] ?? []) if (isFile(imported)) reached.add(imported);
  return reached;
};

const faultsOf = (imports: Imports): string[] => {
  const reached = reachable(imports);
  return Object.entries(imports).flatMap(([file, imported]) => [
    ...imported.flatMap((other) => faultOf(file, other) ?? []),
    ...faultsOfRoom(file, imported),
    ...(reached.has(file) ? [] : [`${file} is reached from no function, and from no verb of the operator`]),
  ]);
};

const importsOfAll = (files: readonly string[]): Imports =>
  Object.fromEntries(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]));

const files = codeOf('lib', 'functions');
const imports = importsOfAll(files);

test(`no import of lib/ leads upward or out of it, functions import lib/ alone, and all of lib/ is reached (${countsOf(files)})`, () => {
  expect(Object.values(imports).flat().filter(isFile).length).toBeGreaterThan(300);
  expect(faultsOf(imports)).toEqual([]);
});

const importsOfCode = importsOfAll(codeOf(...coded));

test(`no room of a house imports from one above it, and every file is in a room (${countsOf(Object.keys(importsOfCode))})`, () => {
  const faults = (imports: Imports): string[] =>
    Object.entries(imports).flatMap(([file, imported]) => faultsOfRoom(file, imported));
  const planted = {
    'apps/cli/kinds/a.ts': ['apps/cli/commands/b.ts'],
    'local/c.ts': ['local/start/d.ts'],
    'proof/tools/e.ts': [],
  };

  expect(faults(importsOfCode)).toEqual([]);
  expect(faults(planted)).toEqual([
    'apps/cli/kinds/a.ts imports apps/cli/commands/b.ts, which is above it',
    'proof/tools/e.ts is in no room',
  ]);
});

test.each(Object.entries(mostArrows))('%s/ has at most %i arrows between its rooms', (house, most) => {
  const arrows = Object.entries(importsOfCode).flatMap(([file, imported]) =>
    imported
      .filter((other) => houseOf(file) === house && houseOf(other) === house && isFile(other))
      .map((other) => [roomOf(file), roomOf(other)] as const)
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => `${from} -> ${to}`),
  );

  expect(new Set(arrows).size).toBeGreaterThan(5);
  expect(new Set(arrows).size).toBeLessThanOrEqual(most);
});

/** The place of a file's house from the ground up; -1 for a file beside the houses. */
const placeOf = (file: string): number => (houses as readonly string[]).indexOf(houseOf(file));

/** Tells of an import from a house to one above it. */
const faultsOfHouse = (imports: Imports): string[] =>
  Object.entries(imports).flatMap(([file, imported]) =>
    imported
      .filter((other) => placeOf(other) > placeOf(file))
      .map((other) => `${file} imports ${other}, of a house above it`),
  );

test('no house imports from one above it: the service stands alone', () => {
  const above: Partial<Record<House, string>> = {
    lib: 'apps/cli/kinds/sales.ts',
    functions: 'apps/shared/csv.ts',
    infra: 'apps/cli/data/csv.ts',
    local: 'deploy/launch/build.ts',
    'apps/client': 'apps/reference/types.ts',
    'apps/cli': 'test/support/service.ts',
    deploy: 'proof/workload/book.ts',
  };
  const planted = Object.entries(above).map(([house, other]) => [`${house}/planted.ts`, [other]] as const);

  expect(faultsOfHouse(importsOfCode)).toEqual([]);
  expect(faultsOfHouse(Object.fromEntries(planted))).toEqual(
    planted.map(([file, [other]]) => `${file} imports ${other}, of a house above it`),
  );
});

/** Reports an import with which a test of the service, or what such tests share, loads something of another house. */
const faultsOfTests = (imports: Imports): string[] =>
  Object.entries(imports).flatMap(([file, imported]) =>
    imported
      .filter((other) => houseOf(other) !== '' && !service.some((house) => house === houseOf(other)))
      .map((other) => `${file} imports ${other}, which is not the service`),
  );

const serviceTests = testsOf('test');

test(`the tests of the service import the service alone (${countsOf(serviceTests)})`, () => {
  const planted = {
    'test/lib/a.test.ts': ['apps/cli/kinds/sales.ts', 'lib/clock.ts', 'vitest'],
    'test/support/b.ts': ['proof/fuzz/checks.ts', 'local/grid/grid.ts'],
    'test/infra/c.test.ts': ['deploy/test/launch-file.ts', 'docs/test/words.ts', 'package.json'],
  };

  expect(faultsOfTests(importsOfAll(serviceTests))).toEqual([]);
  expect(faultsOfTests(planted)).toEqual([
    'test/lib/a.test.ts imports apps/cli/kinds/sales.ts, which is not the service',
    'test/support/b.ts imports proof/fuzz/checks.ts, which is not the service',
    'test/infra/c.test.ts imports deploy/test/launch-file.ts, which is not the service',
    'test/infra/c.test.ts imports docs/test/words.ts, which is not the service',
  ]);
});

/** The things whose imports lead back to themselves through another thing. */
const circular = (imports: Imports, thingOf: (file: string) => string): string[] => {
  const beyond = new Map<string, Set<string>>();
  for (const [file, others] of Object.entries(imports))
    for (const other of others.filter((name) => isFile(name) && thingOf(name) !== thingOf(file)))
      beyond.set(thingOf(file), (beyond.get(thingOf(file)) ?? new Set()).add(thingOf(other)));
  return [...beyond.keys()].filter((thing) => {
    const reached = new Set(beyond.get(thing));
    // The loop over a set also reaches elements that it adds.
    for (const next of reached) for (const further of beyond.get(next) ?? []) reached.add(further);
    return reached.has(thing);
  });
};

test('no house imports itself through another', () => {
  const planted = { ...importsOfCode, 'lib/planted.ts': ['local/gateway/gateway.ts'] };

  expect(circular(importsOfCode, houseOf)).toEqual([]);
  expect(circular(planted, houseOf)).toEqual(expect.arrayContaining(['lib', 'local']));
});

test('no file imports itself through another', () => {
  const planted = { ...importsOfCode, 'lib/clock.ts': ['lib/table/table.ts'] };

  expect(circular(importsOfCode, (file) => file)).toEqual([]);
  expect(circular(planted, (file) => file)).toContain('lib/clock.ts');
});

/** The words in code of a text. */
const inCode = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');

test('the documents list the rooms as they are', () => {
  const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const subgraph = /subgraph lib.*\n((?:.|\n)*?)\n {2}end/.exec(architecture)?.[1] ?? '';
  const drawn = [...subgraph.matchAll(/(?:^|--> )\s*(\w+)\[/gm)].map(([, room]) => room);

  expect(drawn.sort()).toEqual([...(plan.lib ?? [])].sort());
  for (const house of ['lib', 'apps/cli', 'deploy', 'local', 'proof'] as const) {
    const folders = readdirSync(join(root, house), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'test')
      .filter(({ name }) => globSync('**/*.ts', { cwd: join(root, house, name) }).length > 0)
      .map(({ name }) => name);
    const row = contributing.split('\n').find((line) => line.startsWith(`| \`${house}/\` |`)) ?? '';

    expect([house, inCode(row.split('Rooms: ')[1] ?? '').sort()]).toEqual([house, folders.sort()]);
    expect(folders.sort()).toEqual([...(plan[house] ?? [])].filter((room) => room !== 'ground').sort());
  }
});

test('a folder of tests has the name of a folder of code, or spans them all', () => {
  const spanning = ['contract', 'cost', 'extensions', 'house', 'security', 'support'];
  const folders = readdirSync(join(root, 'test'), { withFileTypes: true });

  expect(folders.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
  for (const { name } of folders.filter(({ name }) => !spanning.includes(name)))
    expect([name, existsSync(join(root, name))]).toEqual([name, true]);
  const rooms: [string, House][] = [
    ['test/lib', 'lib'],
    ['test/local', 'local'],
    ['apps/cli/test', 'apps/cli'],
  ];
  for (const [folder, house] of rooms)
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).filter((e) => e.isDirectory()))
      expect(['support', ...(plan[house] ?? [])]).toContain(entry.name);
});

test('the desk imports itself, the client, the scripts inworld, pure rules of files and texts, Preact and icons alone, and only tests import the desk', () => {
  const arrows = Object.entries(importsOfCode).flatMap(([file, imported]) =>
    imported.map((other) => [file, other] as const),
  );
  const isOfDesk = (name: string): boolean => houseOf(name) === 'apps/desk' && !name.startsWith('apps/desk/test/');
  const rules = /^apps\/shared\//;
  const allowed =
    /^(?:apps\/(?:desk\/.*|client\/client\.ts|inworld\/\w+\.lsl)|lib\/(?:normalise|price|product-rules|routes\/(?:key-presets|scopes))\.ts|preact|preact\/hooks|lucide\/dist\/esm\/icons\/[a-z-]+\.mjs)$/;

  const fromDesk = arrows.filter(([file]) => isOfDesk(file));
  expect(fromDesk.length).toBeGreaterThan(50);
  expect(fromDesk.filter(([, imported]) => !allowed.test(imported) && !rules.test(imported))).toEqual([]);
  // A browser has neither packages of the command nor Node.
  const ofRules = arrows.filter(([file]) => rules.test(file)).map(([, imported]) => imported);
  const pure = ['copied-name', 'nearest', 'plain-cell'].map((name) => `apps/shared/${name}.ts`);
  expect([...new Set(ofRules)].sort()).toEqual(pure);
  for (const file of [...ofRules, 'lib/normalise.ts', 'lib/price.ts']) expect(importsOfCode[file]).toEqual([]);
  expect(importsOfCode['lib/product-rules.ts']).toEqual(['lib/normalise.ts']);
  expect(arrows.filter(([file, imported]) => !isOfDesk(file) && isOfDesk(imported))).toEqual([]);
});

test('the customer’s page imports itself, the types of the client, Preact and icons alone, and only tests import it', () => {
  const isOfPage = (name: string): boolean => houseOf(name) === 'apps/page';
  const allowed =
    /^(?:apps\/(?:page\/.*|client\/types\.ts)|preact|preact\/hooks|lucide\/dist\/esm\/icons\/[a-z0-9-]+\.mjs)$/;
  const fromPage = Object.entries(importsOfCode).filter(([file]) => isOfPage(file));

  expect(fromPage.length).toBeGreaterThan(20);
  expect(fromPage.flatMap(([, imported]) => imported).filter((name) => !allowed.test(name))).toEqual([]);
  expect(
    Object.entries(importsOfCode).filter(([file, imported]) => !isOfPage(file) && imported.some(isOfPage)),
  ).toEqual([]);
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
    "const { a } = await import('../../local/ask.ts');",
    'lib/table/table.ts imports local/ask.ts, which is outside of lib/',
  ],
  ["type A = import('../http/body.ts').A;", 'lib/table/table.ts imports lib/http/body.ts, which is above it'],
  [
    "import { createStore } from '../operator/stores.ts';",
    'lib/table/table.ts imports lib/operator/stores.ts, which no function may load',
  ],
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
      'lib/utils/all.ts is reached from no function, and from no verb of the operator',
      'functions/unknown.ts imports local/start/own.ts, which is outside of lib/',
    ]),
  );
});
