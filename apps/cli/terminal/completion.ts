// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of the shell.
import type { Command, Option } from 'commander';

/**
 * Makes scripts with which a shell completes the command line. They are made from the commands, and run nothing while a
 * person types.
 */

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Node {
  /** The words after `store` that lead to the command, separated by spaces. */
  path: string;
  /** Its subcommands, or the values of its argument if these are known. */
  commands: { name: string; text: string }[];
  options: Option[];
}

/** Puts a text between single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\n', ' ')}'`;

export const firstSentence = (text: string): string => text.split(/(?<=\.)\s/)[0] ?? '';

const optionNames = ({ short, long }: Option): string[] =>
  [long, short].filter((name) => name !== undefined && name !== null);

const isVisible = ({ hidden }: Option): boolean => !hidden;

/** Every command with its own options and with the options that all commands take. */
const nodesOf = (command: Command, shared: readonly Option[], path = ''): Node[] => [
  {
    path,
    commands: [
      ...command.commands.map((sub) => ({ name: sub.name(), text: firstSentence(sub.description()) })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description: text }) =>
        argChoices.map((name) => ({ name, text })),
      ),
    ],
    options: [...(path === '' ? [] : command.options), ...shared].filter(isVisible),
  },
  ...command.commands.flatMap((sub) => nodesOf(sub, shared, `${path} ${sub.name()}`.trim())),
];

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Lines of a case statement with which the shell finds the command from the words typed so far. */
const steps = (nodes: readonly Node[], set: (path: string) => string): string[] =>
  nodes.filter(({ path }) => path !== '').map(({ path }) => `      ${quoted(path)}) ${set(path)} ;;`);

/** Lines of another case statement, for options that take a value, with the values if they are known. */
const valueCases = (nodes: readonly Node[], known: (choices: readonly string[]) => string, other: string): string[] =>
  nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).flatMap((option) => {
      const names = optionNames(option).map((name) => quoted(`${path} ${name}`.trim()));
      return [`    ${names.join('|')}) ${option.argChoices ? known(option.argChoices) : other}; return ;;`];
    }),
  );

const completions = ({ commands, options }: Node): string[] => [
  ...commands.map(({ name }) => name),
  ...options.flatMap(optionNames),
];

const bash = (nodes: readonly Node[]): string[] => [
  '_store() {',
  '  local word at="" known="" i cur="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
  '  for ((i = 1; i < COMP_CWORD; i++)); do',
  '    word="${at:+$at }${COMP_WORDS[i]}"',
  '    case "$word" in',
  ...steps(nodes, (path) => `at=${quoted(path)}`),
  '    esac',
  '  done',
  '  COMPREPLY=()',
  '  case "${at:+$at }$before" in',
  ...valueCases(nodes, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`, ':'),
  '  esac',
  '  case "$at" in',
  ...nodes.map((node) => `    ${quoted(node.path)}) known=${quoted(completions(node).join(' '))} ;;`),
  '  esac',
  '  COMPREPLY=($(compgen -W "$known" -- "$cur"))',
  '}',
  '# Where the script knows nothing, bash completes the names of files.',
  'complete -o default -F _store store',
];

const zshItems = (items: readonly { name: string; text: string }[]): string =>
  items.map(({ name, text }) => quoted(`${name.replaceAll(':', '\\:')}:${text.replaceAll(':', '\\:')}`)).join(' ');

const zsh = (nodes: readonly Node[]): string[] => [
  '#compdef store',
  '_store() {',
  '  local word at="" i',
  '  local -a commands options',
  '  for ((i = 2; i < CURRENT; i++)); do',
  '    word="${at:+$at }${words[i]}"',
  '    case "$word" in',
  ...steps(nodes, (path) => `at=${quoted(path)}`),
  '    esac',
  '  done',
  '  case "${at:+$at }${words[CURRENT-1]}" in',
  ...valueCases(nodes, (choices) => `compadd -- ${choices.map(quoted).join(' ')}`, '_files'),
  '  esac',
  '  case "$at" in',
  ...nodes.map(({ path, commands, options }) => {
    const flags = options.flatMap((option) =>
      optionNames(option).map((name) => ({ name, text: firstSentence(option.description) })),
    );
    return `    ${quoted(path)}) commands=(${zshItems(commands)}) options=(${zshItems(flags)}) ;;`;
  }),
  '  esac',
  '  if [[ "${words[CURRENT]}" == -* ]]; then',
  "    _describe -o 'option' options",
  '  elif (( ${#commands} )); then',
  "    _describe 'command' commands",
  '  else',
  '    _files',
  '  fi',
  '}',
  'compdef _store store',
];

const fishOption = (path: string, option: Option): string => {
  const { short, long, argChoices, description } = option;
  const names = [long ? `-l ${long.slice(2)}` : '', short ? `-s ${short.slice(1)}` : ''].filter((part) => part !== '');
  const value = argChoices ? `-x -a ${quoted(argChoices.join(' '))}` : takesValue(option) ? '-r' : '';
  const parts = [`complete -c store -n ${quoted(`__store_at "${path}"`)}`, ...names, value];
  return `${parts.filter((part) => part !== '').join(' ')} -d ${quoted(firstSentence(description))}`;
};

const fish = (nodes: readonly Node[]): string[] => [
  'function __store_at',
  "  set -l at ''",
  '  for word in (commandline -opc)[2..]',
  '    set -l next (string trim -- "$at $word")',
  `    if contains -- "$next" ${nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}`,
  '      set at $next',
  '    end',
  '  end',
  '  test "$at" = "$argv[1]"',
  'end',
  ...nodes.flatMap(({ path, commands, options }) => [
    ...commands.map(
      ({ name, text }) =>
        `complete -c store -n ${quoted(`__store_at "${path}"`)} -f -a ${quoted(name)} -d ${quoted(text)}`,
    ),
    ...options.map((option) => fishOption(path, option)),
  ]),
];

const scripts: Record<Shell, (nodes: readonly Node[]) => string[]> = { bash, zsh, fish };

/** Makes the script with which a shell completes a program's commands, options and their allowed values. */
export const completionScript = (program: Command, shell: Shell): string =>
  `${scripts[shell](nodesOf(program, program.options)).join('\n')}\n`;
