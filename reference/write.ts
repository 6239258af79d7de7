import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../lib/routes/routes.ts';
import { document } from './document.ts';

/** `npm run openapi`: writes docs/openapi.json. */

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
const text = JSON.stringify(document(routes, { baseUrl: 'http://127.0.0.1:4000', version }), null, 2);
writeFileSync(new URL('docs/openapi.json', root), `${text}\n`);
