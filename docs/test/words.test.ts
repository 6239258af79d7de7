import { expect, test } from 'vitest';
import { oldWordsIn } from './words.ts';

test('names each old word with its place and a better one, also within a sentence and in capitals', () => {
  const found = oldWordsIn('docs/planted.md', 'A line.\nThus mend it\nin the place of the box, whom nobody amends.\n');

  expect(found).toEqual([
    'docs/planted.md:2: "Thus": so',
    'docs/planted.md:2: "mend": fix',
    'docs/planted.md:3: "in the place of": instead of',
    'docs/planted.md:3: "whom": who, or that',
  ]);
});

test('reads the texts of code, and not its comments', () => {
  const code = "/** Whom to ask. */\nconst url = 'https://anew.example'; // anew\nsay('Read it anew.');\n";

  expect(oldWordsIn('apps/cli/planted.ts', code)).toEqual([
    'apps/cli/planted.ts:2: "anew": again',
    'apps/cli/planted.ts:3: "anew": again',
  ]);
});
