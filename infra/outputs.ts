import { CfnOutput } from 'aws-cdk-lib';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import packageFile from '../package.json' with { type: 'json' };
import type { Api } from './api.ts';
import type { Base } from './base.ts';
import type { Domain } from './extras.ts';

/** Adds the outputs that a merchant and the operator's command read. */
export const addOutputs = (
  { stack, settings, data }: Base,
  api: Api,
  domain: Domain | undefined,
  alarms: Topic | undefined,
): void => {
  const baseUrl = domain?.url ?? api.rest.url.replace(/\/$/, '');
  const outputs = {
    BaseUrl: baseUrl,
    ...(settings.desk && { DeskUrl: `${baseUrl}/desk` }),
    ...(domain && { DomainTarget: domain.target }),
    TableName: data.table.tableName,
    // The operator's command needs these too: see apps/cli/deployment/target.ts.
    DeliveryQueueUrl: data.queue.queueUrl,
    SlowQueueUrl: data.slowQueue.queueUrl,
    DeadLetterQueueUrl: data.deadLetters.queueUrl,
    HistoryFailuresUrl: data.historyFailures.queueUrl,
    AuthorizerTtlSeconds: String(settings.authorizerTtlSeconds),
    CreditLimit: String(settings.creditLimit),
    ...(settings.operatorLogDays > 0 && { OperatorLogDays: String(settings.operatorLogDays) }),
    ...(settings.dispenserHostSuffixes && { DispenserHostSuffixes: settings.dispenserHostSuffixes }),
    Version: packageFile.version,
    ...(alarms && { AlarmTopic: alarms.topicArn }),
    ...(settings.releases && { Releases: settings.releases }),
    NextCommand: `npx store create --stage ${settings.stage} --preset all`,
  };
  for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
};
