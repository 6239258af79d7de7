import { DomainName, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** What is off unless a setting asks for it. */

const requestsPerAddress = 10_000;

/** The time over which the firewall counts. */
const countedSeconds = 300;

/** The contract's answer to too many requests, but without its body: a firewall cannot send problem+json. */
const tooMany: CfnWebACL.BlockActionProperty = {
  customResponse: {
    responseCode: 429,
    responseHeaders: [
      { name: 'Retry-After', value: String(countedSeconds) },
      { name: 'Cache-Control', value: 'no-store' },
    ],
  },
};

const visibility = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

/**
 * A firewall before the API: no caller may send more than 10,000 requests in five minutes, and addresses of ill repute
 * are refused. Amazon's general rules are left out: they refuse bodies over 8 KB, and product texts that hold HTML.
 */
export const addFirewall = (scope: Construct, api: RestApi): void => {
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('firewall'),
    rules: [
      {
        name: 'rate',
        priority: 0,
        action: { block: tooMany },
        statement: {
          rateBasedStatement: {
            limit: requestsPerAddress,
            evaluationWindowSec: countedSeconds,
            aggregateKeyType: 'IP',
          },
        },
        visibilityConfig: visibility('rate'),
      },
      {
        name: 'reputation',
        priority: 1,
        overrideAction: { none: {} },
        statement: {
          managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
        },
        visibilityConfig: visibility('reputation'),
      },
    ],
  });
  new CfnWebACLAssociation(scope, 'FirewallOfApi', {
    resourceArn: api.deploymentStage.stageArn,
    webAclArn: acl.attrArn,
  });
};

/** A domain of the merchant's own; `target` is what its CNAME record has to point to. */
export const addDomain = (
  scope: Construct,
  api: RestApi,
  { domainName, certificateArn }: Settings,
): { url: string; target: string } | undefined => {
  if (domainName === undefined || certificateArn === undefined) return undefined;
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  domain.addBasePathMapping(api);
  return { url: `https://${domainName}`, target: domain.domainNameAliasDomainName };
};
