import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build, type Format, type Plugin, transform } from 'esbuild';
import { routes } from '../lib/routes/routes.ts';

const root = join(import.meta.dirname, '..');

/** Every entry under `functions/`: the ids of the route table, and the functions that no route calls. */
export const entries = (): string[] =>
  globSync('**/*.ts', { cwd: join(root, 'functions') })
    .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
    .sort();

/** Where an entry's bundle lies: a directory of its own, with nothing else in it. */
export const bundleDir = (outDir: string, entry: string): string => join(outDir, entry);

/** The facts of the rows that the authorizer needs. */
export const authorizerRows = routes.map(({ method, path, scope }) => ({ method, path, scope }));

/**
 * The authorizer stands before every call and asks the table of routes for scopes alone: its bundle gets those as plain
 * data. With the rows would come their schemas, forty endpoints' worth, which take as long to load as all the rest.
 */
const rowsForAuthorizer: Plugin = {
  name: 'rows-for-authorizer',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/lib\/routes\/routes\.ts$/ }, ({ path, importer }) =>
      importer === join(root, 'functions', 'authorizer.ts') ? { path, namespace: 'authorizer-rows' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'authorizer-rows' }, () => ({
      contents: `export const routes = ${JSON.stringify(authorizerRows)};`,
    }));
  },
};

/** A constant other than a function, as esbuild prints it: its parts are indented, and the next statement begins a line. */
const constant = /^((?:export )?const \w+ = )(\w+\b(?! =>)[\s\S]*?);$(?=\n[\w/]|\s*$(?![\s\S]))/gm;

/** A text for the API reference. */
const description = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[\w\s+])+\)/g;

/**
 * A function needs its own row alone, without the texts. Making a schema is a call, which esbuild keeps even where nothing
 * uses the schema; so each constant of `lib/routes/` becomes a call that is marked pure, and the texts are left out.
 */
const ownRowOnly: Plugin = {
  name: 'own-row-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]lib[/\\]routes[/\\][\w-]+\.ts$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', target: 'node24' });
      const bare = code.replace(description, '');
      return { contents: bare.replace(constant, '$1/* @__PURE__ */ (() => $2)();'), loader: 'js' };
    });
  },
};

interface BundleOptions {
  format?: Format;
  /** Where the entries lie. */
  dir?: string;
  /** Keeps the SDK's own provider of credentials. */
  allCredentials?: boolean;
}

/**
 * Bundles entries, all in one run of esbuild: each into one minified file `index`, the SDK included. CommonJS, since
 * that loads faster: see docs/adr/0006-bundles.md.
 */
export const bundle = (
  outDir: string,
  names: readonly string[],
  { format = 'cjs', dir = join(root, 'functions'), allCredentials = false }: BundleOptions = {},
): Promise<BuildResult<{ metafile: true }>> =>
  build({
    absWorkingDir: root,
    entryPoints: names.map((name) => ({
      in: join(dir, `${name}.ts`),
      out: join(bundleDir(outDir, name), 'index'),
    })),
    outdir: outDir,
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format,
    // The SDK's modules are shaken better than its CommonJS files.
    mainFields: ['module', 'main'],
    alias: allCredentials ? {} : { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
    plugins: [rowsForAuthorizer, ownRowOnly],
    outExtension: { '.js': format === 'cjs' ? '.cjs' : '.mjs' },
    // In a module, what the SDK still requires has to be given a `require`.
    ...(format === 'esm' && {
      banner: {
        js: "import{createRequire as makeRequire_}from'node:module';const require=makeRequire_(import.meta.url);",
      },
    }),
    logLevel: 'warning',
  });
