import { NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  ApiKey,
  ApiKeySourceType,
  type CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
  type ThrottleSettings,
  UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { customerPage } from '../lib/http/desk.ts';
import { pageLimitOf, usageKey, usageKeyCount } from '../lib/http/usage-key.ts';
import type { Route } from '../lib/routes/route.ts';
import packageFile from '../package.json' with { type: 'json' };
import { minCompressedBytes } from './compression.ts';
import { type ApiMethod, apiDocument, deskMethods, methodsOf } from './document.ts';
import type { Settings } from './settings.ts';

export type EndpointLoad = 'list' | 'read' | 'write';

/** The kind of load of an endpoint: lists are the heaviest, and writes cost the most. */
export const loadOf = ({ query, writes, queue }: Route): EndpointLoad =>
  'cursor' in query.shape ? 'list' : writes.length > 0 || queue ? 'write' : 'read';

interface ApiProps {
  settings: Settings;
  rows: readonly Route[];
  /** The functions of all methods and of the authorizer, by their files under `functions/`. */
  functions: ReadonlyMap<string, IFunction>;
  /** The keys of the usage plan begin with this. */
  usageKeyPrefix: string;
}

/** The fields of a line in the access log. They hold no key, query or body. */
const accessLine = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  answer: '$context.error.responseType',
  keyId: '$context.authorizer.keyId',
  milliseconds: '$context.responseLatency',
};

/**
 * The rate of each of the desk's methods, for all callers together: nobody is known there, and each answer costs. An
 * address that keeps the firewall's default rate cannot use this rate up. The burst is enough for the first view of ten
 * people.
 */
export const deskLimit = { rate: 20, burst: 100 };

/** The rate of the customer's page, which is one small text: its files count with the desk's. */
const customerPageLimit = { rate: 10, burst: 50 };

