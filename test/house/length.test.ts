import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { coded, codeOf, countsOf } from '../support/houses.ts';

/**
 * Holds every function outside tests to 70 lines and fewer than 20 branches. Biome's rule for lines
 * leaves out comments and what other functions hold, so it passes functions of more than 100 lines.
 */

const maxLines = 70;
const manyBranches = 20;

interface Measure {
  /** Its file and name. */
  name: string;
  lines: number;
  branches: number;
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const branchTypes = [
  'IfStatement',
  'ConditionalExpression',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
  'LogicalExpression',
];

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesIn = (node: SyntaxNode): SyntaxNode[] => Object.values(node).flat().filter(isNode);

/** The name that the function has itself, or that its variable, property or method gives it. */
const nameOf = (node: SyntaxNode, parent: SyntaxNode): string => {
  const named = [node.id, parent.id, parent.key].find(isNode);
  return typeof named?.name === 'string' ? named.name : '';
};

/** Measures each function of a file, also functions within others. A branch counts for all functions around it. */
const measureFunctions = (file: string, text: string): Measure[] => {
  const all: Measure[] = [];
  const visit = (node: SyntaxNode, parent: SyntaxNode, around: readonly Measure[]): void => {
    const inner = [...around];
    if (functionTypes.includes(node.type)) {
      const lines = text.slice(node.start, node.end).split('\n').length;
      inner.push({ name: `${file} ${nameOf(node, parent)}`.trim(), lines, branches: 0 });
      all.push(...inner.slice(-1));
    }
    if (branchTypes.includes(node.type)) for (const measure of inner) measure.branches += 1;
    for (const child of nodesIn(node)) visit(child, node, inner);
  };
  const program: unknown = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (isNode(program)) visit(program, program, []);
  return all;
};

const root = join(import.meta.dirname, '../..');
const files = codeOf(...coded);
const measures = files.flatMap((file) => measureFunctions(file, readFileSync(join(root, file), 'utf8')));

const tooLong = (all: readonly Measure[]): string[] =>
  all.filter(({ lines }) => lines > maxLines).map(({ name }) => name);

const branchy = (all: readonly Measure[]): string[] =>
  all.filter(({ branches }) => branches >= manyBranches).map(({ name }) => name);

test(`no function has more than 70 lines (${countsOf(files)})`, () => {
  expect(measures.length).toBeGreaterThan(3000);
  expect(tooLong(measures)).toEqual([]);
});

test('no function has 20 branches, but for the machines, which are yet to be divided', () => {
  expect(branchy(measures).filter((name) => !name.startsWith('proof/'))).toEqual([]);
});

test('finds a planted function that is too long, within another and as a method too', () => {
  const body = 'if (now) then();\n'.repeat(70);
  const planted = `const outer = () => {\n function inner() {\n${body}}\n};\nclass Door {\n open() {\n${body}}\n}\n`;

  const found = measureFunctions('lib/planted.ts', planted);

  expect(tooLong(found)).toEqual(['lib/planted.ts outer', 'lib/planted.ts inner', 'lib/planted.ts open']);
  expect(branchy(found)).toEqual(['lib/planted.ts outer', 'lib/planted.ts inner', 'lib/planted.ts open']);
  expect(tooLong(measureFunctions('lib/planted.ts', 'const short = () => 1;'))).toEqual([]);
});
