import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveWith } from './intrinsics.ts';

/** Reads a synthesised template as CloudFormation would deploy it, with nested stacks and every reference resolved. */

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
export type Part = any;

interface Resource {
  Type: string;
  Properties: Part;
  Metadata?: Record<string, string>;
  DependsOn?: string | string[];
  DeletionPolicy?: string;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: Part }>;
}

/** The account, region and partition of the made-up deployment. */
export const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': '000000000000',
  'AWS::Region': 'us-east-1',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

const arn = (service: string, rest: string): string =>
  `arn:aws:${service}:${pseudo['AWS::Region']}:${pseudo['AWS::AccountId']}:${rest}`;

/** The values of `Ref` and of the attributes of `Fn::GetAtt` for a deployed resource, by its type. */
const physical: Record<string, (name: string, properties: Part) => Record<string, string>> = {
  'AWS::DynamoDB::Table': (name) => ({
    Ref: name,
    Arn: arn('dynamodb', `table/${name}`),
    StreamArn: arn('dynamodb', `table/${name}/stream/1`),
  }),
  'AWS::SQS::Queue': (name) => ({
    Ref: `https://sqs.${pseudo['AWS::Region']}.amazonaws.com/${pseudo['AWS::AccountId']}/${name}`,
    Arn: arn('sqs', name),
    QueueName: name,
  }),
  'AWS::SNS::Topic': (name) => ({ Ref: arn('sns', name), TopicArn: arn('sns', name), TopicName: name }),
  'AWS::Lambda::Function': (name) => ({ Ref: name, Arn: arn('lambda', `function:${name}`) }),
  'AWS::IAM::Role': (name) => ({ Ref: name, Arn: `arn:aws:iam::${pseudo['AWS::AccountId']}:role/${name}` }),
  'AWS::Logs::LogGroup': (name) => ({ Ref: name, Arn: arn('logs', `log-group:${name}:*`) }),
  'AWS::ApiGateway::RestApi': (name) => ({ Ref: name.slice(0, 10).toLowerCase(), RootResourceId: 'root' }),
  'AWS::ApiGateway::Stage': (_, { StageName }) => ({ Ref: StageName }),
  'AWS::ApiGateway::DomainName': (_, { DomainName }) => ({
    Ref: DomainName,
    RegionalDomainName: `d-${DomainName}.execute-api.${pseudo['AWS::Region']}.amazonaws.com`,
  }),
  'AWS::SecretsManager::Secret': (name) => ({ Ref: arn('secretsmanager', `secret:${name}`) }),
  'AWS::KMS::Key': (name) => ({ Ref: name, Arn: arn('kms', `key/${name}`) }),
};

/** A stack of the template, with the values that it needs for its references. */
interface Scope {
  stack: string;
  template: Template;
  parameters: Readonly<Record<string, Part>>;
  nested: Record<string, Scope>;
  /** The name of a deployed resource, by its logical id. */
  nameOf: (id: string) => string;
  parent?: Scope;
}

const attribute = (scope: Scope, id: string, name: string): Part => {
  const found = scope.template.Resources[id];
  if (!found) throw new Error(`The template of ${scope.stack} refers to ${id}, which it does not have.`);
  const inner = scope.nested[id];
  if (inner && name.startsWith('Outputs.')) {
    const output = inner.template.Outputs?.[name.slice('Outputs.'.length)];
    return resolve(inner, output?.Value);
  }
  const named = physical[found.Type];
  const value = named ? named(scope.nameOf(id), found.Properties)[name] : name === 'Ref' ? id : undefined;
  if (value === undefined)
    throw new Error(`${found.Type} ${id}: its ${name} is used, and local/deployed/template.ts does not know it.`);
  return value;
};

/** One made-up text for each secret in `{{resolve:secretsmanager:...}}`. */
const secrets = new Map<string, string>();
const secretOf = (reference: string): string => {
  const known = secrets.get(reference) ?? crypto.randomUUID().replaceAll('-', '').repeat(2);
  secrets.set(reference, known);
  return known;
};

const withSecrets = (text: string): string => text.replace(/\{\{resolve:secretsmanager:[^}]*\}\}/g, secretOf);

