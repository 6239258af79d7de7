import { Command } from 'commander';

/** Commander's command with the behaviour that all commands of `store` share. */
export class StoreCommand extends Command {
  override createCommand(name?: string): StoreCommand {
    return new StoreCommand(name);
  }

  /** Shows the help on standard output. Commander alone would treat a command line without a command as a failure. */
  override help(): never {
    return super.help();
  }

  /** Ends the help with command lines that a person can copy. */
  examples(...lines: string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }

  /** Calls `work` with the options, including the options of `store` itself, and then with the arguments. */
  runs<O extends object, A extends unknown[]>(work: (options: O, ...args: A) => Promise<void>): this {
    // Commander passes the command's own options and the command after the arguments.
    return this.action((...given) => work(this.optsWithGlobals() as O, ...(given.slice(0, -2) as A)));
  }
}
