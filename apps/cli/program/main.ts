import { logSink } from '../../../lib/log.ts';
import { jsonLine, note } from '../terminal/output.ts';
import { run } from './run.ts';

// Log lines of `lib/` go to standard error, since a program may read standard output.
logSink.write = (fields) => note(jsonLine(fields), 'dim');
// A reader such as `head` may close the output early.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2));
