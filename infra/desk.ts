import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import type { DeskFiles } from '../lib/http/desk.ts';

const directory = join(import.meta.dirname, '..', 'desk');

/** Bundles the desk: its page under the empty name, and its scripts and style sheet, whose names hold a hash of their content. */
export const bundleDesk = async (): Promise<DeskFiles> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    entryPoints: ['main.tsx', 'desk.css'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: directory,
    write: false,
    bundle: true,
    // A page that `pages.ts` imports later has a script of its own.
    splitting: true,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
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
  const main = entryOf('main.tsx');
  // The browser asks for the scripts that the first one imports without waiting for it.
  const preloads = main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="desk/${path}">`);
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
    .replace('{{style}}', entryOf('desk.css').name)
    .replace('{{script}}', main.name)
    .replace('{{preloads}}', preloads.join('\n    '));
  return { '': page, ...Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])) };
};
