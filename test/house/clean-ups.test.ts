import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { coded, codeOf, countsOf, tested, testsOf } from '../support/houses.ts';

const shared = [...testsOf(...tested), ...codeOf('proof')].filter(
  (file) => !/\.(?:test|proof)\.ts$|support\/restore\.ts$/.test(file),
);

test(`what tests share ends by atEnd: vitest forgets an afterAll that a hook calls (${countsOf(shared)})`, () => {
  // The functions of these three are called at the top of a file.
  const atTop = ['apps/desk/test/browser/browser.ts', 'apps/desk/test/browser/desk.ts', 'test/contract/target.ts'];
  const calling = shared.filter((file) => /\bafterAll\(/.test(readFileSync(file, 'utf8')));

  expect(calling.sort()).toEqual(atTop);
});

const ofCommand = codeOf('apps/cli');

test(`no command keeps a client of the table, which would call the engine of another test (${countsOf(ofCommand)})`, () => {
  const keeping = ofCommand.filter((file) => /new DynamoDB\w*Client\(/.test(readFileSync(file, 'utf8')));

  expect(keeping).toEqual([]);
});

const code = codeOf(...coded.filter((house) => house !== 'proof'));

test(`no object literal is spread into another one to save lines (${countsOf(code)})`, () => {
  const spreading = code.filter((file) => readFileSync(file, 'utf8').includes('...{'));

  expect(spreading).toEqual([]);
});
