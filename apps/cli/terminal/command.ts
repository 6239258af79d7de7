import { Command } from 'commander';

/**
 * Commander's command, with what all commands here share: help is not a failure and ends with examples, and options
 * come first.
 */
export class StoreCommand extends Command {
  override createCommand(name?: string): StoreCommand {
    return new StoreCommand(name);
  }

  /** Shows the help on standard output. Commander would take it for a failure if the command line names no command. */
  override help(): never {
    return super.help();
  }

  /** Ends the help with command lines that a person can copy. */
  examples(...lines: string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }

  /** Calls `work` with the options, including those of `store` itself, and then the arguments. */
  runs<O extends object, A extends unknown[]>(work: (options: O, ...args: A) => Promise<void>): this {
    // Commander passes the command's own options and the command after the arguments.
    return this.action((...given) => work(this.optsWithGlobals() as O, ...(given.slice(0, -2) as A)));
  }
}
