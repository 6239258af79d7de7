import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * AWS's quotas that the template can reach, as data. No stand-in knows them, and AWS rolls a deployment beyond one of
 * them back. Looked up in November 2026.
 */

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
type Part = any;

/** A template of the deployment: of the stack itself, or of a nested stack. */
export interface StackTemplate {
  file: string;
  bytes: number;
  template: Part;
}

/** A number of something, and where it was found. */
interface Count {
  count: number;
  where: string;
}

export interface Quota {
  name: string;
  /** The most that AWS takes. */
  most: number;
  /** AWS raises it on request. */
  mayBeRaised: boolean;
  /** The document of AWS that has the number. */
  source: string;
  /** The count for each place where the quota holds. */
  counts: (stacks: readonly StackTemplate[]) => Count[];
}

/** The templates of a cloud assembly. */
export const readStacks = (dir: string): StackTemplate[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith('template.json'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(dir, file), 'utf8');
      return { file, bytes: Buffer.byteLength(text), template: JSON.parse(text) };
    });

const resourcesOf = (stacks: readonly StackTemplate[], type: string): [id: string, properties: Part][] =>
  stacks.flatMap(({ template }) =>
    Object.entries<Part>(template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties = {} }]): [string, Part] => [id, Properties]),
  );

/** The longest values that can occur: see `nameOf`. */
const pseudo: Readonly<Record<string, string>> = {
  'AWS::Region': 'ap-southeast-2',
  'AWS::AccountId': '111111111111',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** A resource's name in a deployment that has the longest name itself. */
const nameOf = (id: string): string =>
  pseudo[id] ?? `store-integration-abcdefghijklmnopqrst-${id.slice(0, 24)}-ABCDEFGHIJKL`;

const arnStart = 'arn:aws:secretsmanager:ap-southeast-2:111111111111:function:';

/** A part of a template as text, with long names instead of references. */
const textOf = (part: Part): string => {
  if (typeof part === 'string') return part;
  if (part?.['Fn::Join']) return part['Fn::Join'][1].map(textOf).join(part['Fn::Join'][0]);
  if (part?.Ref) return nameOf(part.Ref);
  if (part?.['Fn::GetAtt']) return arnStart + nameOf(String(part['Fn::GetAtt'][0]));
  if (part?.['Fn::Select'] || part?.['Fn::Sub']) return arnStart + nameOf('');
  if (Array.isArray(part)) return `[${part.map(textOf).join(',')}]`;
  if (part && typeof part === 'object')
    return `{${Object.entries<Part>(part)
      .map(([name, value]) => `"${name}":${textOf(value)}`)
      .join(',')}}`;
  return String(part);
};

/** Counts something in each resource of a type. */
const inEach =
  (type: string, count: (properties: Part) => number) =>
  (stacks: readonly StackTemplate[]): Count[] =>
    resourcesOf(stacks, type).map(([id, properties]) => ({ where: id, count: count(properties) }));

/** Counts something in each template. */
const inStacks =
  (count: (stack: StackTemplate) => number) =>
  (stacks: readonly StackTemplate[]): Count[] =>
    stacks.map((stack) => ({ where: stack.file, count: count(stack) }));

const ofType =
  (...types: string[]) =>
  (stacks: readonly StackTemplate[]): Count[] => [
    { where: 'all stacks', count: types.reduce((sum, type) => sum + resourcesOf(stacks, type).length, 0) },
  ];

const sizeOf = (object: object = {}): number => Object.keys(object).length;

const pathsOf = ({ Body }: Part): string[] => Object.keys(Body?.paths ?? {});

/** The nodes of the tree of an API's paths, its root included. */
const nodesOf = (paths: readonly string[]): number =>
  new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')))).size;

const policyBytes = (policies: readonly Part[] = []): number =>
  policies.reduce((sum, { PolicyDocument }) => sum + textOf(PolicyDocument).length, 0);

const apiGateway = 'Amazon API Gateway, Quotas for configuring and running a REST API';
const cloudFormation = 'AWS CloudFormation, Understand CloudFormation quotas';
const lambda = 'AWS Lambda, Lambda quotas';
const iam = 'AWS Identity and Access Management, IAM and STS quotas';
const dynamodb = 'Amazon DynamoDB, Quotas in Amazon DynamoDB';
const cloudWatch = 'Amazon CloudWatch, CloudWatch service quotas';

const quota = (name: string, most: number, mayBeRaised: boolean, source: string, counts: Quota['counts']): Quota => ({
  name,
  most,
  mayBeRaised,
  source,
  counts,
});

/** In the order in which a deployment meets them. */
export const quotas: readonly Quota[] = [
  quota(
    'bytes of a template',
    1_000_000,
    false,
    cloudFormation,
    inStacks(({ bytes }) => bytes),
  ),
  quota(
    'resources of a stack',
    500,
    false,
    cloudFormation,
    inStacks(({ template }) => sizeOf(template.Resources)),
  ),
  quota(
    'parameters of a stack',
    200,
    false,
    cloudFormation,
    inStacks(({ template }) => sizeOf(template.Parameters)),
  ),
  quota(
    'outputs of a stack',
    200,
    false,
    cloudFormation,
    inStacks(({ template }) => sizeOf(template.Outputs)),
  ),
  quota('roles of an account', 1000, true, iam, ofType('AWS::IAM::Role')),
  quota(
    'characters of all inline policies of a role',
    10_240,
    false,
    iam,
    inEach('AWS::IAM::Role', ({ Policies }) => policyBytes(Policies)),
  ),
  quota(
    'characters of a role’s trust policy',
    2048,
    true,
    iam,
    inEach('AWS::IAM::Role', ({ AssumeRolePolicyDocument }) => textOf(AssumeRolePolicyDocument).length),
  ),
  quota(
    'managed policies of a role',
    10,
    true,
    iam,
    inEach('AWS::IAM::Role', ({ ManagedPolicyArns = [] }) => ManagedPolicyArns.length),
  ),
  quota(
    'indexes of a table',
    20,
    true,
    dynamodb,
    inEach('AWS::DynamoDB::Table', ({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes.length),
  ),
  quota(
    'attributes that all indexes of a table project by name',
    100,
    false,
    dynamodb,
    inEach('AWS::DynamoDB::Table', ({ GlobalSecondaryIndexes = [] }) =>
      GlobalSecondaryIndexes.reduce(
        (sum: number, { Projection }: Part) => sum + (Projection.NonKeyAttributes?.length ?? 0),
        0,
      ),
    ),
  ),
  quota(
    'units a second that a table on demand takes',
    40_000,
    true,
    dynamodb,
    inEach('AWS::DynamoDB::Table', ({ OnDemandThroughput = {} }) =>
      Math.max(0, ...Object.values<number>(OnDemandThroughput)),
    ),
  ),
  quota(
    'bytes of a function’s environment',
    4096,
    false,
    lambda,
    inEach('AWS::Lambda::Function', ({ Environment }) =>
      Object.entries<Part>(Environment?.Variables ?? {}).reduce(
        (sum, [name, value]) => sum + name.length + textOf(value).length,
        0,
      ),
    ),
  ),
  quota(
    'seconds that a function runs',
    900,
    false,
    lambda,
    inEach('AWS::Lambda::Function', ({ Timeout = 3 }) => Timeout),
  ),
  quota(
    'characters of a function’s description',
    256,
    false,
    lambda,
    inEach('AWS::Lambda::Function', ({ Description = '' }) => textOf(Description).length),
  ),
  quota(
    'functions that an account without a raised quota runs at once, reserved for some',
    0,
    true,
    lambda,
    inEach('AWS::Lambda::Function', ({ ReservedConcurrentExecutions = 0 }) => ReservedConcurrentExecutions),
  ),
  quota(
    'bytes of the document that an API is imported from',
    6_000_000,
    false,
    apiGateway,
    inEach('AWS::ApiGateway::RestApi', ({ Body }) => textOf(Body ?? {}).length),
  ),
  quota(
    'resources of an API',
    300,
    true,
    apiGateway,
    inEach('AWS::ApiGateway::RestApi', (api) => nodesOf(pathsOf(api))),
  ),
  quota('authorizers of an API', 10, true, apiGateway, (stacks) =>
    inEach(
      'AWS::ApiGateway::RestApi',
      ({ Body }) =>
        Object.values<Part>(Body?.components?.securitySchemes ?? {}).filter(
          (scheme) => 'x-amazon-apigateway-authorizer' in scheme,
        ).length,
    )(stacks),
  ),
  quota(
    'bytes of a stage’s format of the access log',
    3072,
    false,
    apiGateway,
    inEach('AWS::ApiGateway::Stage', ({ AccessLogSetting }) => textOf(AccessLogSetting?.Format ?? '').length),
  ),
  // Each setting of a method is a patch operation for each of its values. Two public tools split the operations at this
  // number.
  quota(
    'changes of a stage in one call',
    80,
    false,
    'Amazon API Gateway, UpdateStage: "Update size too large" beyond it, by public reports',
    inEach('AWS::ApiGateway::Stage', ({ MethodSettings = [] }) =>
      MethodSettings.reduce((sum: number, setting: Part) => sum + sizeOf(setting) - 2, 0),
    ),
  ),
  quota(
    'throttles of methods for a stage in a usage plan',
    20,
    true,
    apiGateway,
    inEach('AWS::ApiGateway::UsagePlan', ({ ApiStages = [] }) =>
      Math.max(0, ...ApiStages.map(({ Throttle }: Part) => sizeOf(Throttle))),
    ),
  ),
  quota('usage plans of an account', 300, true, apiGateway, ofType('AWS::ApiGateway::UsagePlan')),
  quota('API keys of an account', 10_000, false, apiGateway, ofType('AWS::ApiGateway::ApiKey')),
  quota(
    'actions of an alarm',
    5,
    false,
    cloudWatch,
    inEach('AWS::CloudWatch::Alarm', ({ AlarmActions = [] }) => AlarmActions.length),
  ),
  quota(
    'metrics of an alarm’s expression',
    10,
    false,
    cloudWatch,
    inEach('AWS::CloudWatch::Alarm', ({ Metrics = [] }) => Metrics.length),
  ),
  quota(
    'characters of an alarm’s description',
    1024,
    false,
    'Amazon CloudWatch, PutMetricAlarm: AlarmDescription',
    inEach('AWS::CloudWatch::Alarm', ({ AlarmDescription = '' }) => textOf(AlarmDescription).length),
  ),
  quota('metric filters of a log group', 100, false, 'Amazon CloudWatch Logs, CloudWatch Logs quotas', (stacks) =>
    [
      ...Map.groupBy(resourcesOf(stacks, 'AWS::Logs::MetricFilter'), ([, { LogGroupName }]) =>
        JSON.stringify(LogGroupName),
      ),
    ].map(([where, filters]) => ({ where, count: filters.length })),
  ),
  quota(
    'characters of a key’s policy',
    32_768,
    false,
    'AWS Key Management Service, Quotas',
    inEach('AWS::KMS::Key', ({ KeyPolicy }) => textOf(KeyPolicy).length),
  ),
  quota(
    'rules of a web ACL that match a pattern of one’s own',
    10,
    true,
    'AWS WAF, AWS WAF quotas: rate-based rules and regular expressions',
    inEach('AWS::WAFv2::WebACL', ({ Rules = [] }) => Rules.length),
  ),
];

/** A rule of AWS that has no number. */
export interface TemplateRule {
  name: string;
  source: string;
  /** The ids of the resources that break it. */
  breaks: (stacks: readonly StackTemplate[]) => string[];
}

export const templateRules: readonly TemplateRule[] = [
  {
    name: 'a usage plan with throttles of methods needs a throttle of its own',
    source:
      'aws/aws-cdk, pull request 6411: "Can not define fine grain throttling if usage plan throttle is not defined"',
    breaks: (stacks) =>
      resourcesOf(stacks, 'AWS::ApiGateway::UsagePlan')
        .filter(
          ([, { Throttle, ApiStages = [] }]) => !Throttle && ApiStages.some((one: Part) => sizeOf(one.Throttle) > 0),
        )
        .map(([id]) => id),
  },
  {
    name: 'a throttle of a method names a method that the API has',
    source: 'hashicorp/terraform-provider-aws, issue 26128: a path such as */* is a BadRequest',
    breaks: (stacks) =>
      resourcesOf(stacks, 'AWS::ApiGateway::UsagePlan')
        .filter(([, { ApiStages = [] }]) =>
          ApiStages.some(({ Throttle = {} }: Part) => Object.keys(Throttle).some((path) => path.includes('*'))),
        )
        .map(([id]) => id),
  },
  {
    name: 'an API is regional by its parameter, since CloudFormation leaves the property out where there is a document',
    source: 'Amazon API Gateway, AWS::ApiGateway::RestApi: EndpointConfiguration and Body',
    breaks: (stacks) =>
      resourcesOf(stacks, 'AWS::ApiGateway::RestApi')
        .filter(([, { Body, Parameters }]) => Body && Parameters?.endpointConfigurationTypes !== 'REGIONAL')
        .map(([id]) => id),
  },
];

/** The largest count of a quota in some templates, and where it is; 0 if there is nothing to count. */
export const largestOf = ({ counts }: Quota, stacks: readonly StackTemplate[]): Count =>
  counts(stacks).reduce((most, one) => (one.count > most.count ? one : most), { count: 0, where: 'nowhere' });

/** A sentence for each quota and rule that templates break. */
export const quotaFaults = (stacks: readonly StackTemplate[]): string[] => [
  ...quotas.flatMap((one) => {
    const { count, where } = largestOf(one, stacks);
    return count > one.most ? [`${where}: ${count} ${one.name}, and AWS takes ${one.most} (${one.source}).`] : [];
  }),
  ...templateRules.flatMap(({ name, source, breaks }) =>
    breaks(stacks).map((where) => `${where}: ${name} (${source}).`),
  ),
];
