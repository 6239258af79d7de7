import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import type { DeskFiles } from '../lib/http/desk.ts';

const directory = join(import.meta.dirname, '..', 'desk');

/** The script and the style sheet that the page names. */
const entries = {
  deployed: { script: 'main.tsx', style: 'desk.css' },
  /** With the pages for developers, which call the tools of the local service. */
  local: { script: 'developer/main.tsx', style: 'developer/developer.css' },
};

/** Bundles the desk: its page under the empty name, and its scripts and style sheet, whose names hold a hash of their content. */
export const bundleDesk = async (of: keyof typeof entries = 'deployed'): Promise<DeskFiles> => {
  const { script, style } = entries[of];
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [script, style],
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
  const main = entryOf(script);
  // The browser asks for the scripts that the first one imports without waiting for it.
  const preloads = main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="desk/${path}">`);
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
    .replace('{{style}}', entryOf(style).name)
    .replace('{{script}}', main.name)
    .replace('{{preloads}}', preloads.join('\n    '));
  return {
    '': page,
    ...Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
  };
};
