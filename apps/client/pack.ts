import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** `npm run client`: writes the client as a package for Node.js and browsers into the directory where it was called. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The modules whose declarations hold everything that the package exports. */
const modules = ['types', 'answer', 'operations', 'problem', 'webhook', 'client'];

/** Writes `index.d.ts`: the declarations of all modules in one file, which needs no types of Node.js. */
const writeTypes = (directory: string, exported: readonly string[]): void => {
  const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-7/package.json')));
  const options =
    '--ignoreConfig --declaration --emitDeclarationOnly --allowImportingTsExtensions --verbatimModuleSyntax';
  const target = '--module nodenext --target es2022 --lib es2022,dom --strict --exactOptionalPropertyTypes';
  const out = mkdtempSync(join(tmpdir(), 'client-types-'));
  execFileSync(
    process.execPath,
    [tsc, 'apps/client/client.ts', ...`${options} ${target}`.split(' '), '--outDir', out],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  const declarations = modules.map((name) => readFileSync(join(out, `${name}.d.ts`), 'utf8'));
  rmSync(out, { recursive: true });
  const fromOthers = /^(?:import|export) [^;]* from '\.\/\w+\.ts';\n/gm;
  const values = /^export (declare const|declare class) (\w+)/gm;
  const text = declarations
    .join('')
    .replace(fromOthers, '')
    .replace(values, (line, kind, name) => (exported.includes(name) ? line : `${kind} ${name}`));
  writeFileSync(join(directory, 'index.d.ts'), text);
};

/** Writes the files of the package into an empty directory. */
const writePackage = async (directory: string): Promise<void> => {
  const { version, license } = JSON.parse(readText('package.json'));
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: ['apps/client/client.ts'],
    outfile: join(directory, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
  });
  writeTypes(directory, Object.values(metafile.outputs)[0]?.exports ?? []);
  const manifest = {
    name: 'store-integration-client',
    version,
    description: 'The typed client of the Store Integration Service.',
    license,
    type: 'module',
    exports: { types: './index.d.ts', default: './index.js' },
    types: './index.d.ts',
    sideEffects: false,
    engines: { node: '>=20.3' },
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  // The other documents are not part of the package.
  const guide = readText('docs/guides/client.md').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  writeFileSync(join(directory, 'README.md'), guide);
};

const directory = mkdtempSync(join(tmpdir(), 'client-package-'));
await writePackage(directory);
execFileSync('npm', ['pack', '--silent', directory], { stdio: 'inherit', shell: process.platform === 'win32' });
rmSync(directory, { recursive: true });
