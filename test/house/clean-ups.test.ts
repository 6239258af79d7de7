import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('what tests share ends by atEnd: vitest forgets an afterAll that a hook calls', () => {
  const shared = globSync('{test,proof}/**/*.ts').filter(
    (file) => !/\.(?:test|proof)\.ts$|support\/restore\.ts$/.test(file),
  );
  expect(shared.length).toBeGreaterThan(50);

  // The functions of these three are called at the top of a file.
  const atTop = ['test/browser/browser.ts', 'test/browser/desk.ts', 'test/contract/target.ts'];
  const calling = shared.filter((file) => /\bafterAll\(/.test(readFileSync(file, 'utf8')));

  expect(calling.sort()).toEqual(atTop);
});
