import { expect, test } from 'vitest';
import { explainFailure } from '../../../local/start/failures.ts';

/**
 * The tests of a start with another program's port or file for a folder are in service.proof.ts: rights differ by user.
 */

const options = { dataDir: 'my data', memory: false, reset: false, demo: true, rate: 1, burst: 1 };

const explained = (port: number, fields: Partial<NodeJS.ErrnoException>): Promise<string> =>
  explainFailure(Object.assign(new Error(`${fields.code}: as Node.js has it`), fields), { ...options, port });

test('a port that may not be used is named, with a way to one that may', async () => {
  expect(await explained(80, { code: 'EACCES', syscall: 'listen' })).toBe(
    'Port 80 may not be used: the system keeps it, as it keeps most below 1024. Choose another: npm start -- --port 0 takes any that is free.',
  );
});

test.each(['EACCES', 'EPERM', 'EROFS'])(
  'a folder that may not be written (%s) is named, with what to do',
  async (code) => {
    expect(await explained(4000, { code, syscall: 'open', path: 'my data/lock.json' })).toBe(
      `The folder my data may not be written. Change who may write there, or choose another one: npm start -- --data-dir <folder>. (${code}: as Node.js has it)`,
    );
  },
);

test('another error keeps its own words', async () => {
  expect(await explained(4000, { code: 'ERR_OTHER' })).toBe('ERR_OTHER: as Node.js has it');
});
