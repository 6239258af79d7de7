import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable, wholeTable } from '../../../../test/support/service.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();

await freshTable();
const store = (await createStore('Test store')).id;

test('--skip-rejects imports the good rows, and writes the others to a file that can be mended and imported', async () => {
  const rejects = join(dir, 'left.csv');
  const text = `name,price,description\nGood,5,"'=1+1"\nBad,five,"'=2+2, ""so"""\nWorse,-1,\n`;

  const report = await importText(store, dir, 'products.csv', text, { skipRejects: true, rejects });

  expect(report).toMatchObject({ imported: true, created: 1, rejected: 2, rejects });
  const left = readFileSync(rejects, 'utf8');
  expect(left).toBe(
    '\ufeffname,price,description,line,reason\r\n' +
      `Bad,five,"'=2+2, ""so""",3,"price ""five"" must be a whole number from 0 to 2147483647"\r\n` +
      'Worse,-1,,4,price -1 must be a whole number from 0 to 2147483647\r\n',
  );
  const mended = left.replace('five', '5').replace('-1', '1');
  expect(await importText(store, dir, 'products.left.csv', mended)).toMatchObject({ created: 2, rejected: 0 });
});

test('a dry run reports the result and writes nothing', async () => {
  const before = await wholeTable();

  const report = await importText(store, dir, 'products.csv', 'id,name,price\nnew,New,1\nbad,Bad,x\n', {
    dryRun: true,
    skipRejects: true,
  });

  expect(report).toMatchObject({ imported: false, created: 1, rejected: 1, rows: 2 });
  expect(existsSync(join(dir, 'products.csv.rejects.csv'))).toBe(false);
  expect(await wholeTable()).toEqual(before);
});
