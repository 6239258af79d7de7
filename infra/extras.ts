import { DomainName, EndpointType, SecurityPolicy, type SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { customerPage } from '../lib/http/desk.ts';
import { answerHeaders } from '../lib/http/headers.ts';
import { gatewayCors } from './cors.ts';
import type { Settings } from './settings.ts';

/** Resources that exist only if a setting asks for them. */

/** The window in which the firewall counts. */
const countedSeconds = 60;

const asSent = [{ priority: 0, type: 'NONE' }];

/** Matches a request without a header that looks like a key of a deployment: see lib/keys.ts. */
const hasNoKey: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      regexMatchStatement: {
        fieldToMatch: { singleHeader: { Name: 'x-api-key' } },
        regexString: '^sis_(me_)?live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
        textTransformations: asSent,
      },
    },
  },
};

/**
 * The desk, the customer's page and their files, which a browser loads without a key. The path begins with the stage,
 * except on the merchant's own domain.
 */
const isNotOfDesk = (stage: string): CfnWebACL.StatementProperty => ({
  notStatement: {
    statement: {
      regexMatchStatement: {
        fieldToMatch: { uriPath: {} },
        regexString: `^(/${stage})?(/desk(/[0-9A-Za-z.-]+)?|${customerPage})$`,
        textTransformations: asSent,
      },
    },
  },
});

/** A browser sends no key with a preflight. */
const isNoPreflight: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      byteMatchStatement: {
        fieldToMatch: { method: {} },
        positionalConstraint: 'EXACTLY',
        searchString: 'OPTIONS',
        textTransformations: asSent,
      },
    },
  },
};

/** An answer without a body, since a firewall cannot send problem+json. */
const answer = (responseCode: number, headers: Record<string, string>): CfnWebACL.BlockActionProperty => ({
  customResponse: {
    responseCode,
    responseHeaders: Object.entries({ ...headers, ...answerHeaders }).map(([name, value]) => ({
      name,
      value,
    })),
  },
});

const visibility = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

/**
 * A firewall in front of the API. It refuses a request without a header in the form of a key before the request counts
 * towards an endpoint's rate, holds each address well below that rate, and refuses addresses with a bad reputation.
 * Amazon's general rules would refuse bodies over 8 KB and product texts that hold HTML.
 */
export const addFirewall = (scope: Construct, api: SpecRestApi, settings: Settings): void => {
  const { addressRate, corsOrigins } = settings;
  const cors = gatewayCors(corsOrigins);
  const withoutKey = [
    hasNoKey,
    ...(corsOrigins ? [isNoPreflight] : []),
    ...(settings.desk ? [isNotOfDesk(settings.stage)] : []),
  ];
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('firewall'),
    rules: [
      {
        name: 'key',
        priority: 0,
        action: { block: answer(401, cors) },
        statement: withoutKey.length > 1 ? { andStatement: { statements: withoutKey } } : hasNoKey,
        visibilityConfig: visibility('key'),
      },
      {
        name: 'rate',
        priority: 1,
        action: { block: answer(429, { 'Retry-After': String(countedSeconds), ...cors }) },
        statement: {
          rateBasedStatement: {
            limit: addressRate * countedSeconds,
            evaluationWindowSec: countedSeconds,
            aggregateKeyType: 'IP',
          },
        },
        visibilityConfig: visibility('rate'),
      },
      {
        name: 'reputation',
        priority: 2,
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

/** The merchant's own domain. */
export interface Domain {
  url: string;
  /** The domain's CNAME record has to point to this. */
  target: string;
}

export const addDomain = (
  scope: Construct,
  api: SpecRestApi,
  { domainName, certificateArn }: Settings,
): Domain | undefined => {
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
