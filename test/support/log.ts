import { logSink } from '../../lib/log.ts';

interface LogLine {
  requestId: string;
  route?: string;
  status?: number;
  calls: number;
  steps: number;
  units: number;
  stack?: string;
  webhook?: string;
}

/** Writes a line as the service does on Lambda. */
export const writeLine = logSink.write;

/** The logged lines, which do not go to standard output. */
export const logLines: LogLine[] = [];
logSink.write = (fields) => {
  logLines.push(fields as LogLine);
};
