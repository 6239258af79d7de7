import { CommanderError } from 'commander';
import { logSink } from '../lib/log.ts';
import { explain } from './errors.ts';
import { jsonLine, note, paint, shownError, UsageError } from './output.ts';
import { program } from './program.ts';

/** The exit code that an error stands for. */
const codeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof UsageError ? 2 : 1;
};

// What `lib/` logs is of no use to a program that reads the output.
logSink.write = (fields) => note(paint('dim', jsonLine(fields), process.stderr));
// Whoever reads the output may have seen enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said already what was wrong.
  if (!(error instanceof CommanderError)) note(shownError(`error: ${explain(error)}`));
  process.exitCode = codeOf(error);
}
