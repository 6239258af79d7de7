import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../apps/cli/program/program.ts';
import { everythingOn, templateOf, textOf } from '../../test/support/stack.ts';
import { callsApi, codeBlocks, commandsIn, wordsOf } from './code-blocks.ts';

/**
 * Every shell line of the documents is run by calls.proof.ts or store.proof.ts, or parsed here, or has a reason. Blocks
 * marked `sh` hold no syntax that PowerShell reads in another way than bash; those marked `bash` need bash. No test
 * starts PowerShell.
 */

/** Programs that no test starts, with the reason. */
const outside: Record<string, string> = {
  'npx cdk': 'changes an AWS account; test/infra/ synthesises the stack',
  aws: 'calls AWS',
  gh: 'asks GitHub who made a file',
  git: 'needs the address of the repository',
  hledger: 'is not part of the project; apps/cli/test/data/ holds journals to its rules',
};

const blocks = codeBlocks().filter(({ language }) => /^(sh|bash)$/.test(language));
/** The lines that calls.proof.ts does not run, each with its place. */
const lines = blocks
  .filter(({ text }) => !callsApi.test(text))
  .flatMap(({ file, line, text }) =>
    commandsIn(text)
      .flatMap((chain) => chain.split(/\s+&&\s+/))
      .map((command) => ({ place: `${file}:${line}`, command })),
  );

/** Parses the words as the command `store` would, without doing anything. Throws for what it does not know. */
const parse = async (words: readonly string[]): Promise<void> => {
  const program = createProgram();
  const silence = (command: Command): void => {
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
    // A group has no action of its own, unless it takes --all or shows payouts. Without an action, commander refuses an
    // unknown command.
    const acts = command.name() === 'payouts' || command.options.some(({ long }) => long === '--all');
    if (command.commands.length === 0 || acts) command.action(() => {});
    command.commands.forEach(silence);
  };
  silence(program);
  await program.parseAsync(words, { from: 'user' });
};

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Why the line is wrong; undefined if it is right. */
const faultOf = async (command: string): Promise<string | undefined> => {
  const words = wordsOf(command.replace(/^(?:[A-Z_]+=(?:'[^']*'|\S+)\s+)+/, ''));
  const [program, first = ''] = words[0] === 'npx' ? words.slice(1) : words;
  if (program === 'store') {
    const given = words.slice(words.indexOf('store') + 1);
    return parse(given).then(
      () => undefined,
      (error: Error) => error.message,
    );
  }
  if (program === 'npm') {
    const script = first === 'run' ? words[2] : first;
    return /^(ci|install|pack)$/.test(script ?? '') || Object.hasOwn(scripts, script ?? '')
      ? undefined
      : `package.json has no script ${script}`;
  }
  if (program === 'cd' || [...words.keys()].some((count) => words.slice(0, count + 1).join(' ') in outside))
    return undefined;
  return 'nothing tests it: run it, or give the reason in docs/test/commands.test.ts';
};

test('every shell line of the documents that is not run is a command that exists, with options that it takes', async () => {
  const faults: string[] = [];
  for (const { place, command } of lines) {
    const fault = await faultOf(command);
    if (fault !== undefined) faults.push(`${place}: ${command}: ${fault}`);
  }

  expect(lines.length).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});

test('a line with an unknown command, an unknown option or a program without a reason is a fault', async () => {
  const wrong = ['store key print', 'npx store key issue till --forever', 'npm run fly', 'docker run store', 'store'];

  for (const command of wrong) expect([command, await faultOf(command)]).not.toEqual([command, undefined]);
});

test('every command that a sentence or a table names exists, with its options', async () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'apps/inworld/README.md',
    ...globSync('docs/{guides,operate}/*.md'),
  ];
  const named = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/`(?:npx )?store ([^`]+)`/g)].map(([, text = '']) => ({ file, text })),
  );
  const faults = named.filter(({ text }) => {
    let command: Command = createProgram();
    for (const word of wordsOf(text)) {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next) command = next;
      else if (command.commands.length > 0 && !word.startsWith('-')) return true;
      else if (word.startsWith('--')) {
        const known = [...command.options, ...createProgram().options].map(({ long }) => long);
        if (!known.includes(word) && word !== '--help') return true;
      }
    }
    return false;
  });

  expect(named.length).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});

test('every command in the text of an alarm exists, with its options', async () => {
  const texts = templateOf(everythingOn).ofType('AWS::CloudWatch::Alarm');
  const commands = texts.flatMap(([, { Properties }]) =>
    [...textOf(Properties.AlarmDescription).matchAll(/"(npx store [^"]+)"/g)].map(([, command = '']) => command),
  );
  const faults: string[] = [];
  for (const command of commands)
    if ((await faultOf(command)) !== undefined) faults.push(`${command}: ${await faultOf(command)}`);

  expect(commands.length).toBeGreaterThan(10);
  expect(faults).toEqual([]);
});

test('every script that the documents name is in package.json', () => {
  const documents = [...globSync('*.md'), ...globSync('docs/{guides,operate,contract,evidence}/*.md')];
  const named = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => `${file}: ${script}`),
  );

  expect(named.filter((one) => !Object.hasOwn(scripts, one.split(': ')[1] ?? ''))).toEqual([]);
});

/** Syntax that PowerShell or cmd reads in another way than bash. */
const onlyBash: [RegExp, string][] = [
  [/\\$/m, 'a line that ends in a backslash'],
  [/^[A-Z_]+=/m, 'a variable'],
  [/\$[({A-Z]/, 'an expansion'],
  [/'/, 'a single quote'],
  [/&&|\|\|/, 'a chain'],
  [/\\"/, 'an escaped quote'],
];

test('every block marked sh has only syntax that bash and PowerShell read alike', () => {
  const faults = blocks
    .filter(({ language, file }) => language === 'sh' && /^(README|docs\/(guides|operate))/.test(file))
    .flatMap(({ file, line, text }) =>
      onlyBash.filter(([syntax]) => syntax.test(text)).map(([, name]) => `${file}:${line}: ${name}`),
    );

  expect(faults).toEqual([]);
});
