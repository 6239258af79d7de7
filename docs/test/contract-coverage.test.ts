import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Compares the rules of docs/contract/contract-coverage.md and contract.md with the tests that their rows name. */

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const suite = readdirSync(new URL('test/contract/', root)).filter((name) => name.endsWith('.test.ts'));

/** A table row: the cells of one line of Markdown. A bar inside a cell is written as \|. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .slice(1, -1);

const pages = ['docs/contract/contract-coverage.md', 'docs/contract/contract.md'];

/** Each row of their tables has its rule in the first cell, and what proves it in the last one. */
const entries = pages.flatMap((page) =>
  read(page)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Rule |'))
    .map((line) => {
      const cells = cellsOf(line);
      return { rule: cells[0] ?? '', proofs: (cells.at(-1) ?? '').split(/; (?=`)/) };
    }),
);
const rules = new Set(entries.map(({ rule }) => rule));

/** The rules before the colon of a title, or alone in a table of cases. */
const rulesIn = (text: string): string[] =>
  [...text.matchAll(/['"`]([a-zA-Z0-9 ,]+)(?=[:'"`])/g)].flatMap(([, heads = '']) =>
    heads.split(', ').filter((head) => rules.has(head)),
  );

test.each(pages)(
  '%s names exactly the files that prove each rule: vitest run docs/test/contract-coverage.test.ts -u',
  async (page) => {
    const proven = new Map<string, string[]>();
    for (const file of suite)
      for (const rule of new Set(rulesIn(read(`test/contract/${file}`))))
        proven.set(rule, [...(proven.get(rule) ?? []), file]);
    /** The row with the files of the suite that prove its rule, before the other proofs, which are written by hand. */
    const withFiles = (line: string): string => {
      const cells = cellsOf(line);
      const rule = cells[0] ?? '';
      const others = (cells.at(-1) ?? '').split(/; (?=`)/).filter((proof) => proof !== '' && !/^`\d\d-/.test(proof));
      const all = [...(proven.get(rule) ?? []).map((file) => `\`${file}\``), ...others];
      return rules.has(rule) ? `| ${[...cells.slice(0, -1), all.join('; ')].join(' | ')} |` : line;
    };

    const current = read(page).split('\n').map(withFiles);

    await expect(current.join('\n')).toMatchFileSnapshot(join('../..', page));
  },
);

test('every row has a rule of its own, and names tests or says why there is none', () => {
  const isProof = (proof: string): boolean =>
    /^`(?:\d\d-[a-z-]+\.test\.ts`$|(?:apps|proof|test)\/)|^Not tested: /.test(proof);

  expect(entries.length).toBeGreaterThan(300);
  expect(rules.size).toBe(entries.length);
  expect(entries.filter(({ rule, proofs }) => !/^\S.* [\dA-Z]\w*$/.test(rule) || !proofs.every(isProof))).toEqual([]);
});

test('every test of the suite begins with rules of the two pages', () => {
  for (const file of suite) {
    const titles = [
      ...read(`test/contract/${file}`).matchAll(
        /\btest(?:\.each\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*(['"`])(.*?)\1,/gs,
      ),
    ];
    const strays = titles
      .map(([, , title = '']) => title)
      .filter((title) => {
        const heads = title.split(': ')[0]?.split(', ') ?? [];
        return title.startsWith('%s: ') ? false : !heads.every((head) => rules.has(head));
      });

    expect([file, strays]).toEqual([file, []]);
    expect(titles.length).toBeGreaterThan(0);
  }
});

test('the pages name only tests outside the suite that exist', () => {
  const named = entries.flatMap(({ proofs }) => proofs).filter((proof) => /^`(?:apps|proof|test)\//.test(proof));

  for (const proof of named) {
    const [file = '', title = ''] = proof.slice(1).split('`: ');
    expect([file, existsSync(new URL(file, root))]).toEqual([file, true]);
    expect(read(file)).toContain(title);
  }
  expect(named.length).toBeGreaterThan(0);
});
