import handlerActions from '../../infra/handler-actions.json' with { type: 'json' };
import type { StackTemplate } from '../../infra/quotas.ts';
import { asList, type KnownResource, knownAction, knowsKey, statementFaults } from './iam-table.ts';
import { doStatementsAllow, type Statement } from './roles.ts';
import { pseudo, readTemplate } from './template.ts';

/**
 * The calls that CloudFormation makes for the resources of a template, with the deployment's role. On AWS a missing
 * right of that role rolls the whole deployment back.
 */

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
type Part = any;

type Verb = 'create' | 'read' | 'update' | 'delete';

/** A call that CloudFormation makes to do something with a resource. */
export interface FormationCall {
  type: string;
  id: string;
  verb: Verb;
  action: string;
  resource: string;
  context: Record<string, string[]>;
}

export const place = {
  stack: 'store-integration-prod',
  account: pseudo['AWS::AccountId'] ?? '',
  region: pseudo['AWS::Region'] ?? '',
  partition: pseudo['AWS::Partition'] ?? '',
};

const executionRole = `arn:aws:iam::${place.account}:role/cdk-sislaunch-cfn-exec-role-${place.account}-${place.region}`;

/** The property that names a resource, if a template may name it. */
const nameProperty: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'DomainName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::ECR::Repository': 'RepositoryName',
  'AWS::IAM::Policy': 'Roles.0',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::S3::BucketPolicy': 'Bucket',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SSM::Parameter': 'Name',
};

/** IAM's kinds of the resource that a type's handler works on, where the handler's actions know several. */
const ownKinds: Readonly<Record<string, string[]>> = {
  'AWS::CloudFormation::Stack': ['stack'],
  'AWS::DynamoDB::Table': ['table'],
  'AWS::ECR::Repository': ['repository'],
  'AWS::IAM::Policy': ['role'],
  'AWS::IAM::Role': ['role'],
  'AWS::Lambda::EventInvokeConfig': ['function'],
  'AWS::Lambda::EventSourceMapping': ['eventSourceMapping'],
  'AWS::Lambda::Function': ['function'],
  'AWS::Lambda::Permission': ['function'],
  'AWS::Logs::LogGroup': ['log-group'],
  'AWS::S3::Bucket': ['bucket', 'object'],
  'AWS::S3::BucketPolicy': ['bucket'],
  'AWS::SNS::Subscription': ['topic'],
  'AWS::SNS::Topic': ['topic'],
  'AWS::SNS::TopicPolicy': ['topic'],
  'AWS::SQS::Queue': ['queue'],
  'AWS::SQS::QueuePolicy': ['queue'],
  'AWS::SSM::Parameter': ['parameter'],
};

/** Kinds whose ids AWS chooses. They do not begin with the name of the stack. */
const namedByAws = ['eventSourceMapping'];

/** Calls that a handler makes only for resources with a property. */
const onlyWith: readonly [type: string, actions: RegExp, property: string][] = [
  ['AWS::ApiGateway::RestApi', /^s3:/, 'BodyS3Location'],
  ['AWS::DynamoDB::Table', /^kinesis:|^iam:CreateServiceLinkedRole$/, 'KinesisStreamSpecification'],
  ['AWS::DynamoDB::Table', /^s3:|^dynamodb:(?:ImportTable|DescribeImport)$/, 'ImportSourceSpecification'],
  ['AWS::ECR::Repository', /^kms:/, 'EncryptionConfiguration'],
  ['AWS::IAM::Policy', /GroupPolicy$/, 'Groups'],
  ['AWS::IAM::Policy', /UserPolicy$/, 'Users'],
  ['AWS::Lambda::Function', /^ec2:/, 'VpcConfig'],
  ['AWS::Lambda::Function', /^(?:elasticfilesystem|s3files):/, 'FileSystemConfigs'],
  ['AWS::Lambda::Function', /^lambda:GetLayerVersion$/, 'Layers'],
  ['AWS::Lambda::Function', /^lambda:GetCodeSigningConfig$/, 'CodeSigningConfigArn'],
  ['AWS::Lambda::Function', /^lambda:PassCapacityProvider$/, 'CapacityProviderConfig'],
  ['AWS::Lambda::Function', /^s3:GetObjectVersion$/, 'Code.S3ObjectVersion'],
  ['AWS::Logs::LogGroup', /^(?:s3|firehose):/, 'DataProtectionPolicy'],
  ['AWS::S3::Bucket', /^iam:|Replication/, 'ReplicationConfiguration'],
  ['AWS::S3::Bucket', /^s3tables:|MetadataTable|Metadata\w+Table/, 'MetadataTableConfiguration'],
  ['AWS::SNS::Subscription', /^iam:/, 'SubscriptionRoleArn'],
  ['AWS::SNS::Topic', /^iam:/, 'DeliveryStatusLogging'],
];

