import { Duration, Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
  TimeBasedCanaryTrafficRouting,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

interface RolloutProps {
  settings: Settings;
  /** The functions by name of their step; those with an alias count. A step waits for those before it. */
  steps: Readonly<Record<string, readonly ServiceFunction[]>>;
  alarms: Alarm[];
}

/**
 * Gives the new version of a function a share of its calls for some minutes, and then all. An alarm meanwhile fails the deployment: CodeDeploy
 * takes the share back, and CloudFormation restores the whole stack.
 */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, { settings, steps, alarms }: RolloutProps) {
    super(scope, id);
    const { canaryPercent: percentage, canaryMinutes } = settings;
    const application = new LambdaApplication(this, 'Application');
    // An alarm that is on already would refuse the version that mends its cause.
    const isAtOnce = percentage === 100;
    const deploymentConfig = isAtOnce
      ? LambdaDeploymentConfig.ALL_AT_ONCE
      : new LambdaDeploymentConfig(this, 'Config', {
          trafficRouting: new TimeBasedCanaryTrafficRouting({ percentage, interval: Duration.minutes(canaryMinutes) }),
        });
    for (const [step, functions] of Object.entries(steps)) {
      const aliases = functions.flatMap(({ node, alias }) => (alias ? { name: node.id, alias } : []));
      // A role for all steps would wait for the functions of the last, and the aliases of the first for the role.
      const role = this.addRole(
        `${step}-role`,
        aliases.map(({ alias }) => alias),
      );
      for (const { name, alias } of aliases)
        new LambdaDeploymentGroup(this, name, {
          application,
          alias,
          deploymentConfig,
          // The role is complete. The CDK would add a policy of AWS for all functions.
          role: role.withoutPolicyUpdates(),
          ...(!isAtOnce && { alarms }),
        });
    }
  }

  private addRole(id: string, aliases: readonly Alias[]): Role {
    return new Role(this, id, {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
      inlinePolicies: {
        Shift: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: 'Aliases',
              actions: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
              // A reference to the alias would close a circle: it waits for its deployment group, and that for the role.
              resources: aliases.flatMap(({ aliasName, version: { lambda } }) => [
                lambda.functionArn,
                `${lambda.functionArn}:${aliasName}`,
              ]),
            }),
            new PolicyStatement({ sid: 'Alarms', actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
          ],
        }),
      },
    });
  }
}