/** The REST API: the document that it is imported from, its stage with throttles and logs, and its permissions. */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  /** One line per call. */
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.log = new LogGroup(this, 'AccessLog', {
      retention: props.settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.rest = this.importDocument(props);
    this.addExecutionLog(props.settings);
    this.allowCalls(props);
    this.limitStores(props);
  }

  // The document and its stage

  /** CDK makes another deployment whenever the document changes, and moves the stage to it. */
  private importDocument({ settings, rows, functions }: ApiProps): SpecRestApi {
    const name = `Store Integration Service (${settings.stage})`;
    const document = apiDocument({
      name,
      version: packageFile.version,
      methods: methodsOf(rows, settings),
      addressOf: (entry) => this.addressOf(functionOf(functions, entry)),
      settings,
    });
    const rest = new SpecRestApi(this, 'Rest', {
      restApiName: name,
      apiDefinition: ApiDefinition.fromInline(document),
      // By default an import keeps the methods that the document no longer has, and does not say what it could not
      // import.
      mode: RestApiMode.OVERWRITE,
      failOnWarnings: true,
      endpointTypes: [EndpointType.REGIONAL],
      // CloudFormation ignores the line above when it makes an API from a document.
      parameters: { endpointConfigurationTypes: 'REGIONAL' },
      ...(settings.domainOnly && { disableExecuteApiEndpoint: true }),
      // An account has one role with which API Gateway writes logs. It outlives this stack, since other APIs may use
      // it.
      cloudWatchRole: true,
      deployOptions: {
        stageName: settings.stage,
        tracingEnabled: settings.tracing,
        accessLogDestination: new LogGroupLogDestination(this.log),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLine)),
        // Settings for each method would be 360 changes of the stage. A stage takes 80 at once.
        ...methodSettings(settings.endpointRate),
        methodOptions: deskOptionsOf(settings),
      },
    });
    const resource = rest.node.defaultChild as CfnRestApi;
    resource.apiKeySourceType = ApiKeySourceType.AUTHORIZER;
    resource.minimumCompressionSize = minCompressedBytes;
    // The CDK's own output repeats the stack's BaseUrl.
    rest.node.tryRemoveChild('Endpoint');
    return rest;
  }

  /** The address at which API Gateway calls a function. */
  private addressOf({ functionArn }: IFunction): string {
    return Stack.of(this).formatArn({
      service: 'apigateway',
      account: 'lambda',
      resource: 'path',
      resourceName: `2015-03-31/functions/${functionArn}/invocations`,
    });
  }

  /** Without this, API Gateway would create the log of its errors itself, keep it for ever, and leave it behind. */
  private addExecutionLog({ stage, logRetentionDays }: Settings): void {
    const log = new LogGroup(this, 'ExecutionLog', {
      // API Gateway writes to this name only.
      logGroupName: `API-Gateway-Execution-Logs_${this.rest.restApiId}/${stage}`,
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // CloudFormation makes the log before the stage, which writes to it, and deletes it afterwards.
    this.rest.deploymentStage.node.addDependency(log);
  }

  // The functions that it may call

  /**
   * Lets API Gateway call each function for its own methods, with a permission for each verb. The permissions are a
   * nested stack, and the stage waits for all of them: a new method never answers before its function may be called.
   */
  private allowCalls({ settings, rows, functions }: ApiProps): void {
    const permissions = new NestedStack(this, 'Permissions');
    const methods = Map.groupBy(methodsOf(rows, settings), ({ entry, method }) => `${entry} ${method}`);
    const allow = (entry: string, sourceArn: string, method = '') =>
      new CfnPermission(permissions, `${entry.replace('/', '-')}${method}`, {
        action: 'lambda:InvokeFunction',
        principal: 'apigateway.amazonaws.com',
        functionName: functionOf(functions, entry).functionArn,
        sourceArn,
      });
    for (const [name, some] of methods) {
      const [entry = '', method = ''] = name.split(' ');
      allow(entry, this.rest.arnForExecuteApi(method, pathOfAll(some), settings.stage), method);
    }
    const { restApiId: resource } = this.rest;
    allow('authorizer', Stack.of(this).formatArn({ service: 'execute-api', resource, resourceName: 'authorizers/*' }));
    this.rest.deploymentStage.node.addDependency(permissions);
  }

  // How much each store may call

  /**
   * Bounds the calls of each store, and apart from them the calls of its customers' pages: a plan's throttle counts
   * all calls that share a usage key. The plans set no throttle for single methods, since API Gateway takes at most 20
   * for a stage. Plans and keys are a nested stack, because they come after the stage and nothing waits for them.
   */
  private limitStores({ settings, usageKeyPrefix }: ApiProps): void {
    const limits = new NestedStack(this, 'Limits');
    const plan = new UsagePlan(limits, 'StorePlan', {
      name: `${Stack.of(this).stackName} stores`,
      throttle: storeThrottle(settings),
      apiStages: [{ stage: this.rest.deploymentStage }],
    });
    const pagePlan = new UsagePlan(limits, 'PagePlan', {
      name: `${Stack.of(this).stackName} pages of customers`,
      throttle: pageThrottle(settings),
      apiStages: [{ stage: this.rest.deploymentStage }],
    });
    for (let number = 0; number < usageKeyCount; number++) {
      plan.addApiKey(new ApiKey(limits, `StoreKey${number}`, { value: usageKey(usageKeyPrefix, number) }));
      const value = usageKey(usageKeyPrefix, usageKeyCount + number);
      pagePlan.addApiKey(new ApiKey(limits, `PageKey${number}`, { value }));
    }
  }
}

const functionOf = (functions: ApiProps['functions'], entry: string): IFunction => {
  const found = functions.get(entry);
  if (!found) throw new Error(`The API has a method of the function ${entry}, which the stack does not make.`);
  return found;
};

/** One pattern that covers the paths of all these methods, and as few others as wildcards allow. */
const pathOfAll = (methods: readonly ApiMethod[]): string => {
  const [first = '', ...others] = methods.map(({ path }) => path.replace(/\{[^}]+\}/g, '*'));
  const isShared = (length: number): boolean => others.every((path) => path.startsWith(first.slice(0, length)));
  const shared = Array.from(first, (_, index) => index + 1).filter(isShared).length;
  return others.every((path) => path === first) ? first : `${first.slice(0, shared)}*`;
};

// Rates

const methodSettings = (rate: number, burst = 2 * rate): MethodDeploymentOptions => ({
  throttlingRateLimit: rate,
  throttlingBurstLimit: burst,
  // A method with its own settings inherits none of the stage's, so these repeat them.
  loggingLevel: MethodLoggingLevel.ERROR,
  dataTraceEnabled: false,
});

const deskOptionsOf = ({ desk }: Settings): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    (desk ? deskMethods : []).map(({ path, method }) => {
      const { rate, burst } = path === customerPage ? customerPageLimit : deskLimit;
      return [`${path}/${method}`, methodSettings(rate, burst)];
    }),
  );

/**
 * One store's share of an endpoint's rate, for all its calls together. A store that sends all its calls to one endpoint
 * leaves the other stores the rest. The burst is twice the rate, as for the endpoints.
 */
const storeThrottle = ({ endpointRate, storeShare }: Settings): ThrottleSettings => {
  const rateLimit = (endpointRate * storeShare) / 100;
  return { rateLimit, burstLimit: Math.max(1, Math.floor(2 * rateLimit)) };
};

const pageThrottle = ({ endpointRate, storeShare }: Settings): ThrottleSettings => {
  const { rate, burst } = pageLimitOf((endpointRate * storeShare) / 100);
  return { rateLimit: rate, burstLimit: burst };
};
