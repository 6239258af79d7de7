import { createHash } from 'node:crypto';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { functionFile, type Kind, type Route } from '../lib/routes/route.ts';
import { requestSeconds } from '../lib/table/meter.ts';
import { Api, loadOf } from './api.ts';
import { addFunction, type Base, dispenserHosts, queueUrls } from './base.ts';
import { accessOf, authorizerPermissions, lookUpAccess, permissions, togetherOf } from './permissions.ts';
import type { ServiceFunction } from './service-function.ts';
import { lookUpStatement, sendStatement, tableStatements } from './statements.ts';

/** A function that serves one endpoint or several, with the needs of all of them in one row. */
export interface Endpoint {
  entry: string;
  row: Route;
  fn: ServiceFunction;
}

/** The harm of each function behind the API. One alarm watches the answers of them all. */
export const harmOfApi = 'Calls of clients fail, or people of a store cannot load the desk.';

/** More memory brings more processor time, which a list with its up to 1000 rows needs. */
const memoryMegabytes = { list: 1024, read: 512, write: 512 };

/** The caller of an endpoint waits meanwhile, so a dispenser gets 3 seconds of these. */
const lookUpTimeoutSeconds = 5;

/** Adds the function that asks dispensers for unknown avatars. The endpoints wait for it. */
export const addLookUp = (base: Base): ServiceFunction =>
  addFunction(base, 'resident-lookup', {
    description: "Asks a store's dispenser for an avatar that nobody imported.",
    harm: 'Avatars that nobody imported cannot buy.',
    memoryMegabytes: 512,
    timeoutSeconds: lookUpTimeoutSeconds,
    environment: dispenserHosts(base),
    statements: tableStatements(base.data.table, permissions(lookUpAccess)),
  });

/** The address at which Lambda's API invokes a function. */
const invocationOf = ({ stack }: Base, { lambda }: ServiceFunction): string =>
  `https://lambda.${stack.region}.${stack.urlSuffix}/2015-03-31/functions/${lambda.functionName}/invocations`;

/** The variables that a row's function reads. */
const environmentOf = (base: Base, row: Route, lookUp: ServiceFunction): Record<string, string> => {
  const { settings, data } = base;
  const isList = loadOf(row) === 'list';
  const shareOf = (units: number): string => String((units * settings.storeShare) / 100);
  const writes = (kind: Kind): boolean => row.writes.includes(kind);
  const isOfPage = row.share === 'pages';
  const seals = isList || isOfPage || row.quotes || row.showsSecret;
  return {
    ...(settings.corsOrigins && { CORS_ORIGINS: settings.corsOrigins }),
    ...(writes('LOT') && { CREDIT_LIMIT: String(settings.creditLimit) }),
    // CloudFormation resolves the reference, so a function need not call Secrets Manager when it starts.
    ...(seals && { CURSOR_SECRET: data.cursorSecret.secretValue.unsafeUnwrap() }),
    ...((isList || isOfPage) && { STORE_READ_UNITS: shareOf(settings.readUnits) }),
    ...(row.writes.length > 0 && { STORE_WRITE_UNITS: shareOf(settings.writeUnits) }),
    ...(row.queue && queueUrls(base)),
    ...((row.queue || writes('VENDOR')) && dispenserHosts(base)),
    ...(writes('LOG') && settings.operatorLogDays > 0 && { OPERATOR_LOG_DAYS: String(settings.operatorLogDays) }),
    ...(writes('DELIVERY') && { DELIVERY_RECORD_DAYS: String(settings.deliveryRecordDays) }),
    ...(row.resolves && { RESIDENT_LOOKUP_URL: invocationOf(base, lookUp) }),
  };
};

/** The rights of a row's function. */
const statementsOf = ({ data: { table, queue } }: Base, row: Route, lookUp: ServiceFunction): PolicyStatement[] => [
  ...tableStatements(table, permissions(accessOf(row))),
  ...(row.queue ? [sendStatement(queue)] : []),
  ...(row.resolves ? [lookUpStatement(lookUp.lambda)] : []),
];

/** Adds a function for each file under `functions/` that rows name, with the rights that its rows need. */
export const addEndpoints = (base: Base, routes: readonly Route[], lookUp: ServiceFunction): Endpoint[] =>
  Object.entries(Object.groupBy(routes, functionFile)).map(([entry, rows = []]) => {
    const row = togetherOf(rows);
    const fn = addFunction(base, entry, {
      description: `${row.method} ${row.path}: ${row.summary}`,
      harm: harmOfApi,
      memoryMegabytes: memoryMegabytes[loadOf(row)],
      timeoutSeconds: requestSeconds,
      environment: environmentOf(base, row, lookUp),
      statements: statementsOf(base, row, lookUp),
    });
    return { entry, row, fn };
  });

const addAuthorizer = (base: Base, usageKeyPrefix: string): ServiceFunction =>
  addFunction(base, 'authorizer', {
    description: 'Checks the API key of a request and its scope.',
    harm: harmOfApi,
    memoryMegabytes: 512,
    timeoutSeconds: 10,
    environment: { USAGE_KEY_PREFIX: usageKeyPrefix },
    statements: tableStatements(base.data.table, authorizerPermissions),
  });

/** Serves the desk, the customer's page and their files, which are in its bundle. It reads nothing else. */
const addDesk = (base: Base): ServiceFunction => {
  const { textureUrl, releases } = base.settings;
  return addFunction(base, 'desk', {
    description: 'Serves the desk, the web app for the people of a store, and the page of its customers.',
    harm: harmOfApi,
    memoryMegabytes: 256,
    timeoutSeconds: 5,
    environment: {
      ...(textureUrl !== undefined && { TEXTURE_URL: textureUrl }),
      ...(releases && { RELEASES_ORIGIN: new URL(releases).origin }),
    },
    statements: [],
  });
};

/** Adds the API in front of the endpoints, with the function that checks keys. */
export const addApi = (base: Base, rows: readonly Route[], endpoints: readonly Endpoint[]): Api => {
  const { stack, settings } = base;
  // A usage key is unique in its account and has letters and digits only; a stage's name may hold a hyphen.
  const ofStage = createHash('sha256').update(settings.stage).digest('hex').slice(0, 16);
  const usageKeyPrefix = `${ofStage}${stack.account}`;
  const functions = new Map(endpoints.map(({ entry, fn }) => [entry, fn.lambda]));
  functions.set('authorizer', addAuthorizer(base, usageKeyPrefix).lambda);
  if (settings.desk) functions.set('desk', addDesk(base).lambda);
  return new Api(stack, 'Api', { settings, rows, functions, usageKeyPrefix });
};
