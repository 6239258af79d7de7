import { logSink } from '../../../lib/log.ts';
import { jsonLine, note } from '../terminal/output.ts';
import { run } from './run.ts';

// A program that reads the output does not need the log of `lib/`.
logSink.write = (fields) => note(jsonLine(fields), 'dim');
// The reader of the output may close it early, as head does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2));
