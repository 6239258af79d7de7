import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { type DeskFiles, noticesName } from '../lib/http/desk.ts';
import packageFile from '../package.json' with { type: 'json' };

const directory = join(import.meta.dirname, '../apps/desk');

/** The script and the style sheet that the page names. */
const entries = {
  deployed: { script: 'main.tsx', style: 'desk.css' },
  /** The desk with the pages for developers, which call the tools of the local service. */
  local: { script: 'developer/main.tsx', style: 'developer/developer.css' },
};

/** The licences of the packages in the bundles, which must go with every copy. Throws for a package without one. */
const noticesOf = (inputs: Metafile['inputs']): string => {
  const packageOf = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  const roots = new Set(Object.keys(inputs).flatMap((file) => packageOf.exec(file) ?? []));
  const notices = [...roots].sort().map((path) => {
    const root = join(directory, path);
    const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const files = readdirSync(root).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
    if (files.length === 0) throw new Error(`The desk is made with ${name}, which has no licence file.`);
    const texts = files.map((file) => readFileSync(join(root, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  return ['The desk is made with these packages.', ...notices, ''].join('\n\n');
};

/**
 * Bundles the desk: its page under the empty name, and its scripts and style sheet under names with a hash of their
 * content. `releases` is the address that the Help page asks for the number of the newest release.
 */
export const bundleDesk = async (of: keyof typeof entries = 'deployed', releases = ''): Promise<DeskFiles> => {
  const { script, style } = entries[of];
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [script, style],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: directory,
    write: false,
    bundle: true,
    // A page that `pages.ts` imports later gets a script of its own.
    splitting: true,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: {
      serviceVersion: JSON.stringify(packageFile.version),
      releasesAddress: JSON.stringify(releases),
    },
    // The scripts inworld, for people to copy.
    loader: { '.lsl': 'text' },
    // API Gateway passes text on, so the scripts need no escapes.
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const entryOf = (source: string) => {
    const [name, output] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (name === undefined || !output) throw new Error(`The desk has no file made of ${source}.`);
    return { name, imports: output.imports };
  };
  const main = entryOf(script);
  // The browser loads these scripts at once, rather than when the first script imports them.
  const preloads = main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="desk/${path}">`);
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
    .replace('{{style}}', entryOf(style).name)
    .replace('{{script}}', main.name)
    .replace('{{preloads}}', preloads.join('\n    '));
  return {
    '': page,
    [noticesName]: noticesOf(metafile.inputs),
    ...Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
  };
};
