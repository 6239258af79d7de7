import { afterEach, expect, test, vi } from 'vitest';
import { readOptions } from '../../../local/start/options.ts';

/** The options of `npm start`. service.proof.ts shows how a process of its own ends. */

afterEach(() => vi.unstubAllEnvs());

/** The first line that `npm start` says of options that it refuses, as it ends with exit code 1. */
const refusalOf = (args: readonly string[], env: Record<string, string> = {}): string => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`ended with ${code}`);
  });
  const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(() => readOptions(args)).toThrow('ended with 1');
  const said = print.mock.calls.map(([text]) => text).join('');
  for (const spy of [exit, print]) spy.mockRestore();
  vi.unstubAllEnvs();
  return said.split('\n')[0] ?? '';
};

test('a wrong option is an error that says what it takes', () => {
  expect(refusalOf(['--port', 'x'])).toMatch(/--port.*whole number from 0 to 65535/);
  expect(refusalOf(['--burst', '0'])).toMatch(/--burst.*whole number from 1/);
  expect(refusalOf(['--colour'])).toMatch(/unknown option/);
});

test('options that npm has kept for itself are named with the two dashes that they lack', () => {
  const saidFor = (kept: Record<string, string>, ...args: string[]): string =>
    refusalOf(args, { npm_lifecycle_event: 'start', ...kept });

  const said = [
    saidFor({ npm_config_port: 'true' }, '5701'),
    saidFor({ npm_config_port: '5701' }),
    saidFor({ npm_config_data_dir: 'true', npm_config_reset: 'true' }, 'my data'),
    saidFor({ npm_config_demo: '', npm_config_open: '' }),
    // A variable from an .npmrc is not a mistake if the option is given.
    saidFor({ npm_config_port: '5701' }, '--port', 'x'),
  ];

  const write = 'error: npm keeps options for itself that have no -- before them. Write: npm start --';
  expect(said).toEqual([
    `${write} --port 5701`,
    `${write} --port 5701`,
    `${write} --data-dir my data --reset`,
    `${write} --no-demo --no-open`,
    expect.stringContaining('whole number from 0 to 65535'),
  ]);
});
