import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableUsesFile } from '../../infra/table-uses.ts';
import { routes } from '../../lib/routes/routes.ts';
import { startService } from '../../local/start/service.ts';
import { document, missingTexts } from './document.ts';
import { recordExamples, stopClock, wrongExamples } from './record.ts';
import { samplesPage } from './samples-page.ts';

/**
 * `npm run openapi`: writes docs/openapi.json, with the answers of a local service of its own, docs/guides/samples.md
 * and infra/table-uses.json.
 */

const missing = missingTexts(routes);
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}

const root = new URL('../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
const dataDir = mkdtempSync(join(tmpdir(), 'openapi-'));
stopClock();
const { baseUrl, service, stop, stopHistory } = await startService(
  { port: 0, dataDir, memory: true, reset: false, demo: true, rate: 1000, burst: 1000 },
  () => {},
);
const { all: key, 'store:write': endedKey } = service.keys;
const recordings = await recordExamples(routes, { baseUrl, key, endedKey, stopHistory });
await stop();
rmSync(dataDir, { recursive: true });
const wrong = wrongExamples(routes, recordings);
if (wrong.length > 0) {
  console.error(`Nothing is written. Correct these in apps/reference/operations/:\n${wrong.join('\n')}`);
  process.exit(1);
}
const openapi = document(routes, { baseUrl: 'http://127.0.0.1:4000', version, recordings });
writeFileSync(new URL('docs/openapi.json', root), `${JSON.stringify(openapi, null, 2)}\n`);
writeFileSync(new URL('docs/guides/samples.md', root), samplesPage(routes));
writeFileSync(new URL('infra/table-uses.json', root), await tableUsesFile());
console.log(
  'docs/openapi.json, docs/guides/samples.md and infra/table-uses.json are written. `git diff --text` shows the changes.',
);
