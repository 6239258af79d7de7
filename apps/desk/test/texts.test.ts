import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const desk = join(import.meta.dirname, '..');

/** The files that a file of the desk loads with itself. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)(?! type)[^;]*?'(\.[^']+\.tsx?)';$/gm)].map(
    ([, path = '']) => join(file, '..', path),
  );

const sources = globSync(join(desk, '{*,{pages,parts,import,words,developer}/*}.{ts,tsx}'));

/** One thing of a page's name: `category` for `categories`. */
const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

test('a page’s texts are imported by pages of its name alone, in the same folder', () => {
  const imports = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => path.endsWith('.texts.ts'))
      .map((path) => ({ file, path })),
  );

  const strangers = imports.filter(({ file, path }) => {
    const [page, own] = [basename(file).replace(/\.tsx?$/, ''), basename(path, '.texts.ts')];
    const isOwn = page === own || singular(page) === own || page.startsWith(`${own}-`);
    return !isOwn || join(file, '..') !== join(path, '..');
  });

  expect(new Set(imports.map(({ path }) => path)).size).toBe(
    sources.filter((file) => /\.texts\.ts$/.test(file)).length,
  );
  expect(strangers).toEqual([]);
});

test('the first view loads no page’s texts, and no words that other pages share', () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const other of importsOf(file)) if (other.startsWith(desk)) load(other);
  };

  load(join(desk, 'main.tsx'));

  expect(loaded).toContain(join(desk, 'pages/home.tsx'));
  expect([...loaded].filter((file) => /\.texts\.ts$|\/words\//.test(file))).toEqual([]);
});
