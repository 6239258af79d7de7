/**
 * Where log lines go: to standard output, one JSON object each, as CloudWatch takes them. Not through the console, for
 * which Lambda begins each line with a time and an id: CloudWatch could not look into the JSON after those.
 */
export const logSink = {
  write: (fields: object): void => {
    process.stdout.write(`${JSON.stringify(fields)}\n`);
  },
};