/** Resolves every intrinsic function in a part of a template. */
const resolve = (scope: Scope, part: Part): Part =>
  resolveWith(
    {
      ref: (name) => {
        if (name in pseudo) return pseudo[name];
        return name in scope.parameters ? scope.parameters[name] : attribute(scope, name, 'Ref');
      },
      attribute: (id, name) => attribute(scope, id, name),
      text: withSecrets,
    },
    part,
  );

const readScope = (
  dir: string,
  file: string,
  { stack, nameOf, parent }: Pick<Scope, 'stack' | 'nameOf' | 'parent'>,
): Scope => {
  const template = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Template;
  const parameters: Record<string, Part> = {};
  const scope: Scope = { stack, template, parameters, nested: {}, nameOf };
  if (parent) scope.parent = parent;
  return scope;
};

/** Adds nested stacks. A parameter may be the output of another stack, so it is resolved when it is needed. */
const nest = (dir: string, scope: Scope): void => {
  for (const [id, { Type, Properties, Metadata }] of Object.entries(scope.template.Resources)) {
    if (Type !== 'AWS::CloudFormation::Stack') continue;
    const stack = `${scope.stack}/${id}`;
    const inner = readScope(dir, Metadata?.['aws:asset:path'] ?? '', { stack, nameOf: scope.nameOf, parent: scope });
    for (const [name, value] of Object.entries<Part>(Properties.Parameters ?? {}))
      Object.defineProperty(inner.parameters, name, { enumerable: true, get: () => resolve(scope, value) });
    scope.nested[id] = inner;
    nest(dir, inner);
  }
};

const mainTemplate = (dir: string): { file: string; stack: string; isProtected: boolean } => {
  const path = join(dir, 'manifest.json');
  if (!existsSync(path))
    throw new Error(`${dir} holds no template. Run npm run synth first, or name another --template.`);
  const { artifacts } = JSON.parse(readFileSync(path, 'utf8')) as { artifacts: Record<string, Part> };
  const [stack, artifact] = Object.entries(artifacts).find(([, { type }]) => type === 'aws:cloudformation:stack') ?? [];
  if (!stack) throw new Error(`${path} names no stack. Run npm run synth again.`);
  const { templateFile, terminationProtection = false } = artifact.properties;
  return { file: templateFile, stack, isProtected: terminationProtection };
};

/**
 * Reads the resources of a cloud assembly's only stack and its nested stacks, with all references resolved. Each
 * resource has its logical id as name; on AWS it gets a longer one.
 */
export const readTemplate = (dir: string, nameOf: Scope['nameOf'] = (id) => id) => {
  const { file, stack, isProtected } = mainTemplate(dir);
  const root = readScope(dir, file, { stack, nameOf });
  nest(dir, root);
  const all: { scope: Scope; id: string; resource: Resource }[] = [];
  const collect = (scope: Scope): void => {
    for (const [id, resource] of Object.entries(scope.template.Resources)) all.push({ scope, id, resource });
    Object.values(scope.nested).forEach(collect);
  };
  collect(root);
  return {
    stack,
    /** True if somebody must remove a protection before the stack can be deleted. */
    isProtected,
    /** The resources of a type, with logical id, `Ref`, `Arn` and properties. */
    ofType: (type: string) =>
      all
        .filter(({ resource }) => resource.Type === type)
        .map(({ scope, id, resource }) => ({
          id,
          ref: () => String(resolve(scope, { Ref: id })),
          arn: () => String(resolve(scope, { 'Fn::GetAtt': [id, 'Arn'] })),
          properties: resolve(scope, resource.Properties ?? {}) as Part,
          metadata: resource.Metadata ?? {},
          dependsOn: [resource.DependsOn ?? []].flat(),
          /** True if the resource stays when its stack is deleted. */
          isRetained: resource.DeletionPolicy?.startsWith('Retain') ?? false,
        })),
    outputs: (): Record<string, string> =>
      Object.fromEntries(
        Object.entries(root.template.Outputs ?? {}).map(([name, { Value }]) => [name, String(resolve(root, Value))]),
      ),
  };
};

export type ResolvedTemplate = ReturnType<typeof readTemplate>;
