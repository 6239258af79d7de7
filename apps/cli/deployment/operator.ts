import { userInfo } from 'node:os';
import { note } from '../terminal/output.ts';

/** The name of this machine's user, such as `user ada`. */
export const localUser = (): string => {
  try {
    return `user ${userInfo().username}`;
  } catch {
    // In a container the user may have no entry.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
};

/**
 * The ARN of the AWS identity that makes the command's calls. If AWS does not tell it, answers this machine's user,
 * marked as not identified. A change that AWS allows should not fail for that.
 */
export const awsIdentity = async (): Promise<string> => {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const millis = 3000;
  const client = new STSClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: millis, requestTimeout: millis, throwOnRequestTimeout: true },
  });
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand({}));
    if (!Arn) throw new Error('The answer has no ARN.');
    return Arn;
  } catch (error) {
    const user = localUser();
    note(
      `AWS does not say who you are, so the log names the user of this machine: ${user}. (${(error as Error).message})`,
    );
    return `not identified by AWS, ${user}`;
  }
};
