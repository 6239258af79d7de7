import { readFileSync } from 'node:fs';
import { App, type CfnResource, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect } from 'vitest';
import { readSettings } from '../../infra/settings.ts';
import { StoreServiceStack } from '../../infra/store-service-stack.ts';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { answersOf, authorizerOf, documentOf, invocationsOf, operationsOf } from '../../local/deployed/document.ts';
import { readTemplate } from '../../local/deployed/template.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

const assetMetadata = 'aws:cdk:enable-asset-metadata';

/** Makes the stack with these settings, without bundles, and without a firewall unless they ask for it. */
export const makeStack = (settings: Record<string, unknown> = {}, rows: readonly Route[] = routes): Stack =>
  // A test reads only the templates, without the tree of constructs beside them. Their metadata says which one is
  // nested where.
  new StoreServiceStack(
    new App({ context: { ...context, [assetMetadata]: true }, treeMetadata: false, stackTraces: false }),
    'service',
    {
      settings: readSettings({ firewall: 'false', ...settings }),
      routes: rows,
      codeOf: (entry) => Code.fromInline(`// ${entry}`),
    },
  );

/** Settings that switch on all that is optional. */
export const everythingOn = {
  alarmEmail: 'owner@example.org',
  eventBus: 'merchant',
  exportBucket: 'copies-of-my-shop',
  dashboard: 'true',
  tracing: 'true',
  firewall: 'true',
  ownEncryptionKey: 'true',
  domainName: 'api.example.org',
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
  releases: 'https://releases.example.org/LATEST',
  textureUrl: 'https://textures.example.com/{uuid}/256.png',
  corsOrigins: 'https://shop.example.com,https://www.example.com',
};

/** Every setting that can stand beside the others. */
export const everySetting = {
  ...everythingOn,
  domainOnly: 'true',
  exportBucketAccount: '111111111111',
  operatorLogDays: 400,
  keepDeliveryNotes: 'true',
  dispenserHostSuffixes: '.example.org',
};

export const asShipped = { alarmEmail: 'owner@example.org' };

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member.
export type Resource = any;

/**
 * All resources, also of nested stacks, as if they were one stack: values replace the parameters that a nested stack
 * gets, and its outputs.
 */
const withNested = (stack: Stack, own: Record<string, Resource>): Record<string, Resource> => {
  const parameters: Record<string, unknown> = {};
  const outputs: Record<string, unknown> = {};
  const all = { ...own };
  for (const nested of stack.node.findAll().filter((one) => NestedStack.isNestedStack(one))) {
    const id = stack.getLogicalId(nested.nestedStackResource as CfnResource);
    const { Resources, Outputs = {} } = Template.fromStack(nested).toJSON();
    Object.assign(all, Resources);
    Object.assign(parameters, own[id].Properties.Parameters);
    for (const [name, { Value }] of Object.entries<Resource>(Outputs)) outputs[`${id} Outputs.${name}`] = Value;
  }
  // A parameter may have the output of another nested stack as its value.
  const resolved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, part) => {
      const output = outputs[part?.['Fn::GetAtt']?.join?.(' ')];
      if (output !== undefined) return output;
      return part?.Ref in parameters ? resolved(parameters[part.Ref]) : part;
    });
  return resolved(all) as Record<string, Resource>;
};

const synthesise = (settings: Record<string, unknown>, rows?: readonly Route[]) => {
  // CloudFormation's validation is slow, and test/infra/rules.proof.ts runs it already.
  process.env.CDK_VALIDATION = 'false';
  const stack = makeStack(settings, rows);
  const template = Template.fromStack(stack);
  delete process.env.CDK_VALIDATION;
  const own: Record<string, Resource> = template.toJSON().Resources;
  const all = withNested(stack, own);
  const ofType = (type: string): [string, Resource][] => Object.entries(all).filter(([, { Type }]) => Type === type);
  return {
    /** The resources of the stack itself, those of nested stacks left out. */
    own,
    all,
    /** The directory of the cloud assembly. */
    dir: (stack.node.root as App).outdir,
    ofType,
    outputs: template.toJSON().Outputs as Record<string, Resource>,
    /** The properties of the only resource of a type. */
    only: (type: string): Resource => {
      const found = ofType(type);
      expect(found, type).toHaveLength(1);
      return found[0]?.[1].Properties;
    },
    /** The function of an entry, with its id. */
    functionOf: (entry: string): [string, Resource] => {
      const found = ofType('AWS::Lambda::Function').filter(([, fn]) => entryOf(fn) === entry);
      expect(found, entry).toHaveLength(1);
      return found[0] as [string, Resource];
    },
  };
};

const templates = new Map<string, ReturnType<typeof synthesise>>();

/** The template of the stack with these settings, and its resources by type; each is synthesised once. */
export const templateOf = (settings: Record<string, unknown> = {}) => {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? synthesise(settings);
  templates.set(key, template);
  return template;
};

/** The template of a stack of other rows, made anew. */
export const templateOfRows = (rows: readonly Route[], settings: Record<string, unknown> = {}) =>
  synthesise(settings, rows);

/** The API of a template as the service on one machine reads it: with every reference resolved. */
export const apiOf = (settings: Record<string, unknown> = {}) => {
  const template = readTemplate(templateOf(settings).dir);
  const document = documentOf(template);
  return {
    document,
    operations: operationsOf(document),
    answers: answersOf(document),
    authorizer: authorizerOf(document),
    /** True where API Gateway may call the function of a logical id from there, such as `prod/GET/v1/store`. */
    mayCall: (id: string, source: string): boolean => invocationsOf(template)(functionArn(id), source),
  };
};

/** The ARN that the service on one machine gives the function of a logical id. */
export const functionArn = (id: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${id}`;

/** The entry of a function, as `makeStack` bundles it. */
export const entryOf = (fn: Resource): string => fn.Properties.Code.ZipFile.replace('// ', '');

/** The id of the resource that a reference in a template points to. */
export const idOf = (reference: Resource): string => reference.Ref ?? reference['Fn::GetAtt'][0];

/**
 * A text as a deployment with the longest name has it: CloudFormation makes a resource's name of the stack's, its id
 * and 12 letters.
 */
export const textOf = (value: Resource): string =>
  typeof value === 'string'
    ? value
    : value['Fn::Join'][1]
        .map((part: Resource) => {
          if (typeof part === 'string') return part;
          return part.Ref === 'AWS::Region'
            ? 'ap-southeast-2'
            : `store-integration-abcdefghijklmnopqrst-${part.Ref}-ABCDEFGHIJKL`;
        })
        .join('');

/** The ids of all resources that a part of a template refers to. */
export const refersTo = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id]) => String(id));
