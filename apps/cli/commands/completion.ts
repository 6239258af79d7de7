import { Argument } from 'commander';
import type { GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { completionScript, type Shell, shells } from '../terminal/completion.ts';

const install = `
Where there is no command store, a function can stand for it, in bash and zsh:
  store() { npx store "$@"; }`;

export const addCompletion = (program: StoreCommand): void => {
  program
    .command('completion')
    .description('Prints a script by which your shell completes commands, options and their values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', install)
    .examples(
      'source <(store completion bash)',
      'store completion zsh > ~/.zfunc/_store',
      'store completion fish > ~/.config/fish/completions/store.fish',
    )
    .runs(async (_: GlobalOptions, shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
    });
};
