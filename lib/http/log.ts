/** Where log lines go: to standard output, one JSON object each, as CloudWatch takes them. */
export const logSink = {
  write: (fields: object): void => {
    console.log(JSON.stringify(fields));
  },
};
