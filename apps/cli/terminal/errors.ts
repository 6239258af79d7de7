import { Problem } from '../../../lib/problem.ts';
import { UnansweredError } from '../../../lib/table/engine.ts';

/** A wrong command line. The exit code is 2; other failures have 1. */
export class UsageError extends Error {}

/** A failure that its message explains in full. */
export class Failure extends Error {}

/** The person interrupted the command. The message says how far it came and how to continue. */
export class InterruptedError extends Error {}

/** A failure that the command has already reported. It only has to end with this exit code. */
export class UnsuccessfulError extends Error {
  readonly exitCode: number;

  constructor(exitCode = 1) {
    super();
    this.exitCode = exitCode;
  }
}

/** Turns a 404 into a failure with this text. */
export const orUnknown = async <T>(work: Promise<T>, text: string): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) throw new Failure(text);
    throw error;
  }
};

const signIn = 'AWS does not accept your credentials: sign in again.';
const expired = 'Your sign-in to AWS has expired: sign in again.';
const forbidden = 'Your AWS user may not do this: ask the person who looks after the account.';

/** Says how to fix failures of AWS, by the name of the error. */
const advice: Record<string, string> = {
  CredentialsProviderError:
    'AWS does not know who you are: sign in with aws login or aws configure sso (docs/guides/deploy.md).',
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  UnrecognizedClientException: signIn,
  InvalidClientTokenId: signIn,
  AccessDenied: forbidden,
  AccessDeniedException: forbidden,
  ResourceNotFoundException: 'The table is not there: start the service again, or deploy it again.',
};

/** Codes of errors without a network, or for a host that does not exist, as with a mistyped region. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT'];

/** Explains an error to a person. */
export const explain = (error: unknown): string => {
  if (error instanceof UsageError || error instanceof Failure || error instanceof Problem) return error.message;
  const failure = error instanceof UnansweredError ? error.cause : error;
  const { name, message, code = '', hostname = 'AWS' } = failure as NodeJS.ErrnoException & { hostname?: string };
  const known = advice[name];
  if (known) return `${known} (${name}: ${message})`;
  if (message.includes('Region is missing'))
    return 'No AWS region is set: set AWS_REGION, such as AWS_REGION=us-east-1.';
  if (code === 'ECONNREFUSED') return `The service no longer answers: start it again with npm start. (${message})`;
  if (unreachable.includes(code))
    return `${hostname} cannot be reached: check the network of this machine, and AWS_REGION, which is ${process.env.AWS_REGION ?? 'not set'}. (${message})`;
  return name === 'Error' ? message : `${name}: ${message}`;
};
