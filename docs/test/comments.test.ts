import { expect, test } from 'vitest';
import { turnsIn, wideIn } from './comments.ts';

/** The turns that are found in the comments of a planted text, without the better ways. */
const foundIn = (...lines: string[]): string[] =>
  turnsIn('lib/planted.ts', lines.join('\n')).map((line) => line.split(': ').slice(0, 2).join(' '));

test.each([
  ['A lot of which less is left.', 'of which'],
  ['A resident of whom the store was told.', 'of whom'],
  ['The vendor of the sale that it is of.', 'that it is of'],
  ['A start before that of the table.', 'that of the'],
  ['Rows, and those of a customer.', 'those of a'],
  ['It keeps those whose time is over.', 'those whose'],
  ['Only those which wait.', 'those which'],
  ['So many parts are looked for.', 'So many'],
  ['A client waits so long.', 'so long'],
  ['The list is as ever.', 'as ever'],
  ['All rows are there by now.', 'by now'],
  ['It is read. Else it is written.', 'Else'],
  ['What a row lacks.', 'What'],
  ['A sum. Whoever asks gets it.', 'Whoever'],
])('finds a turn that has to be read twice: %s', (comment, turn) => {
  expect(foundIn(`/** ${comment} */`, 'const a = 1;')).toEqual([`lib/planted.ts:1 "${turn}"`]);
});

test('passes plain sentences with the same words', () => {
  const plain = [
    '/** One of the lots that are left. Takes the one that comes first, or those in the list. */',
    '/** So many that they fill a page, and so much as was paid. It is done, else it waits. */',
    '// What is left? Says what the row has, who made it and whether it counts. That is of use.',
  ];

  expect(foundIn(...plain)).toEqual([]);
});

test('finds a turn across the lines of a comment, and names the line where it begins', () => {
  expect(foundIn('/**', ' * The start of a row, and', ' * that', ' * of the table.', ' */')).toEqual([
    'lib/planted.ts:3 "that of the"',
  ]);
  expect(foundIn('const a = 1;', '  // It is over, so', '  // long ago.')).toEqual(['lib/planted.ts:2 "so long"']);
});

test('reads the comments of code, and not its names and texts', () => {
  const code = ["say('So many of those that were left.');", 'const soMany = 1;', '// A number.'];

  expect(foundIn(...code)).toEqual([]);
});

test('reads each comment by itself', () => {
  expect(foundIn('/** It takes that */', 'a();', '// of the table.', 'b();', '/** So */', '/** long. */')).toEqual([]);
});

test('finds comments wider than 120 columns, and passes texts and code', () => {
  const wide = 'x'.repeat(115);
  const lines = [
    `/** ${wide} */`,
    ` * ${wide}`,
    `  // ${wide}`,
    ` * ${wide}xxxxx`,
    `**${wide}xxxxx**`,
    `say('${wide}');`,
  ];

  expect(wideIn('lib/planted.ts', lines.join('\n'))).toEqual([
    'lib/planted.ts:1: 122 columns: at most 120',
    'lib/planted.ts:4: 123 columns: at most 120',
  ]);
});
