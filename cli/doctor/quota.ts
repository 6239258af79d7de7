import type { Target } from '../target.ts';
import { type Finding, warnIf } from './finding.ts';

/** Ten is the quota of a new account: a page with a few parallel calls, the worker and the sweep meet it. */
const fewFunctions = 100;

/** Looks how many functions may run at once in this account and region, beside those that others have reserved. */
export const checkQuota = async ({ kind }: Target): Promise<Finding[]> => {
  if (kind === 'local') return [];
  // Loaded only here: a command on the local service starts faster without it.
  const { GetAccountSettingsCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
  const detail = `${limit} functions may run at once`;
  return [
    warnIf(
      'quota',
      limit < fewFunctions && [
        `${detail}; calls beyond that answer 503`,
        'Request 1000 in Service Quotas, AWS Lambda, "Concurrent executions". It is free.',
      ],
      detail,
    ),
  ];
};
