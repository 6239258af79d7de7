import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draw } from '../pictures.ts';
import { scriptOf } from './shop.ts';

const imagesDir = join(import.meta.dirname, '../../../docs/images/inworld');
const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const readme = read('apps/inworld/README.md');
const guides = readme + read('docs/guides/inworld.md');

test('the pictures of the guides show what the scripts say now (else: node apps/inworld/pictures.ts)', () => {
  const drawn = draw();
  const files = Object.fromEntries(
    readdirSync(imagesDir).map((file) => [file.replace('.svg', ''), readFileSync(join(imagesDir, file), 'utf8')]),
  );

  expect(files).toEqual(drawn);
  expect(Object.keys(drawn).filter((name) => !guides.includes(`images/inworld/${name}.svg)`))).toEqual([]);
});

test('the guide names each trouble that a script tells its owner', () => {
  const told =
    /(?:\b(?:stop|complain|notReady)\(|\bfault = |\breturn (?="the )|llInstantMessage\(llGetOwner\(\), )"((?:[^"\\]|\\.)*)"/g;
  const troubles = (['cashier', 'dispenser', 'shelf', 'terminal', 'updater', 'vendor'] as const).flatMap((name) =>
    [...scriptOf(name).matchAll(told)].map(([, text = '']) => {
      const [first = ''] = text
        .replace(/(Vendor|Cashier): /, '')
        .replaceAll('\\"', '"')
        .split('. ');
      return first;
    }),
  );

  expect(new Set(troubles).size).toBeGreaterThan(20);
  expect(troubles.filter((text) => !readme.includes(text))).toEqual([]);
});

test('each script says the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));

  for (const name of ['cashier', 'dispenser', 'shelf', 'terminal', 'updater', 'vendor'] as const)
    expect(scriptOf(name)).toContain(`string VERSION = "${version}";`);
});
