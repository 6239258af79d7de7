import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { customerPage, type DeskFiles, noticesName } from '../lib/http/desk.ts';
import packageFile from '../package.json' with { type: 'json' };
import { noticesOf } from './notices.ts';

const apps = join(import.meta.dirname, '../apps');

/** The script and the style sheet that a page names, from its house. */
interface Entry {
  house: string;
  script: string;
  style: string;
}

const entries = {
  deployed: { house: 'desk', script: 'main.tsx', style: 'desk.css' },
  /** The desk with the pages for developers, which call the tools of the local service. */
  local: { house: 'desk', script: 'developer/main.tsx', style: 'developer/developer.css' },
  customer: { house: 'page', script: 'page.tsx', style: 'page.css' },
} satisfies Record<string, Entry>;

/** The page with the names of its files. */
const pageOf = ({ house, script, style }: Entry, outputs: Metafile['outputs']): string => {
  const entryOf = (source: string) => {
    const [name, output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (name === undefined || !output) throw new Error(`The ${house} has no file made of ${source}.`);
    return { name, imports: output.imports };
  };
  const main = entryOf(script);
  // The browser loads these scripts at once, rather than when the first script imports them.
  const preloads = main.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="desk/${path}">`);
  return readFileSync(join(apps, house, 'index.html'), 'utf8')
    .replace('{{style}}', entryOf(style).name)
    .replace('{{script}}', main.name)
    .replace('{{preloads}}', preloads.join('\n    '));
};

/** Bundles a page: its text, its files under names with a hash of their content, and the paths of their sources. */
const bundlePage = async (entry: Entry, target: string[], releases = '') => {
  const directory = join(apps, entry.house);
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [entry.script, entry.style],
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
    target,
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
  return {
    page: pageOf(entry, metafile.outputs),
    files: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
    inputs: Object.keys(metafile.inputs).map((path) => join(directory, path)),
  };
};

/** The viewers of virtual worlds have browsers within, which are older than those beside them. */
const targets = {
  desk: ['es2023', 'chrome123', 'firefox125', 'safari17.5'],
  customer: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
};

/**
 * Bundles the desk and the customer's page: the desk's page under the empty name, the customer's under its path, and
 * their scripts and style sheets under names with a hash of their content. `releases` is the address that the Help page
 * asks for the number of the newest release.
 */
export const bundleDesk = async (of: 'deployed' | 'local' = 'deployed', releases = ''): Promise<DeskFiles> => {
  const [desk, customer] = await Promise.all([
    bundlePage(entries[of], targets.desk, releases),
    bundlePage(entries.customer, targets.customer),
  ]);
  return {
    '': desk.page,
    [customerPage]: customer.page,
    [noticesName]: noticesOf('The desk and the page of customers are made with these packages.', [
      ...desk.inputs,
      ...customer.inputs,
    ]),
    ...desk.files,
    ...customer.files,
  };
};
