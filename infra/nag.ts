import { type Stack, Validations } from 'aws-cdk-lib';

interface Acknowledgement {
  rule: string;
  /** Matches the ends of the paths of the constructs that it is about. */
  at: RegExp;
  reason: string;
}

/** The rules of cdk-nag that this stack breaks on purpose, each with its reason, for as few constructs as possible. */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    rule: 'AwsSolutions-SMG4',
    at: /\/CursorSecret\/Resource$/,
    reason:
      'The secret gives no access: it seals the cursors that clients send back. A rotation would make the cursors in use invalid, for no gain.',
  },
  {
    rule: 'AwsSolutions-APIG2',
    at: /\/Api\/Rest\/Resource$/,
    reason:
      'Every function validates path, query and body, and reports all faults of a request in the contract’s words. The gateway would report only the first, in its own words.',
  },
  {
    rule: 'AwsSolutions-APIG3',
    at: /\/DeploymentStage\.[^/]+\/Resource$/,
    reason: 'The firewall costs 8 dollars in an idle month, so the setting `firewall` requires a choice.',
  },
  {
    rule: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    at: /\/Rest\/CloudWatchRole\/Resource$/,
    reason: 'API Gateway requires this policy on the role with which all APIs of an account write their logs.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::*]',
    at: /\/Role\/Resource$/,
    reason:
      'ListStreams cannot be limited to resources, nor can, with tracing=true, the two actions of X-Ray. It tells the names of streams, and nothing in them.',
  },
  {
    rule: 'Serverless-LambdaStarPermissions',
    at: /\/Role\/Resource$/,
    reason:
      'ListStreams cannot be limited to resources, nor can, with tracing=true, the two actions of X-Ray. It tells the names of streams, and nothing in them.',
  },
  {
    rule: 'Serverless-SQSRedrivePolicy',
    at: /\/(DeadLetters|HistoryFailures)\/Resource$/,
    reason: 'This queue receives what nothing could handle, and its first message sets off an alarm.',
  },
  {
    rule: 'AwsSolutions-SQS3',
    at: /\/HistoryFailures\/Resource$/,
    reason: 'No function takes messages from it, so none can fail: a person reads them.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::<DataTableFDBAD0F2.Arn>/stream/*]',
    at: /\/(stream-consumer|event-bus)\/Role\/Resource$/,
    reason: 'The name of a stream is the time at which it began, so no pattern can be narrower.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::copies-of-my-shop/prod/*]',
    at: /\/(ExportRole|table-export\/Role)\/Resource$/,
    reason: 'DynamoDB names the files of an export itself. The role may write under the stage’s name in one bucket.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::<DataTableFDBAD0F2.Arn>/export/*]',
    at: /\/table-export\/Role\/Resource$/,
    reason: 'DynamoDB names an export itself. The role may only describe those of one table.',
  },
  {
    rule: 'Serverless-LambdaDLQ',
    at: /\/Function\/Resource$/,
    reason:
      'Only the schedule invokes a function asynchronously, and the next sweep makes up for a failed one. API Gateway waits for its answers, and the worker’s messages have a dead-letter queue. Lambda itself repeats a batch of the stream.',
  },
  {
    rule: 'Serverless-LambdaAsyncFailureDestination',
    at: /\/(expiry-sweep|table-export)\/(Function|Live)\/EventInvokeConfig\/Resource$/,
    reason:
      'A failed call leaves nothing to keep: the next one, a minute or an hour later, does its work too, and alarms report the failure.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    at: /\/SqsEventSource[^/]*\/Resource$/,
    reason: 'A message that keeps failing goes to the dead-letter queue. Destinations are for streams.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    at: /\/EventStream\/Resource$/,
    reason: 'An event that a bus did not take for a day is still in the list of events, and an alarm has told of it.',
  },
  {
    rule: 'Serverless-LambdaTracing',
    at: /\/Function\/Resource$/,
    reason: 'A million traces cost 5 dollars, more than the calls themselves, so they are a setting: tracing=true.',
  },
  {
    rule: 'Serverless-APIGWXrayEnabled',
    at: /\/DeploymentStage\.[^/]+\/Resource$/,
    reason: 'A million traces cost 5 dollars, more than the calls themselves, so they are a setting: tracing=true.',
  },
  {
    rule: 'Serverless-SNSRedrivePolicy',
    at: /\/Topic\/[^/]+\/Resource$/,
    reason: 'The only subscriber is a mailbox, and SNS has no redrive for e-mail.',
  },
];

/** Writes the acknowledgements into a stack, where cdk-nag reads them. */
export const acknowledge = (stack: Stack): void => {
  const nodes = stack.node.findAll();
  for (const { rule: id, at, reason } of acknowledgements)
    for (const node of nodes.filter(({ node: { path } }) => at.test(path)))
      Validations.of(node).acknowledge({ id, reason });
};
