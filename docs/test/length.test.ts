import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Merchants read these from the first to the last. Everything else is for looking things up. */
const path = ['README.md', ...['try', 'deploy', 'inworld', 'every-day'].map((name) => `docs/guides/${name}.md`)];

const wordsOf = (file: string): number => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length;

test('a merchant has at most 4,000 words to read', () => {
  const words = path.reduce((sum, file) => sum + wordsOf(file), 0);

  expect(words).toBeGreaterThan(2000);
  expect(words).toBeLessThanOrEqual(4000);
});

test('the guide Deploy has at most 700 words and eight steps, and no command', () => {
  const text = readFileSync('docs/guides/deploy.md', 'utf8');

  expect(wordsOf('docs/guides/deploy.md')).toBeLessThanOrEqual(700);
  expect(text.match(/^\d+\. /gm)).toHaveLength(8);
  expect(text).not.toMatch(/```|^ {4}\S|`(?:npx|npm|store|aws|git) /m);
});