/** Calls that no deployment of this service causes. */
const neverCaused: readonly [type: string, actions: RegExp][] = [
  // An update would remove the bound of a role that has none in the new template. A launch bounds each role.
  ['AWS::IAM::Role', /^iam:DeleteRolePermissionsBoundary$/],
  // This service's firewall protects an API.
  [
    'AWS::WAFv2::WebACLAssociation',
    /^(?:elasticloadbalancing|appsync|cognito-idp|apprunner|ec2|amplify|bedrock-agentcore):/,
  ],
  // These are S3's names of operations. The schema also lists IAM's names for the same ones.
  ['AWS::S3::Bucket', /^s3:(?:PutObjectLockConfiguration|DeleteBucket\w+)$/],
];

/** Calls that no schema names, with their resources, from AWS's documents. */
const alsoCaused: Readonly<Record<string, readonly [verb: Verb, action: string, resource: string][]>> = {
  // The first domain of an account makes API Gateway's own role.
  'AWS::ApiGateway::DomainName': [
    [
      'create',
      'iam:CreateServiceLinkedRole',
      `arn:aws:iam::${place.account}:role/aws-service-role/ops.apigateway.amazonaws.com/AWSServiceRoleForAPIGateway`,
    ],
  ],
};

/** The services to which CloudFormation passes the role of a resource. */
const passedTo: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'apigateway.amazonaws.com',
  'AWS::CloudFormation::Stack': 'cloudformation.amazonaws.com',
  'AWS::Lambda::Function': 'lambda.amazonaws.com',
  'AWS::Scheduler::Schedule': 'scheduler.amazonaws.com',
};

const memberOf = (properties: Part, path: string): Part =>
  path.split('.').reduce((part: Part, name) => part?.[name], properties);

/** Cuts a name as CloudFormation does for names with 64 characters. */
const madeName = (stack: string, id: string): string => `${stack.slice(0, 24)}-${id.slice(0, 24)}-ABCDEFGHIJKL`;

/** A resource of a template, and its name after the deployment. */
interface Deployed {
  type: string;
  id: string;
  name: string;
  properties: Part;
  isRetained: boolean;
}

const deployedOf = (stacks: readonly StackTemplate[]): Deployed[] =>
  stacks.flatMap(({ file, template }) =>
    Object.entries<Part>(template.Resources).map(([id, { Type, Properties = {}, DeletionPolicy = '' }]) => {
      const named = memberOf(Properties, nameProperty[Type] ?? '');
      const stack = file.includes('.nested.') ? `${place.stack}-NestedStack` : place.stack;
      return {
        type: Type,
        id,
        name: typeof named === 'string' ? named : madeName(stack, id),
        properties: Properties,
        isRetained: DeletionPolicy.startsWith('Retain'),
      };
    }),
  );

const parts: Readonly<Record<string, string>> = {
  Partition: place.partition,
  Region: place.region,
  Account: place.account,
};

