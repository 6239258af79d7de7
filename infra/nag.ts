import { type Stack, Validations } from 'aws-cdk-lib';

interface Acknowledgement {
  rule: string;
  /** Where in the stack, by the end of a construct's path. */
  at: RegExp;
  reason: string;
}

/** The rules of cdk-nag that this stack breaks on purpose, each as narrowly as it can be said, with the reason. */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    rule: 'AwsSolutions-SMG4',
    at: /\/CursorSecret\/Resource$/,
    reason:
      'The secret opens nothing: it seals the positions in lists that clients send back. Rotating it would break the lists that are being read, and gain nothing.',
  },
  {
    rule: 'AwsSolutions-APIG2',
    at: /\/Api\/Rest\/Resource$/,
    reason:
      'Every function validates path, query and body itself, and answers all faults of a request at once in the contract’s words; the gateway would stop at the first, in its own.',
  },
  {
    rule: 'AwsSolutions-APIG3',
    at: /\/DeploymentStage\.[^/]+\/Resource$/,
    reason: 'The firewall costs 8 dollars in an idle month, so the setting `firewall` asks for a choice.',
  },
  {
    rule: 'AwsSolutions-COG4',
    at: /\/(GET|POST|PUT|DELETE)\/Resource$/,
    reason:
      'The callers are programs with an API key, not people with a login. A Lambda authorizer checks key and scope of every method.',
  },
  {
    rule: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    at: /\/Rest\/CloudWatchRole\/Resource$/,
    reason: 'API Gateway asks for this very policy on the one role by which an account’s APIs write their logs.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::*]',
    at: /\/Role\/Resource$/,
    reason: 'Only with tracing=true: X-Ray knows no resources that its two actions could be held to.',
  },
  {
    rule: 'Serverless-LambdaStarPermissions',
    at: /\/Role\/Resource$/,
    reason: 'Only with tracing=true: X-Ray knows no resources that its two actions could be held to.',
  },
  {
    rule: 'Serverless-SQSRedrivePolicy',
    at: /\/DeadLetters\/Resource$/,
    reason: 'This is the queue that dead letters go to. An alarm tells of the first one in it.',
  },
  {
    rule: 'Serverless-LambdaDLQ',
    at: /\/Function\/Resource$/,
    reason:
      'No function is invoked asynchronously by others than the schedule: API Gateway waits for the answer, the worker’s messages have a dead-letter queue, and a sweep that fails is made up for by the next one, a minute later.',
  },
  {
    rule: 'Serverless-LambdaAsyncFailureDestination',
    at: /\/expiry-sweep\/Function\/EventInvokeConfig\/Resource$/,
    reason:
      'There is nothing to keep of a sweep that failed: its lots stay due, the next one takes them up a minute later, and alarms tell of it.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    at: /\/SqsEventSource[^/]*\/Resource$/,
    reason: 'A message that keeps failing goes to the dead-letter queue of its queue; a destination is for streams.',
  },
  {
    rule: 'Serverless-LambdaTracing',
    at: /\/Function\/Resource$/,
    reason: 'Traces cost 5 dollars per million, more than the calls themselves; they are a setting: tracing=true.',
  },
  {
    rule: 'Serverless-APIGWXrayEnabled',
    at: /\/DeploymentStage\.[^/]+\/Resource$/,
    reason: 'Traces cost 5 dollars per million, more than the calls themselves; they are a setting: tracing=true.',
  },
  {
    rule: 'Serverless-SNSRedrivePolicy',
    at: /\/Topic\/[^/]+\/Resource$/,
    reason: 'The only subscriber is a mailbox, for which SNS knows no redrive.',
  },
];

/** Writes the acknowledgements into a stack, where the rules of cdk-nag look for them. */
export const acknowledge = (stack: Stack): void => {
  const nodes = stack.node.findAll();
  for (const { rule: id, at, reason } of acknowledgements)
    for (const node of nodes.filter(({ node: { path } }) => at.test(path)))
      Validations.of(node).acknowledge({ id, reason });
};
