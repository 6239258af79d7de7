/** Tells the merchant in a sentence what to do after a failed build. CloudFormation shows it as the reason. */

/** A failure that its message explains in full. */
export class LaunchError extends Error {}

const lacks = (right: string): string =>
  `The role of the build lacks ${right}. Use launch.yaml of the same release, unchanged, and ask whoever runs your AWS organization whether it forbids this.`;

/** Messages of programs, each with its meaning. The first one that fits is used. */
const meanings: [RegExp, (found: RegExpExecArray) => string][] = [
  [/not authorized to perform:? (\S+)/, ([, action]) => lacks(`a right, ${action}`)],
  [/AccessDenied/, () => lacks('a right')],
  [
    /Unable to locate credentials|InvalidClientTokenId|ExpiredToken|The security token/,
    () => 'AWS does not know the role of the build: it was deleted or changed. Delete this stack, and launch again.',
  ],
  [
    /These settings are wrong:\s*([\s\S]*)/,
    ([, lines = '']) => `The field "More settings" is wrong: ${lines.trim().replaceAll(/\s*\n\s*/g, ' ')}`,
  ],
  [
    /LimitExceeded|limit exceeded|quota|TooManyBuckets/i,
    () =>
      'A quota of your AWS account is used up. Ask for more in the console, Service Quotas, free of charge; then launch again.',
  ],
  [
    /cdk-sislaunch-\S+ already exists/,
    () =>
      'A bucket of an earlier launch is in the way. In the console, S3, empty and delete the bucket whose name begins with cdk-sislaunch-assets; then launch again.',
  ],
  [
    /ROLLBACK_FAILED|DELETE_FAILED|_IN_PROGRESS state/,
    () =>
      'The stack store-integration-prod is between two states. In the console, CloudFormation, see its events, and wait or delete it; then launch again.',
  ],
  [
    /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|Could not connect to the endpoint/,
    () => 'AWS could not be reached from the build. Launch again in some minutes.',
  ],
];

/** Says what to do about a failed step, if that is known. The cause is the error with the program's own words. */
export const explain = (step: string, error: unknown): LaunchError => {
  if (error instanceof LaunchError) return error;
  const { message } = error as Error;
  for (const [pattern, meaning] of meanings) {
    const found = pattern.exec(message);
    if (found) return new LaunchError(`${step} failed. ${meaning(found)}`, { cause: error });
  }
  return new LaunchError(`${step} failed. The lines before this one say why.`, { cause: error });
};
