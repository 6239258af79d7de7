import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** The common properties of all functions of a deployment. */
export interface SharedProps {
  settings: Settings;
  tableName: string;
  key: IKey | undefined;
  /** The bundle of an entry under `functions/`. */
  codeOf: (entry: string) => Code;
}

export interface ServiceFunctionProps extends SharedProps {
  /** The function's file under `functions/`, without its ending. */
  entry: string;
  description: string;
  /** A sentence that says what breaks for whom while the function fails. The text of its alarm begins with it. */
  harm: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  environment?: Record<string, string>;
  statements: PolicyStatement[];
  /** It sends to the queue that calls it. By default Lambda stops such a chain after about 16 rounds. */
  isRecursive?: true;
}

/** How the table and the queues use the merchant's own key. A function that calls them needs these uses of the key. */
const keyUses = [
  { sid: 'ReadTable', service: 'dynamodb', isMade: /^dynamodb:/, actions: ['kms:Decrypt', 'kms:DescribeKey'] },
  {
    sid: 'WriteTable',
    service: 'dynamodb',
    isMade: /^dynamodb:(Put|Update|Delete|BatchWrite)/,
    actions: ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  },
  { sid: 'Receive', service: 'sqs', isMade: /^sqs:ReceiveMessage$/, actions: ['kms:Decrypt'] },
  { sid: 'Send', service: 'sqs', isMade: /^sqs:SendMessage$/, actions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
];

/** One Lambda function, its log, and a role that allows only its statements and that log. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly harm: string;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { settings } = props;
    this.harm = props.harm;
    this.log = new LogGroup(this, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Access: new PolicyDocument({
          statements: [...props.statements, ...this.keyStatements(props), ...this.ownStatements(settings)],
        }),
      },
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: props.codeOf(props.entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes,
      timeout: Duration.seconds(props.timeoutSeconds),
      environment: { TABLE_NAME: props.tableName, ...props.environment },
      // The role is complete. The CDK would add wider permissions.
      role: role.withoutPolicyUpdates(),
      logGroup: this.log,
      // The lines are JSON already, and the text format leaves them unchanged.
      loggingFormat: LoggingFormat.TEXT,
      ...(props.isRecursive && { recursiveLoop: RecursiveLoop.ALLOW }),
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    });
  }

  /**
   * A function uses the merchant's own key only through the table and the queues that its other statements name, never
   * by itself.
   */
  private keyStatements({ key, statements }: ServiceFunctionProps): PolicyStatement[] {
    if (!key) return [];
    const made = statements.flatMap(({ actions }) => actions);
    return keyUses
      .filter(({ isMade }) => made.some((action) => isMade.test(action)))
      .map(
        ({ sid, service, actions }) =>
          new PolicyStatement({
            sid: `Key${sid}`,
            actions,
            resources: [key.keyArn],
            conditions: { StringEquals: { 'kms:ViaService': `${service}.${Stack.of(this).region}.amazonaws.com` } },
          }),
      );
  }

  private ownStatements({ tracing }: Settings): PolicyStatement[] {
    const allow = (sid: string, actions: string[], resource: string) =>
      new PolicyStatement({ sid, actions, resources: [resource] });
    return [
      allow('Log', ['logs:CreateLogStream', 'logs:PutLogEvents'], this.log.logGroupArn),
      // X-Ray has no resources that a policy could name.
      ...(tracing ? [allow('Trace', ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*')] : []),
    ];
  }
}
