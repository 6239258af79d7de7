import { readFileSync } from 'node:fs';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { readSettings } from '../../infra/settings.ts';
import { StoreServiceStack } from '../../infra/store-service-stack.ts';
import { routes } from '../../lib/routes/routes.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

/** The stack with these settings. Nothing is bundled. */
export const makeStack = (settings: Record<string, unknown> = {}): Stack =>
  new StoreServiceStack(new App({ context }), 'service', {
    settings: readSettings(settings),
    routes,
    codeOf: (entry) => Code.fromInline(`// ${entry}`),
  });

// biome-ignore lint/suspicious/noExplicitAny: a template is looked at member by member, whatever the resource.
export type Resource = any;

/** The template of a stack, with its resources by type. */
export const templateOf = (stack: Stack) => {
  const template = Template.fromStack(stack);
  const all: Record<string, Resource> = template.toJSON().Resources;
  const ofType = (type: string): [string, Resource][] => Object.entries(all).filter(([, { Type }]) => Type === type);
  return { all, ofType, outputs: template.toJSON().Outputs as Record<string, Resource> };
};
