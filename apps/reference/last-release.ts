import { globSync } from 'node:fs';
import { resolve } from 'node:path';

const releases = resolve(import.meta.dirname, '../../docs/releases');
const byVersion = new Intl.Collator('en', { numeric: true });

/** The path of the OpenAPI document of the last release; undefined before the first one. */
export const lastRelease = (folder = releases): string | undefined =>
  globSync('openapi-*.json', { cwd: folder })
    .sort(byVersion.compare)
    .map((name) => resolve(folder, name))
    .at(-1);
