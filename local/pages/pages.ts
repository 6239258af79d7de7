import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Answers with the API reference at `/docs`, its files under `/pages/`, and the document at `/openapi.json`. */

const directory = new URL('./', import.meta.url);
const ours = (name: string): URL => new URL(name, directory);
// Vitest has no `import.meta.resolve` in a global setup.
const { resolve } = createRequire(import.meta.url);
const renderer = (name: string): URL => pathToFileURL(resolve(`swagger-ui-dist/${name}`));

const byName = (names: readonly string[], locate: (name: string) => URL): Record<string, URL> =>
  Object.fromEntries(names.map((name) => [name, locate(name)]));

/** The files that the reference page loads, by name. `npm run docs` copies them. */
export const referenceFiles: Readonly<Record<string, URL>> = {
  ...byName(['swagger-ui.css', 'swagger-ui-bundle.js'], renderer),
  ...byName(['reference.css', 'reference.js', 'icon.svg'], ours),
  'base.css': new URL('../../apps/desk/styles/tokens.css', import.meta.url),
};

export const referencePage = ours('reference.html');
export const documentFile = new URL('../../docs/openapi.json', import.meta.url);

const files: Record<string, URL> = {
  '/docs': referencePage,
  ...Object.fromEntries(Object.entries(referenceFiles).map(([name, file]) => [`/pages/${name}`, file])),
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Lets a page load from and call only its own origin. The renderer's style sheet has its pictures as data. */
export const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** The OpenAPI document as text. Its code samples call the service at `baseUrl`. */
export const documentFor = async (baseUrl: string): Promise<string> => {
  const text = await readFile(documentFile, 'utf8');
  const { servers } = JSON.parse(text);
  const document = JSON.parse(
    text.replaceAll(`${servers[0].url}/v1/`, `${baseUrl}/v1/`).replaceAll(`'${servers[0].url}'`, `'${baseUrl}'`),
  );
  return JSON.stringify({ ...document, servers: [{ url: baseUrl }] });
};

/**
 * A script that gives the document to the reference page. A page on a disk may load scripts, but no JSON. `tryIt` lets
 * the page make calls.
 */
export const documentScript = (document: string, tryIt: boolean): string =>
  `globalThis.reference = { tryIt: ${tryIt}, document: ${document} };\n`;

const generated: Record<string, (baseUrl: string) => Promise<string>> = {
  '/openapi.json': documentFor,
  '/pages/openapi.js': async (baseUrl) => documentScript(await documentFor(baseUrl), true),
};

/** Answers a request for a page or its files. Returns false for any other. */
export const answerPage = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
  const path = request.url?.split('?')[0] ?? '';
  const file = files[path];
  const generate = generated[path];
  if (!file && !generate) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const content = file ? await readFile(file) : await generate?.(`http://${request.headers.host}`);
  response.writeHead(200, {
    'Content-Type': types[extname(file?.pathname ?? path)] ?? 'application/octet-stream',
    'Content-Security-Policy': `${contentPolicy}; frame-ancestors 'none'`,
    'Cache-Control': 'no-cache',
  });
  response.end(request.method === 'HEAD' ? undefined : content);
  return true;
};
