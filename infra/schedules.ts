import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { addFunction, type Base, queueUrls } from './base.ts';
import { permissions, sweepAccess } from './permissions.ts';
import type { ServiceFunction } from './service-function.ts';
import { sendStatement, tableStatements } from './statements.ts';

/** A sweep must end before the next one begins, which is after a minute. */
const sweepTimeoutSeconds = 55;

/** A role that this account's schedules alone may take. */
export const addScheduleRole = ({ stack }: Base, id: string, policies: Record<string, PolicyStatement[]>): Role =>
  new Role(stack, id, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
    inlinePolicies: Object.fromEntries(
      Object.entries(policies).map(([name, statements]) => [name, new PolicyDocument({ statements })]),
    ),
  });

/** Makes a schedule call a function, without retries: the next call does what a failed call did not. */
export const callEvery = (
  base: Base,
  rate: Duration,
  { lambda }: ServiceFunction,
  id: string,
  roleId: string,
): void => {
  lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] });
  const role = addScheduleRole(base, roleId, { Invoke: [invoke] });
  new Schedule(base.stack, id, {
    schedule: ScheduleExpression.rate(rate),
    target: new LambdaInvoke(lambda, {
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      // The role is complete. The CDK's own would allow every version of the function as well.
      role: role.withoutPolicyUpdates(),
    }),
  });
};

/** Closes the credit lots that have come due, follows renames, and orders the deliveries of sales, every minute. */
export const addSweep = (base: Base): ServiceFunction => {
  const { table, queue, slowQueue } = base.data;
  const sweep = addFunction(base, 'expiry-sweep', {
    description: 'Closes the credit lots that have come due, follows renames, and orders the deliveries of sales.',
    harm: 'Residents who paid may wait for their products, events come late, and expired credit stays in the balances that clients read.',
    memoryMegabytes: 512,
    timeoutSeconds: sweepTimeoutSeconds,
    environment: {
      ...queueUrls(base),
      SLOW_QUEUE_URL: slowQueue.queueUrl,
      CREDIT_LIMIT: String(base.settings.creditLimit),
    },
    statements: [...tableStatements(table, permissions(sweepAccess)), sendStatement(queue, slowQueue)],
  });
  // By default Lambda would retry a failed sweep twice, for up to six hours. It need not: the next sweep, a minute
  // later, closes the same lots.
  callEvery(base, Duration.minutes(1), sweep, 'EveryMinute', 'ScheduleRole');
  return sweep;
};
