import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Compares docs/contract/contract-coverage.md with the contract suite, the other tests and docs/contract/contract.md.
 */

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const suite = readdirSync(new URL('test/contract/', root)).filter((name) => name.endsWith('.test.ts'));

/** A table row: the cells of one line of Markdown. A bar inside a cell is written as \|. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .slice(1, -1);

interface Entry {
  section: string;
  rule: string;
  row: string;
  proofs: string[];
}

/** One entry per row of the tables under the headings of the third level. */
const entriesOf = (text: string): Entry[] =>
  text
    .split('\n### ')
    .slice(1)
    .flatMap((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
      return rows.map((line) => {
        const [rule = '', row = '', proofs = ''] = cellsOf(line);
        return { section: heading, rule, row, proofs: proofs.split('; `').map((proof) => proof.replace(/^`/, '')) };
      });
    });

const page = 'docs/contract/contract-coverage.md';
const [specification = '', ofContract = ''] = read(page).split('\n## The decisions');
const decisions = entriesOf(ofContract);
const entries = [...entriesOf(specification), ...decisions];
const rules = new Set(entries.map(({ rule }) => rule));

/** The rules before the colon of a title, or alone in a table of cases. */
const rulesIn = (text: string): string[] =>
  [...text.matchAll(/['"`]([a-zA-Z0-9 ,]+)(?=[:'"`])/g)].flatMap(([, heads = '']) =>
    heads.split(', ').filter((head) => rules.has(head)),
  );

test('the list names exactly the files that prove each rule: vitest run docs/test/contract-coverage.test.ts -u', async () => {
  const proven = new Map<string, string[]>();
  for (const file of suite)
    for (const rule of new Set(rulesIn(read(`test/contract/${file}`))))
      proven.set(rule, [...(proven.get(rule) ?? []), file]);
  /** The row with the files of the suite that prove its rule, before the other proofs, which are written by hand. */
  const withFiles = (line: string): string => {
    const [rule = '', row, proofs = ''] = cellsOf(line);
    const others = proofs.split(/; (?=`)/).filter((proof) => proof !== '' && !/^`\d\d-/.test(proof));
    const all = [...(proven.get(rule) ?? []).map((file) => `\`${file}\``), ...others];
    return rules.has(rule) ? `| ${rule} | ${row} | ${all.join('; ')} |` : line;
  };

  const current = read(page).split('\n').map(withFiles);

  await expect(current.join('\n')).toMatchFileSnapshot(join('../..', page));
  expect(current.filter((line) => line.endsWith('|  |'))).toEqual([]);
  expect(rules.size).toBe(entries.length);
});

test('every test of the suite begins with rules of the list', () => {
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

test('the list names only tests outside the suite that exist', () => {
  const named = entries.flatMap(({ proofs }) => proofs).filter((proof) => /^(?:test|proof)\//.test(proof));

  for (const proof of named) {
    const [file = '', title = ''] = proof.split('`: ');
    expect([file, existsSync(new URL(file, root))]).toEqual([file, true]);
    expect(read(file)).toContain(title);
  }
  expect(named.length).toBeGreaterThan(0);
});

test('the list has exactly the rows of contract.md', () => {
  const sections = read('docs/contract/contract.md').split('\n## ').slice(1);

  for (const section of sections) {
    const name = section.split('\n')[0] ?? '';
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:Case|Body|Field) \|/.test(line));
    const listed = decisions.filter((entry) => entry.section === name);

    expect([name, listed.map(({ row }) => row)]).toEqual([name, rows.map((line) => cellsOf(line)[0])]);
  }
});
