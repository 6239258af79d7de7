import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';

/**
 * The pages of the local service: the console at `/`, the API reference at `/docs`, and what they load, under `/pages/`.
 * The files are served as they are; there is no build.
 */

const ours = (name: string): URL => new URL(`pages/${name}`, import.meta.url);
const renderer = (name: string): URL => new URL(import.meta.resolve(`swagger-ui-dist/${name}`));

/** What the reference page loads, by name; `npm run docs` copies the same files. */
export const referenceFiles: Readonly<Record<string, URL>> = {
  'swagger-ui.css': renderer('swagger-ui.css'),
  'swagger-ui-bundle.js': renderer('swagger-ui-bundle.js'),
  'base.css': ours('base.css'),
  'reference.css': ours('reference.css'),
  'reference.js': ours('reference.js'),
  'icon.svg': ours('icon.svg'),
};

export const referencePage = ours('reference.html');
const documentFile = new URL('../docs/openapi.json', import.meta.url);

const consoleFiles = [
  'console.css',
  'console.js',
  'dom.js',
  'data.js',
  'clock.js',
  'requests.js',
  'credit.js',
  'timeline.js',
  'deliveries.js',
  'dispenser.js',
];

const files: Record<string, URL> = {
  '/': ours('console.html'),
  '/docs': referencePage,
  ...Object.fromEntries(Object.entries(referenceFiles).map(([name, file]) => [`/pages/${name}`, file])),
  ...Object.fromEntries(consoleFiles.map((name) => [`/pages/${name}`, ours(name)])),
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** No page loads or calls anything but its own origin. The renderer's pictures are data in its style sheet. */
export const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** The OpenAPI document with the address that calls go to, as text. */
export const documentFor = async (baseUrl: string): Promise<string> => {
  const document = JSON.parse(await readFile(documentFile, 'utf8'));
  return JSON.stringify({ ...document, servers: [{ url: baseUrl }] });
};

/**
 * The script that hands the document to the reference page: as a script and not as JSON, since a page that is opened
 * from a disk may load one and not the other. `tryIt`: whether calls can be made from the page.
 */
export const documentScript = (document: string, tryIt: boolean): string =>
  `globalThis.reference = { tryIt: ${tryIt}, document: ${document} };\n`;

const generated: Record<string, (baseUrl: string) => Promise<string>> = {
  '/pages/openapi.json': documentFor,
  '/pages/openapi.js': async (baseUrl) => documentScript(await documentFor(baseUrl), true),
};

/** Answers a request for a page or for what it loads; false where the path is none of these. */
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
