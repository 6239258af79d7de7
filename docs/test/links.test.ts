import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { t } from '../../apps/desk/pages/help.texts.ts';

const documents = [...globSync('*.md'), ...globSync('docs/**/*.md'), ...globSync('apps/inworld/*.md')];

/** The anchors that GitHub gives to the headings of a document. */
const anchorsIn = (file: string): string[] => {
  const seen = new Map<string, number>();
  const text = readFileSync(file, 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
};

test('every link between the documents leads to a file', () => {
  const broken = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  );

  expect(documents.length).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

test('every guide that the Help of the desk names is there', () => {
  const files = t.files.map(([, file = '']) => file).filter((file) => file.endsWith('.md'));

  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('every link to a part of a document leads to its heading', () => {
  const broken = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?![a-z]+:)([^)#]*)#([^)]+)/g)]
      .filter(([, target = '', anchor = '']) => {
        const path = target === '' ? file : join(dirname(file), target);
        return !path.endsWith('.md') || !existsSync(path) || !anchorsIn(path).includes(anchor);
      })
      .map(([link]) => `${file}: ${link}`),
  );

  expect(broken).toEqual([]);
});

const listedBy = (index: string): string[] =>
  [...readFileSync(index, 'utf8').matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => join(dirname(index), target));

test('the index lists every document, and none twice; that of the evidence lists its pages', () => {
  const listed = listedBy('docs/README.md');
  const everywhere = [...listed, ...listedBy('docs/evidence/README.md')];
  const files = globSync('docs/**/*.md').filter((file) => !/^docs\/(README\.md|adr\/)/.test(file));

  expect(files.filter((file) => !everywhere.includes(file))).toEqual([]);
  expect(listed.filter((file, place) => listed.indexOf(file) !== place)).toEqual([]);
});

test('the security policy says within what time a report is answered', () => {
  expect(readFileSync('SECURITY.md', 'utf8')).toMatch(/We answer within seven days/);
});
