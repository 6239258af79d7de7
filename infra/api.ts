import { Duration, NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiKey,
  ApiKeySourceType,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  RequestAuthorizer,
  ResponseType,
  RestApi,
  type ThrottleSettings,
  type ThrottlingPerMethod,
  UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { answerHeaders } from '../lib/http/headers.ts';
import { usageKey, usageKeyCount } from '../lib/http/usage-key.ts';
import type { Route } from '../lib/routes/route.ts';
import { gatewayCors, preflightHeaders, preflightStatus, preflightTemplate } from './cors.ts';
import { authorizerIdentity, type GatewayAnswer, gatewayAnswers, gatewayBody } from './gateway-answers.ts';
import type { Settings } from './settings.ts';

export type Load = 'list' | 'read' | 'write';

/** The kind of load that an endpoint makes: lists are the heaviest, and writes cost the most. */
export const loadOf = ({ query, writes, queue }: Route): Load =>
  'cursor' in query.shape ? 'list' : writes.length > 0 || queue ? 'write' : 'read';

interface ApiProps {
  settings: Settings;
  rows: readonly Route[];
  authorizer: IFunction;
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
 * The desk's methods, each for all callers together: nobody is known there, and each answer costs. An address that the
 * firewall holds to its default rate cannot use this one up, and the burst is the first view of a dozen people.
 */
const deskLimit = { rate: 20, burst: 60 };
const deskMethods = ['/desk', '/desk/{file}'].flatMap((path) => ['GET', 'HEAD'].map((verb) => `${path}/${verb}`));

/** The REST API without its methods: stage, throttles, logs, authorizer, and the gateway's own answers. */
export class Api extends Construct {
  readonly rest: RestApi;
  /** One line per call. */
  readonly log: LogGroup;
  private readonly authorizer: RequestAuthorizer;
  private readonly limits: ThrottlingPerMethod[] = [];
  private readonly cors: Record<string, string>;
  private readonly storeShare: number;
  private readonly rateOf: (row: Route) => number;

  constructor(scope: Construct, id: string, { settings, rows, authorizer }: ApiProps) {
    super(scope, id);
    this.log = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const rates = { list: settings.listRate, read: settings.readRate, write: settings.writeRate };
    this.cors = gatewayCors(settings.corsOrigins);
    this.storeShare = settings.storeShare;
    this.rateOf = (row) => rates[loadOf(row)];
    const perMethod = (rate: number, burst = 2 * rate): MethodDeploymentOptions => ({
      throttlingRateLimit: rate,
      throttlingBurstLimit: burst,
      // A method with its own settings inherits none of the stage's, so these repeat them.
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
    });
    this.rest = new RestApi(this, 'Rest', {
      restApiName: `Store Integration Service (${settings.stage})`,
      endpointTypes: [EndpointType.REGIONAL],
      ...(settings.domainOnly && { disableExecuteApiEndpoint: true }),
      // The authorizer names the usage key of the caller's store: see limitStores.
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // An account has one role with which API Gateway writes logs. It outlives this stack, since other APIs may use
      // it.
      cloudWatchRole: true,
      deployOptions: {
        stageName: settings.stage,
        tracingEnabled: settings.tracing,
        accessLogDestination: new LogGroupLogDestination(this.log),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLine)),
        ...perMethod(settings.readRate),
        methodOptions: Object.fromEntries([
          ...rows.map((row) => [`${row.path}/${row.method}`, perMethod(this.rateOf(row))]),
          ...(settings.desk ? deskMethods : []).map((name) => [name, perMethod(deskLimit.rate, deskLimit.burst)]),
        ]),
      },
    });
    this.addExecutionLog(settings);
    // The CDK's own output repeats the stack's BaseUrl.
    this.rest.node.tryRemoveChild('Endpoint');
    this.authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: authorizer,
      identitySources: [
        IdentitySource.header(authorizerIdentity.header),
        ...authorizerIdentity.context.map((name) => IdentitySource.context(name)),
      ],
      resultsCacheTtl: Duration.seconds(settings.authorizerTtlSeconds),
    });
    for (const [type, answer] of Object.entries(gatewayAnswers)) {
      // API Gateway does not let anybody change this one.
      if (type !== 'REQUEST_TOO_LARGE') this.addAnswer(type, answer);
    }
    if (settings.corsOrigins) this.addPreflight(settings.corsOrigins);
  }

  /** Without this, API Gateway would create the log of its errors itself, keep it without end and leave it behind. */
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

  private addAnswer(type: string, answer: GatewayAnswer): void {
    const headers = { ...answerHeaders, ...this.cors, ...answer.headers, 'Content-Type': 'application/problem+json' };
    this.rest.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(answer.status),
      responseHeaders: {
        ...literals(headers),
        'X-Request-Id': 'context.requestId',
      },
      templates: { 'application/json': JSON.stringify(gatewayBody(answer, '$context.path')) },
    });
  }

  /** One method answers the preflights of all paths, since none of them has a method OPTIONS of its own. */
  private addPreflight(origins: string): void {
    const template = preflightTemplate(origins);
    const parameters = prefixed('method.response.header.', literals(preflightHeaders(origins)));
    const statusCode = String(preflightStatus);
    this.rest.root.addResource('{proxy+}').addMethod(
      'OPTIONS',
      new MockIntegration({
        passthroughBehavior: PassthroughBehavior.NEVER,
        requestTemplates: { 'application/json': JSON.stringify({ statusCode: preflightStatus }) },
        integrationResponses: [
          {
            statusCode,
            responseParameters: parameters,
            ...(template && { responseTemplates: { 'application/json': template } }),
          },
        ],
      }),
      {
        operationName: 'preflight',
        methodResponses: [
          {
            statusCode,
            responseParameters: Object.fromEntries(Object.keys(parameters).map((name) => [name, true])),
          },
        ],
      },
    );
  }

  /** Adds the method of a row. */
  addMethod(row: Route, target: IFunction): void {
    const method = this.rest.root
      .resourceForPath(row.path)
      .addMethod(row.method, new LambdaIntegration(target, { allowTestInvoke: false }), {
        authorizer: this.authorizer,
        operationName: row.id.replace('/', '-'),
        apiKeyRequired: true,
      });
    this.limits.push({ method, throttle: throttle(this.rateOf(row), this.storeShare) });
  }

  /**
   * Adds the desk's page and its files, which anybody may load: they hold no data. They have a rate of their own, and
   * no store's share of it, since nobody is known yet.
   */
  addDesk(target: IFunction): void {
    const page = this.rest.root.addResource('desk');
    for (const [resource, operationName] of [
      [page, 'desk'],
      [page.addResource('{file}'), 'desk-file'],
    ] as const)
      for (const method of ['GET', 'HEAD'])
        resource.addMethod(method, new LambdaIntegration(target, { allowTestInvoke: false }), { operationName });
  }

  /**
   * Gives each store its share of every method's rate. Call it after the last `addMethod`. The plan and its keys are a
   * stack of their own within the service's, which has room for 500 resources: nothing in there has state.
   */
  limitStores(usageKeyPrefix: string): void {
    const limits = new NestedStack(this, 'Limits');
    const plan = new UsagePlan(limits, 'StorePlan', {
      name: `${Stack.of(this).stackName} stores`,
      apiStages: [{ stage: this.rest.deploymentStage, throttle: this.limits }],
    });
    for (let number = 0; number < usageKeyCount; number++)
      plan.addApiKey(new ApiKey(limits, `StoreKey${number}`, { value: usageKey(usageKeyPrefix, number) }));
  }
}

/** Headers with fixed values, as API Gateway writes them. */
const literals = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

const prefixed = <T>(prefix: string, values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));

/** A share of a rate in percent. The burst is twice the rate, as for the endpoints. */
const throttle = (rate: number, share: number): ThrottleSettings => ({
  rateLimit: (rate * share) / 100,
  burstLimit: Math.max(1, Math.floor((2 * rate * share) / 100)),
});