/** Fills the placeholders of an ARN in AWS's table. Unknown ones become the name. */
const filled = (arn: string, name: string): string =>
  arn.replace(/\$\{([^}]+)\}/g, (_, part: string) => parts[part] ?? name.replace(/^\//, ''));

/** Resources of other services that a handler uses, by action. */
const otherResources: readonly [action: RegExp, resource: (one: Deployed) => string][] = [
  [
    /^iam:(?:PassRole|GetRole)$/,
    ({ type, id }) =>
      type === 'AWS::CloudFormation::Stack'
        ? executionRole
        : `arn:aws:iam::${place.account}:role/${madeName(place.stack, `${id}Role`)}`,
  ],
  // The files of a deployment.
  [/^s3:GetObject$/, () => `arn:aws:s3:::cdk-sislaunch-assets-${place.account}-${place.region}/0c0ffee0c0ffee.zip`],
];

/** The resources that a call names: the handler's own, or the ones that the action always needs. */
const resourcesOf = (one: Deployed, action: string, known: readonly KnownResource[]): string[] => {
  const kinds = ownKinds[one.type] ?? [];
  const own = known.filter(({ kind }) => kinds.includes(kind));
  const needed = own.length > 0 ? own : known.filter(({ isRequired }) => isRequired);
  const chosen = needed.length > 0 ? needed : known.slice(0, 1);
  const other = otherResources.find(
    ([pattern]) => pattern.test(action) && !(action.startsWith('iam:') && own.length > 0),
  );
  if (other) return [other[1](one)];
  if (chosen.length === 0) return ['*'];
  return chosen.map(({ kind, arn }) => filled(arn, namedByAws.includes(kind) ? '0c0ffee0' : one.name));
};

const isCaused = ({ type, properties }: Deployed, action: string): boolean =>
  !onlyWith.some(
    ([of, pattern, property]) => of === type && pattern.test(action) && memberOf(properties, property) === undefined,
  ) && !neverCaused.some(([of, pattern]) => of === type && pattern.test(action));

const handlers = handlerActions.types as Readonly<Record<string, Partial<Record<Verb, string[]>>>>;

/** All calls for one resource. Throws for a type or an action that the tables lack. */
const callsFor = async (one: Deployed, bound: string): Promise<FormationCall[]> => {
  const { type, id, name, properties } = one;
  const boundary = properties.PermissionsBoundary;
  const known = handlers[type];
  if (!known) throw new Error(`infra/handler-actions.json has no ${type}: add the permissions of its schema.`);
  const facts: Readonly<Record<string, string>> = {
    'iam:PermissionsBoundary': typeof boundary === 'string' ? boundary : bound,
    'iam:PassedToService': passedTo[type] ?? '',
    'lambda:FunctionArn': `arn:aws:lambda:${place.region}:${place.account}:function:${name}`,
  };
  const verbs = Object.entries(known).filter(([verb]) => verb !== 'delete' || !one.isRetained);
  const calls = verbs.flatMap(([verb, actions]) =>
    actions
      // One schema writes S3 for s3, which are the same to IAM.
      .map((action) => action.replace(/^\w+/, (service) => service.toLowerCase()))
      .filter((action) => isCaused(one, action))
      .map(async (action): Promise<FormationCall[]> => {
        const found = await knownAction(action);
        if (!found) throw new Error(`IAM has no action ${action}, which ${type} names in infra/handler-actions.json.`);
        const context = Object.fromEntries(
          Object.entries(facts)
            .filter(([key, value]) => value !== '' && knowsKey(found, key))
            .map(([key, value]) => [key, [value]]),
        );
        return resourcesOf(one, action, found.resources).map((resource) => ({
          type,
          id,
          verb: verb as Verb,
          action,
          resource,
          context,
        }));
      }),
  );
  const further = (alsoCaused[type] ?? []).map(([verb, action, resource]) => ({
    type,
    id,
    verb,
    action,
    resource,
    context: {},
  }));
  return [...(await Promise.all(calls)).flat(), ...further];
};

/** The rights with which CloudFormation deploys, and the policy that bounds the roles it makes. */
export interface FormationRights {
  statements: readonly Statement[];
  /** The ARN of the policy. */
  bound: string;
}

/** Every call that CloudFormation makes to create, read, change and delete the resources of some templates. */
export const formationCalls = async (stacks: readonly StackTemplate[], bound: string): Promise<FormationCall[]> =>
  (await Promise.all(deployedOf(stacks).map((one) => callsFor(one, bound)))).flat();

/** A sentence for each call that CloudFormation has no right to make. */
export const formationFaults = async (
  stacks: readonly StackTemplate[],
  { statements, bound }: FormationRights,
): Promise<string[]> => {
  const calls = await formationCalls(stacks, bound);
  const refused = calls.filter((call) => !doStatementsAllow(statements, call));
  const faults = refused.map(
    ({ type, verb, action, resource }) =>
      [`To ${verb} ${type}, CloudFormation calls ${action}`, `on ${resource}`] as const,
  );
  return [...new Map(faults)].map(([call, on]) => `${call} ${on}, which the rights of the launch do not allow.`);
};

/** A sentence for each action of a statement that the role's bound does not allow. */
const boundFaults = (role: string, statement: Statement, bound: readonly Statement[]): string[] => {
  const asked = asList(statement.Action).flatMap((action) =>
    asList(statement.Resource).map((resource) => ({ action, resource, context: {} })),
  );
  return asked
    .filter((one) => !doStatementsAllow(bound, one))
    .map(
      ({ action, resource }) =>
        `${role} may call ${action} on ${resource}, which the bound of its role does not allow.`,
    );
};

/**
 * A sentence for each useless right of a role in a cloud assembly: AWS never allows the action in this statement, or
 * the bound, if there is one, does not.
 */
export const roleFaults = async (dir: string, bound?: readonly Statement[]): Promise<string[]> => {
  const roles = readTemplate(dir, (id) => madeName(place.stack, id)).ofType('AWS::IAM::Role');
  const faults = roles.map(async ({ id, properties }) => {
    const statements: Statement[] = (properties.Policies ?? []).flatMap(
      ({ PolicyDocument }: Part) => PolicyDocument.Statement,
    );
    const bounded = bound ? statements.flatMap((one) => boundFaults(id, one, bound)) : [];
    return [...(await statementFaults(id, statements)), ...bounded];
  });
  return (await Promise.all(faults)).flat();
};
