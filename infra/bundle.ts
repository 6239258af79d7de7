import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build, type Plugin, transform } from 'esbuild';
import type { AuthorizedRow } from '../lib/routes/route.ts';
import { routes } from '../lib/routes/routes.ts';

const root = join(import.meta.dirname, '..');

/** Every entry under `functions/`: the ids of the route table, and the functions that no route calls. */
export const entries = (): string[] =>
  globSync('**/*.ts', { cwd: join(root, 'functions') })
    .map((file) => file.replaceAll('\\', '/').replace(/\.ts$/, ''))
    .sort();

/** The directory of an entry's bundle, which holds nothing else. */
export const bundleDir = (outDir: string, entry: string): string => join(outDir, entry);

/** The authorizer needs only these fields of the rows. */
export const authorizerRows = routes.map<AuthorizedRow>(({ method, path, scope, byInvitation, byPageCode }) => ({
  method,
  path,
  scope,
  ...(byInvitation && { byInvitation }),
  ...(byPageCode && { byPageCode }),
}));

/**
 * The authorizer runs before every call and needs only who may call the rows, so its bundle gets that as plain data.
 * The schemas of all rows would double the time that it takes to load.
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

/**
 * Matches a constant that is not a function, as esbuild prints it: its parts are indented, and the next statement
 * begins on a line of its own.
 */
const constant = /^((?:export )?const \w+ = )((?:\{|\w+\b(?! =>))[\s\S]*?);$(?=\n[\w/]|\s*$(?![\s\S]))/gm;

/** A text for the API reference. */
const description = /\.describe\((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[\w\s+])+\)/g;

/**
 * A function needs only its own row, without the texts of the reference. esbuild keeps each call that makes a schema,
 * even if nothing uses the schema. So this wraps each constant of `lib/routes/` in a call that is marked pure, and
 * removes the texts.
 */
const ownRowOnly: Plugin = {
  name: 'own-row-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]lib[/\\]routes[/\\][\w-]+\.ts$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', target: 'node24' });
      const bare = code.replace(description, '');
      return { contents: bare.replace(constant, '$1/* @__PURE__ */ (() => ($2))();'), loader: 'js' };
    });
  },
};

/** Leaves out zod's conversion to JSON Schema, a twentieth of a bundle. Only `apps/reference/` uses it. */
const noJsonSchema: Plugin = {
  name: 'no-json-schema',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]core[/\\](?:to-json-schema|json-schema-processors)\.js$/ }, () => ({
      // In CommonJS a missing name is looked up when it is used, which never happens.
      contents: 'exports.createToJSONSchemaMethod = exports.createStandardJSONSchemaMethod = () => undefined;',
    }));
  },
};

/**
 * Leaves out the SDK's cache of discovered endpoints. The SDK discovers endpoints only if that is switched on, and
 * DynamoDB has one address in a region.
 */
const noEndpointDiscovery: Plugin = {
  name: 'no-endpoint-discovery',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]@aws-sdk[/\\]endpoint-cache[/\\].*\.js$/ }, () => ({
      contents: 'export class EndpointCache {}',
    }));
  },
};

/**
 * Bundles each entry into one minified file `index`, with the SDK, in one run of esbuild. CommonJS loads faster: see
 * docs/adr/0002-one-function-per-endpoint.md, Bundles.
 */
export const bundle = (
  outDir: string,
  names: readonly string[],
  dir = join(root, 'functions'),
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
    format: 'cjs',
    // esbuild drops more of the SDK's modules than of its CommonJS files.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
    plugins: [rowsForAuthorizer, ownRowOnly, noJsonSchema, noEndpointDiscovery],
    outExtension: { '.js': '.cjs' },
    logLevel: 'warning',
  });
