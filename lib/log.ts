/**
 * Writes log lines to standard output, one JSON object each. Lambda would put a time and an id before a line of the
 * console, and CloudWatch could then not search the JSON.
 */
export const logSink = {
  write: (fields: object): void => {
    process.stdout.write(`${JSON.stringify(fields)}\n`);
  },
};
