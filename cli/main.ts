import { CommanderError } from 'commander';
import { logSink } from '../lib/log.ts';
import { explain, UsageError } from './errors.ts';
import { jsonLine, note, paint, shownError } from './output.ts';
import { program } from './program.ts';

// A program that reads the output has no use for the log of `lib/`.
logSink.write = (fields) => note(paint('dim', jsonLine(fields), process.stderr));
// The reader of the output may close it early, as head does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the error, or the help that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    note(shownError(`error: ${explain(error)}`));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
