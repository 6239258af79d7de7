import * as z from 'zod';
import { isTextureUrl, textureUrlWords } from '../lib/http/desk.ts';
import { areCorsOrigins, corsOriginsWords } from './cors.ts';

/**
 * Every setting of a deployment, as CDK context: from cdk.context.json, or from `npx cdk deploy -c stage=prod`, which
 * wins over the file. Context from the command line is text, and context from a file may hold numbers and booleans.
 */

const number = (min: number, max: number, initial: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }).default(initial),
  );
};

const flag = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), type);

const optionalFlag = () => flag(z.boolean({ error: 'must be true or false' }).default(false));

const chosenFlag = () =>
  flag(z.boolean({ error: ({ input }) => `must be ${input === undefined ? 'chosen: ' : ''}true or false` }));

const matching = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });

// The periods that CloudWatch Logs offers.
const retentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653];
const host = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';

/** Amazon S3's rules for names: labels between single dots, no IP address, and none of the reserved beginnings. */
const bucket = new RegExp(`^(?=.{3,63}$)(?!xn--|sthree-|\\d+(?:\\.\\d+){3}$)${host}(\\.${host})*$`);

const Settings = z
  .strictObject({
    /** Part of the stack's name and of the base URL: one account can hold several deployments. */
    stage: matching(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 of a-z, 0-9 and -, the first of them a letter').default(
      'prod',
    ),
    /** The largest balance of a customer, per credit type, in L$. */
    creditLimit: number(1, 2_147_483_647, 1_000_000_000),
    /** How long API Gateway caches an answer about a key: a revoked key works at most that long. */
    authorizerTtlSeconds: number(0, 3600, 60),
    /** Requests per second and endpoint before 429, for all callers together. A burst may be twice as large. */
    endpointRate: number(1, 10_000, 100),
    /** One store may call all endpoints together at this share of an endpoint's rate, in percent. */
    storeShare: number(1, 100, 50),
    /**
     * The most capacity units per second that the table, and each of its indexes, may use. DynamoDB refuses more, and
     * clients get 503. A bound below 1,000 could refuse a large page or transaction for ever.
     */
    readUnits: number(1_000, 40_000, 4_000),
    writeUnits: number(1_000, 40_000, 2_000),
    logRetentionDays: number(1, 3653, 90).refine((days) => retentionDays.includes(days), {
      error: `must be one of ${retentionDays.join(', ')}`,
    }),
    /** How long the record of a delivery is kept after its last attempt. A message may come up to 28 days later. */
    deliveryRecordDays: number(30, 3653, 90),
    /** Keeps the note of a delivery with its record. By default the note is deleted once the delivery was made. */
    keepDeliveryNotes: optionalFlag(),
    /** How long a row of the journal is kept. */
    journalDays: number(30, 3650, 400),
    /** How long the log of the operator's command keeps a row. 0: for ever. */
    operatorLogDays: number(0, 36_500, 0),
    /** The address that alarms go to. */
    alarmEmail: matching(/^[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+$/, 'must be an e-mail address, without accents').optional(),
    /** The endings of host names that deliveries may be sent to, separated by commas. */
    dispenserHostSuffixes: matching(
      new RegExp(`^\\.?${host}(\\.${host})+(,\\.?${host}(\\.${host})+)*$`),
      'must be host names separated by commas, such as .agni.lindenlab.com,.agni.secondlife.io',
    ).optional(),
    /** Serves the desk, the web app for the people of a store, at `/desk`, and the page of its customers at `/me`. */
    desk: flag(z.boolean({ error: 'must be true or false' }).default(true)),
    /** The address of textures' pictures, which the desk shows for products. */
    textureUrl: z.string({ error: textureUrlWords }).refine(isTextureUrl, { error: textureUrlWords }).optional(),
    /** The origins whose pages may call the API from a browser, or `*` for all. */
    corsOrigins: z.string({ error: corsOriginsWords }).refine(areCorsOrigins, { error: corsOriginsWords }).optional(),
    /** Workers that deliver in parallel: SQS demands at least 2. A new account runs only 10 functions at once. */
    deliveryConcurrency: number(2, 1000, 2),
    /** A table that was restored from a backup, for use instead of the stack's own. */
    restoredTable: matching(
      /^[A-Za-z0-9_.-]{3,255}$/,
      'must be the name of a table in this account and region',
    ).optional(),
    /** The stream of the restored table. A restore does not bring it along, and history is made from it. */
    restoredStream: matching(
      /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+\/stream\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/,
      'must be the ARN of the restored table’s stream, its LatestStreamArn',
    ).optional(),
    /** An EventBridge bus of the account, in the same region. Events are put on it as well. */
    eventBus: matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,255}$/,
      'must be the name of an event bus in this account and region, such as default',
    ).optional(),
    /** A bucket, best in another region, that gets a copy of the whole table every day. */
    exportBucket: matching(bucket, 'must be the name of a bucket in Amazon S3').optional(),
    /** The AWS account of the bucket, if it is another one. */
    exportBucketAccount: matching(/^\d{12}$/, 'must be the 12 digits of an AWS account').optional(),
    /** CloudWatch's dashboard, with graphs of the alarms, and of the table and each of its indexes. */
    dashboard: optionalFlag(),
    /** X-Ray traces of a sample of the calls. */
    tracing: optionalFlag(),
    /**
     * A web application firewall in front of the API. It has no default: it costs money in an idle month, and without
     * it anybody who knows the address can use up the rates.
     */
    firewall: chosenFlag(),
    /** Requests per second that the firewall lets through from one address, on average over a minute. */
    addressRate: number(1, 10_000, 10),
    /** Encrypts with the merchant's own key instead of AWS's keys. */
    ownEncryptionKey: optionalFlag(),
    /** The merchant's own domain, and the ARN of its certificate in the same region. */
    domainName: matching(new RegExp(`^${host}(\\.${host})+$`), 'must be a host name').optional(),
    certificateArn: matching(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of a certificate in ACM',
    ).optional(),
    /** An address with the number of the newest release, which doctor and desk compare with the deployed one. */
    releases: matching(
      /^https:\/\/[A-Za-z0-9._~/%:@?&=+-]+$/,
      'must be an address that begins with https://',
    ).optional(),
    /** Closes the address that AWS gave the API, so that only the domain leads to it. */
    domainOnly: optionalFlag(),
  })
  .refine(({ domainName, certificateArn }) => domainName === undefined || certificateArn !== undefined, {
    path: ['certificateArn'],
    error: 'is required: domainName and certificateArn go together',
  })
  .refine(({ domainName, certificateArn }) => certificateArn === undefined || domainName !== undefined, {
    path: ['domainName'],
    error: 'is required: domainName and certificateArn go together',
  })
  .refine(
    ({ restoredTable, restoredStream }) =>
      restoredStream === undefined
        ? restoredTable === undefined
        : restoredStream.includes(`:table/${restoredTable}/stream/`),
    {
      path: ['restoredStream'],
      error: 'is required with restoredTable, and must be that table’s: see "Restore" in docs/operate/recover.md',
    },
  )
  .refine(({ exportBucket, exportBucketAccount }) => exportBucketAccount === undefined || exportBucket !== undefined, {
    path: ['exportBucketAccount'],
    error: 'needs an exportBucket',
  })
  .refine(({ domainOnly, domainName }) => !domainOnly || domainName !== undefined, {
    path: ['domainOnly'],
    error: 'needs a domainName',
  })
  .refine(({ firewall, addressRate, endpointRate }) => !firewall || addressRate <= endpointRate / 2, {
    path: ['addressRate'],
    error: 'must be at most half of endpointRate',
  });

export type Settings = z.output<typeof Settings>;

export const settingNames = Object.keys(Settings.shape);

// The CDK's tools keep their own context here: feature flags, look-ups, versions.
const isOfTools = (name: string): boolean =>
  name.includes(':') || name === 'cli-telemetry' || name === 'acknowledged-issue-numbers';

/** Settings that are wrong. Its message explains it in full, so that the CDK's output needs no stack trace. */
export class SettingsError extends Error {}

/** Reads the settings from an application's context. Throws one `SettingsError` with a line for each wrong setting. */
export const readSettings = (context: Record<string, unknown>, region?: string): Settings => {
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => !isOfTools(name)));
  const result = Settings.safeParse(given);
  const place = result.data?.certificateArn?.split(':')[3];
  if (place !== undefined && region !== undefined && place !== region)
    throw new SettingsError(
      `These settings are wrong:\n  certificateArn must be of a certificate in ${region}, where the deployment is: this one is in ${place}.`,
    );
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((name) => `${name} is not a setting. There are: ${settingNames.join(', ')}.`)
      : [`${issue.path.join('.')} ${issue.message}.`],
  );
  throw new SettingsError(`These settings are wrong:\n  ${lines.join('\n  ')}`);
};
