import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import type { DeskFiles } from '../lib/http/desk.ts';

const directory = join(import.meta.dirname, '..', 'desk');

/** Bundles the desk: its page under the empty name, and a script and a style sheet whose names hold a hash of their content. */
export const bundleDesk = async (): Promise<DeskFiles> => {
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: ['main.tsx', 'desk.css'],
    entryNames: '[name]-[hash]',
    outdir: directory,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // API Gateway passes text on, so the script needs no escapes.
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files: DeskFiles = {};
  const nameOf = (ending: string): string => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending));
    if (!file) throw new Error(`The desk has no ${ending} file.`);
    files[basename(file.path)] = file.text;
    return basename(file.path);
  };
  const names = { style: nameOf('.css'), script: nameOf('.js') };
  const page = readFileSync(join(directory, 'index.html'), 'utf8');
  return { '': page.replace('{{style}}', names.style).replace('{{script}}', names.script), ...files };
};
