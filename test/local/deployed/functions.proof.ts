import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FunctionFacts } from '../../../local/deployed/environment.ts';
import { startFunctions } from '../../../local/deployed/functions.ts';
import { atEnd } from '../../support/at-end.ts';
import { oneLineFunction } from '../../support/one-line-function.ts';

/** Functions of one line each, under the runtime client. */

const lines: string[] = [];

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const start = (functions: FunctionFacts[], concurrency = 10, options: { initSeconds?: number } = {}) => {
  const started = startFunctions({
    functions,
    engines: () => '127.0.0.1:9',
    concurrency,
    ...options,
    onLine: (label, line) => lines.push(`${label} ${line}`),
  });
  atEnd(started.stop);
  return started;
};

test('a function has the template’s environment and Lambda’s own variables, and nothing of this process', async () => {
  process.env.ONLY_HERE = 'here';
  const { invoke } = start([
    oneLineFunction('env', 'return { ...process.env, remaining: context.getRemainingTimeInMillis() > 1000 };', {
      environment: { TABLE_NAME: 'T' },
    }),
  ]);

  const { payload } = await invoke('env', '{}');

  const env = JSON.parse(payload);
  expect(env).toMatchObject({ TABLE_NAME: 'T', AWS_REGION: 'us-east-1', _HANDLER: 'index.handler', remaining: true });
  expect(Object.keys(env).filter((name) => /ONLY_HERE|VITEST|ENDPOINT|CURSOR_SECRET/.test(name))).toEqual([]);
});

test('a process answers call after call, and stands still between them', async () => {
  const { invoke, coldStarts } = start([
    oneLineFunction(
      'ticks',
      'globalThis.ticks ??= (setInterval(() => { ticks.n += 1; }, 5), { n: 0 }); return ticks.n;',
    ),
  ]);
  await invoke('ticks', '{}');

  await sleep(300);
  const { payload } = await invoke('ticks', '{}');

  expect(coldStarts()).toBe(1);
  expect(Number(payload)).toBeLessThan(30);
});

test('a function that throws, ends its process or takes too long is an error, and the next call finds a new process', async () => {
  const { invoke, coldStarts } = start([
    oneLineFunction(
      'fails',
      "if (event === 1) throw new TypeError('no'); if (event === 2) process.exit(7); if (event === 3) await new Promise((r) => setTimeout(r, 60_000)); return event;",
      {
        timeoutSeconds: 1,
      },
    ),
  ]);

  const outcomes = [];
  for (const event of ['1', '2', '3', '4']) outcomes.push(await invoke('fails', event));

  expect(outcomes.map(({ isError, payload }) => [isError, JSON.parse(payload).errorType])).toEqual([
    [true, 'TypeError'],
    [true, 'Runtime.ExitError'],
    [true, 'Sandbox.Timedout'],
    [false, undefined],
  ]);
  expect(coldStarts()).toBe(3);
});

test('a process that does not start in time is started once more, with the time of the call', async () => {
  const slowAtFirst = `
    const { existsSync, writeFileSync } = require('node:fs');
    if (!existsSync('started')) {
      writeFileSync('started', '');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    }
    exports.handler = async () => 'answered';`;
  // On a busy machine too, the first comes to its file in time, and has time enough for its second start.
  const [once, twice] = [
    oneLineFunction('slow-once', '', { timeoutSeconds: 30 }),
    oneLineFunction('slow-twice', '', { timeoutSeconds: 1 }),
  ];
  writeFileSync(join(once.dir, 'index.cjs'), slowAtFirst);
  writeFileSync(join(twice.dir, 'index.cjs'), slowAtFirst.replace("!existsSync('started')", 'true'));
  const { invoke } = start([once, twice], 10, { initSeconds: 4 });

  const outcomes = await Promise.all([invoke('slow-once', '{}'), invoke('slow-twice', '{}')]);

  expect(outcomes.map(({ payload }) => JSON.parse(payload))).toMatchObject([
    'answered',
    { errorType: 'Sandbox.Timedout' },
  ]);
});

test('calls at once have a process each, and those above the account’s concurrency are refused', async () => {
  const { invoke, coldStarts } = start(
    [oneLineFunction('slow', 'await new Promise((r) => setTimeout(r, 200)); return 1;')],
    2,
  );

  const outcomes = await Promise.allSettled([invoke('slow', '{}'), invoke('slow', '{}'), invoke('slow', '{}')]);

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(coldStarts()).toBe(2);
});

test('a call that is under way ends in the function that was replaced, later ones meet the new one, with new rights', async () => {
  const slow = (version: number) =>
    `await new Promise((r) => setTimeout(r, event)); return [${version}, process.env.AWS_ACCESS_KEY_ID];`;
  const { invoke, replace, allow, callerOf } = start([oneLineFunction('old', slow(1), { name: 'same' })]);
  const call = async (millis: number) => JSON.parse((await invoke('same', String(millis))).payload);
  const next = oneLineFunction('new', slow(2), {
    name: 'same',
    statements: [{ Effect: 'Allow', Action: 'x', Resource: '*' }],
  });
  const [, key] = await call(0);

  const underWay = call(500);
  allow(next);
  const rights = callerOf(key)?.statements;
  replace(next);
  const answers = await Promise.all([underWay, call(0)]);
  answers.push(await call(0));

  expect(answers).toEqual([
    [1, key],
    [2, key],
    [2, key],
  ]);
  expect([rights, callerOf(key)]).toEqual([next.statements, next]);
});

test('no process outlives the one that started it, though it stands still', async () => {
  const functions = new URL('../../../local/deployed/functions.ts', import.meta.url).href;
  const facts = oneLineFunction('alone', 'return process.pid;');
  const script = `
    const { startFunctions } = await import(${JSON.stringify(functions)});
    const { invoke } = startFunctions({ functions: [${JSON.stringify(facts)}], engines: () => '127.0.0.1:9', concurrency: 1, onLine() {} });
    console.log((await invoke('alone', '{}')).payload);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const pid = Number(stdout);

  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isThere(pid), { timeout: 20_000 }).toBe(false);
});
