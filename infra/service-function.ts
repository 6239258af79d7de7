import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  type Code,
  type IFunction,
  type IVersion,
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
export interface Surroundings {
  settings: Settings;
  tableName: string;
  key: IKey | undefined;
  /** The bundle of an entry under `functions/`. */
  codeOf: (entry: string) => Code;
}

interface ServiceFunctionProps extends Surroundings {
  /** The function's file under `functions/`, without its ending. */
  entry: string;
  description: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  environment?: Record<string, string>;
  statements: PolicyStatement[];
  /** The stack within the service's that takes its log and its role, so that the service's has room for more functions. */
  side?: Construct;
  /** A client waits for its answer, so keeping it warm may be worth the price. */
  isWaitedFor?: true;
  /** It sends to the queue that calls it. By default Lambda stops such a chain after about 16 rounds. */
  isRecursive?: true;
  /** A wrong version of it could lose or make money, or stop all calls: where the settings say so, new versions get a share of the calls first. */
  isShifted?: true;
}

/** One Lambda function, its log, and a role that allows only its statements and that log. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly log: LogGroup;
  /** Its versions by their share of the calls, where the settings ask for that. */
  readonly alias: Alias | undefined;
  /** The function that callers use: the function itself, that alias, or the version of it that stays warm. */
  readonly target: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { settings, key } = props;
    const side = props.side ? new Construct(props.side, id) : this;
    this.log = new LogGroup(side, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(side, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        Access: new PolicyDocument({ statements: [...props.statements, ...this.ownStatements(settings, key)] }),
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
    const warm = props.isWaitedFor ? settings.provisionedConcurrency : 0;
    this.alias = props.isShifted && settings.canaryPercent > 0 ? this.aliasOf('Live', 'live') : undefined;
    // exactOptionalPropertyTypes hides that an alias is a function: hence the cast.
    this.target = (this.alias ?? (warm > 0 ? this.aliasOf('Warm', 'warm', warm) : this.lambda)) as IFunction;
  }

  private ownStatements({ tracing }: Settings, key: IKey | undefined): PolicyStatement[] {
    const allow = (sid: string, actions: string[], resource: string) =>
      new PolicyStatement({ sid, actions, resources: [resource] });
    const keyActions = ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];
    return [
      allow('Log', ['logs:CreateLogStream', 'logs:PutLogEvents'], this.log.logGroupArn),
      ...(key ? [allow('Decrypt', keyActions, key.keyArn)] : []),
      // X-Ray knows no resources to name.
      ...(tracing ? [allow('Trace', ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*')] : []),
    ];
  }

  private aliasOf(id: string, aliasName: string, provisionedConcurrentExecutions?: number): Alias {
    return new Alias(this, id, {
      aliasName,
      version: this.lambda.currentVersion as IVersion,
      ...(provisionedConcurrentExecutions && { provisionedConcurrentExecutions }),
    });
  }
}
