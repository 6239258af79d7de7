import { CommanderError } from 'commander';
import { actedBy } from '../../../lib/table/actor.ts';
import { explain, InterruptedError, UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { note, shownError } from '../terminal/output.ts';
import { createProgram } from './program.ts';

/** The exit code that shells use: 128 plus the number of SIGINT. */
const interruptedCode = 130;

/**
 * Runs the command with these arguments. Answers its exit code: 0, 1 for a failure, 2 for a wrong command line, 130 if
 * it was interrupted, or a code that the help of the command names.
 */
export const run = async (args: readonly string[]): Promise<number> => {
  try {
    await actedBy({ type: 'operator' }, () => createProgram().parseAsync(args, { from: 'user' }));
    return 0;
  } catch (error) {
    if (error instanceof UnsuccessfulError) return error.exitCode;
    if (error instanceof InterruptedError) {
      note(error.message);
      return interruptedCode;
    }
    // Commander has printed the error, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`${shownError(`error: ${explain(error)}`)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
};
