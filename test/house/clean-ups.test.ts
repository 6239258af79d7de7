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

test('no command keeps a client of the table for itself, which would go on to call the engine of another test file', () => {
  const files = globSync('cli/**/*.ts');
  expect(files.length).toBeGreaterThan(80);

  const keeping = files.filter((file) => /new DynamoDB\w*Client\(/.test(readFileSync(file, 'utf8')));

  expect(keeping).toEqual([]);
});

test('no object literal is spread into another one to save lines', () => {
  const files = globSync('{cli,client,deploy,desk,functions,infra,inworld,lib,local,reference}/**/*.{ts,tsx}', {
    exclude: ['**/node_modules/**'],
  });
  expect(files.length).toBeGreaterThan(400);

  const spreading = files.filter((file) => readFileSync(file, 'utf8').includes('...{'));

  expect(spreading).toEqual([]);
});
