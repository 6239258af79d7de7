import { Problem } from '../lib/problem.ts';
import { Failure, UsageError } from './output.ts';

/** What to do about failures of AWS that a merchant can mend, by the name of the error. */
const advice: Record<string, string> = {
  CredentialsProviderError:
    'AWS does not know who you are: sign in with aws login or aws configure sso (docs/operate/deploy.md).',
  ExpiredToken: 'Your sign-in to AWS has expired: sign in again.',
  ExpiredTokenException: 'Your sign-in to AWS has expired: sign in again.',
  UnrecognizedClientException: 'AWS does not accept your credentials: sign in again.',
  InvalidClientTokenId: 'AWS does not accept your credentials: sign in again.',
  AccessDenied: 'Your AWS user may not do this: ask whoever looks after the account.',
  AccessDeniedException: 'Your AWS user may not do this: ask whoever looks after the account.',
  ResourceNotFoundException: 'The table is not there. Was the service stopped or its deployment deleted?',
};

/** What an error says to a person, in one text. */
export const explain = (error: unknown): string => {
  if (error instanceof UsageError || error instanceof Failure || error instanceof Problem) return error.message;
  const { name, message, code } = error as NodeJS.ErrnoException;
  const known = advice[name];
  if (known) return `${known} (${name}: ${message})`;
  if (message.includes('Region is missing'))
    return 'No AWS region is set: set AWS_REGION, such as AWS_REGION=us-east-1.';
  if (code === 'ECONNREFUSED') return `The service does not answer any more: was it stopped? (${message})`;
  return name === 'Error' ? message : `${name}: ${message}`;
};
