import { CloudFormationValidatePlugin } from 'aws-cdk-lib';

const plugin = new CloudFormationValidatePlugin();

/** The errors in a template, by CloudFormation's resource schemas and rules, which come with the CDK. */
export const errorsIn = (templatePath: string): string[] => {
  const stackTemplates = [{ stackConstructPath: 'service', templatePath }];
  const { violations } = plugin.validate({ stackTemplates } as Parameters<typeof plugin.validate>[0]);
  return violations
    .filter(({ severity }) => severity === 'error' || severity === 'fatal')
    .map(({ description }) => description);
};
