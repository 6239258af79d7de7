import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../program/program.ts';
import { completionScript, shells } from '../../terminal/completion.ts';
import { runInProcess } from '../support/cli.ts';

const program = createProgram();

/** The words that bash offers behind each of these lines, whose last word is being typed. */
const inBash = (...lines: string[]): string[][] => {
  const asked = lines.map(
    (line) =>
      `try ${line
        .split(' ')
        .map((word) => `'${word}'`)
        .join(' ')}`,
  );
  const script = [
    completionScript(program, 'bash'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of bash.
    'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _store; echo "${COMPREPLY[*]}"; }',
    ...asked,
  ];
  const shown = execFileSync('bash', ['-euc', script.join('\n')], { encoding: 'utf8' });
  return shown
    .slice(0, -1)
    .split('\n')
    .map((words) => words.split(' ').filter((word) => word !== ''));
};

test('bash completes commands, options, and the values that an option or argument allows', () => {
  const [commands, below, options, values, behind, shell, free] = inBash(
    'store ke',
    'store --store X key is',
    'store key issue till --pre',
    'store key issue till --preset v',
    'store --json sales list --st',
    'store completion ba',
    'store sales list --buyer a',
  );

  expect([commands, below, options, values]).toEqual([['key'], ['issue'], ['--preset'], ['vendor']]);
  expect(behind).toEqual(['--state', '--stage', '--store']);
  expect(shell).toEqual(['bash']);
  expect(free).toEqual([]);
});

test.each(shells)('the script for %s has every command and every option', async (shell) => {
  const { code, stdout } = await runInProcess(['completion', shell]);

  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  expect(code).toBe(0);
  for (const command of all(program)) {
    if (command !== program) expect(stdout).toContain(command.name());
    for (const { long } of command.options) expect(stdout, String(long)).toContain(long?.slice(2));
  }
  expect(stdout).not.toMatch(/undefined|null/);
});
