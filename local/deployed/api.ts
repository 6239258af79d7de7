import type { IncomingMessage, Server } from 'node:http';
import type { APIGatewayAuthorizerResult, APIGatewayProxyResult } from 'aws-lambda';
import {
  type AnswerType,
  createGateway,
  GatewayFault,
  type Limit,
  type Method,
  type OwnAnswer,
} from '../gateway/gateway.ts';
import {
  type AnswerFacts,
  answersOf,
  authorizerOf,
  documentOf,
  invocationsOf,
  invokedFunction,
  type Operation,
  operationsOf,
} from './document.ts';
import { type Functions, ThrottledError } from './functions.ts';
import { type Part, pseudo, type ResolvedTemplate } from './template.ts';

/** Makes the template's API: its methods, authorizer, limits and the gateway's own answers. */

interface DeployedMethod extends Method {
  /** The function that answers. */
  target: string;
}

/** API Gateway waits at most this long for a function. */
const integrationMillis = 29_000;

const limitOf = (throttle: Part, rate: string, burst: string): Limit => ({
  rate: throttle[rate],
  burst: throttle[burst],
});
const unlimited: Limit = { rate: 10_000, burst: 5_000 };

/** The limit of a method for all callers together: from the stage's settings for it, or for all methods. */
const limitsOf = (stage: Part) => {
  const settings: Part[] = stage.MethodSettings ?? [];
  const find = (method: string, path: string) =>
    settings.find(({ HttpMethod, ResourcePath }) => HttpMethod === method && ResourcePath === path);
  return (method: string, path: string): Limit => {
    const setting = find(method, `/${path.replaceAll('/', '~1')}`) ?? find('*', '/*');
    return setting ? limitOf(setting, 'ThrottlingRateLimit', 'ThrottlingBurstLimit') : unlimited;
  };
};

/**
 * Reads a usage plan's throttle, which bounds all calls with one usage key together. There is one plan for stores, and
 * one for the pages of their customers. Throws if the plan has throttles for single methods. API Gateway takes at most
 * 20 of these for a stage, and this gateway supports none.
 */
export const readStoreLimit = (template: ResolvedTemplate, ofPages = false): Limit => {
  const plan: Part = template
    .ofType('AWS::ApiGateway::UsagePlan')
    .find(({ properties }) => / pages of customers$/.test((properties as Part).UsagePlanName) === ofPages)?.properties;
  const count = Object.keys(plan.ApiStages[0].Throttle ?? {}).length;
  if (count > 0)
    throw new Error(`The usage plan has throttles of ${count} methods, which npm run deployed does not know.`);
  if (!plan.Throttle) throw new Error('The usage plan has no throttle: one store could use up the rates of all.');
  return limitOf(plan.Throttle, 'RateLimit', 'BurstLimit');
};

/**
 * Answers preflights like the document's mock integration; undefined if it has none, since `corsOrigins` is not set.
 */
export const readPreflight = (document: Part) => {
  const found = operationsOf(document).find(isPreflight);
  if (!found) return undefined;
  const { statusCode, responseParameters, responseTemplates } = found.integration.responses.default;
  const headers = Object.entries<string>(responseParameters).map(([name, value]) => [
    name.replace('method.response.header.', ''),
    value.slice(1, -1),
  ]);
  // If there are several origins, its template allows the one in the request.
  const text: string = responseTemplates?.['application/json'] ?? '';
  const origins = [...text.matchAll(/\$origin == "([^"]+)"/g)].map(([, origin]) => origin);
  return ({ headers: { origin } }: IncomingMessage): APIGatewayProxyResult => ({
    statusCode: Number(statusCode),
    headers: {
      ...Object.fromEntries(headers),
      ...(origin !== undefined && origins.includes(origin) && { 'Access-Control-Allow-Origin': origin }),
    },
    body: '',
  });
};

const isPreflight = ({ method, integration }: Operation): boolean =>
  method === 'OPTIONS' && integration.type === 'mock';

/**
 * The methods of the template, each with its function. Throws for one that API Gateway could not serve, or not safely.
 */
export const readMethods = (template: ResolvedTemplate): DeployedMethod[] => {
  const stage = template.ofType('AWS::ApiGateway::Stage')[0]?.properties;
  const limits = limitsOf(stage);
  const isAllowed = invocationsOf(template);
  const operations = operationsOf(documentOf(template)).filter((one) => !isPreflight(one));
  return operations.map(({ id, method, path, hasAuthorizer, needsUsageKey, integration }) => {
    if (integration.type !== 'aws_proxy')
      throw new Error(`${id} has the integration ${integration.type}, which npm run deployed does not know.`);
    if (hasAuthorizer !== needsUsageKey)
      throw new Error(`${id} has an authorizer and takes no part in the usage plan, or the other way round.`);
    const target = invokedFunction(integration.uri);
    if (!isAllowed(target, `${stage.StageName}/${method}${path}`))
      throw new Error(`API Gateway may not call ${target} for ${method} ${path}: no permission says so.`);
    return {
      id,
      method: method as Method['method'],
      path,
      isOpen: !hasAuthorizer,
      limit: limits(method, path),
      target,
    };
  });
};

/** Makes the gateway's own answers from the document's gateway responses and their templates. */
const readAnswers = (responses: ReadonlyMap<string, AnswerFacts>): OwnAnswer => {
  const fallback = (type: AnswerType) => responses.get(type === 'REQUEST_TOO_LARGE' ? '' : 'DEFAULT_4XX');
  return (type, { id, path, authorizer }): APIGatewayProxyResult => {
    const response = responses.get(type) ?? fallback(type);
    // AWS gives this answer in its own form, whatever the template says.
    if (!response)
      return {
        statusCode: 413,
        headers: { 'Content-Type': 'application/json' },
        body: '{"message":"Request Too Long"}',
      };
    const context: Record<string, unknown> = { path, requestId: id };
    const textOf = (name: string): string =>
      String((name.startsWith('authorizer.') ? authorizer[name.slice('authorizer.'.length)] : context[name]) ?? '');
    const headers = Object.entries(response.responseParameters ?? {}).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value.startsWith("'") ? value.slice(1, -1) : textOf(value.replace(/^context\./, '')),
    ]);
    const text = response.responseTemplates['application/json'] ?? '';
    return {
      statusCode: Number(response.statusCode),
      headers: Object.fromEntries(headers),
      body: text.replace(/\$context\.([\w.]+\w)/g, (_: string, name: string) => textOf(name)),
    };
  };
};

const readIdentity = (source: string) => {
  const sources = source.split(/, ?/);
  const named = (prefix: string) =>
    sources.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const [header = ''] = named('method.request.header.');
  return { header, context: named('context.') };
};

export const startApi = (template: ResolvedTemplate, functions: Functions): { server: Server; prefix: string } => {
  const only = (type: string): Part => template.ofType(type)[0];
  const stage = only('AWS::ApiGateway::Stage').properties;
  const document = documentOf(template);
  const authorizer = authorizerOf(document);
  const authorizerTarget = invokedFunction(authorizer.authorizerUri);
  // The import of the document gives the authorizer an id that no template knows.
  if (!invocationsOf(template)(authorizerTarget, `authorizers/${authorizer.id ?? 'any'}`))
    throw new Error(`API Gateway may not ask the authorizer ${authorizerTarget}: no permission says so.`);
  const prefix = `/${stage.StageName}`;
  const call = async (target: string, event: object, failed: AnswerType, millis: number): Promise<string> => {
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(
        () => reject(new GatewayFault(failed === 'INTEGRATION_FAILURE' ? 'INTEGRATION_TIMEOUT' : failed)),
        millis,
      ).unref(),
    );
    const invoked = functions.invoke(target, JSON.stringify(event)).catch((error: Error) => {
      if (error instanceof ThrottledError) throw new GatewayFault(failed);
      throw new GatewayFault(error.name === 'RequestTooLargeException' ? 'REQUEST_TOO_LARGE' : failed);
    });
    const { payload, isError } = await Promise.race([invoked, timeout]);
    if (!isError) return payload;
    if (failed !== 'INTEGRATION_FAILURE' && JSON.parse(payload).errorMessage === 'Unauthorized')
      throw new Error('Unauthorized');
    throw new GatewayFault(failed);
  };
  const server = createGateway<DeployedMethod>({
    routes: readMethods(template),
    handlerOf:
      async ({ target }) =>
      async (event) => {
        const payload = await call(target, event, 'INTEGRATION_FAILURE', integrationMillis);
        const result = JSON.parse(payload) as APIGatewayProxyResult | null;
        if (typeof result?.statusCode !== 'number') throw new GatewayFault('INTEGRATION_FAILURE');
        return { ...result, headers: result.headers ?? {}, body: decoded(result) };
      },
    authorizer: async (event) =>
      JSON.parse(
        await call(authorizerTarget, event, 'AUTHORIZER_CONFIGURATION_ERROR', 10_000),
      ) as APIGatewayAuthorizerResult,
    authorizerTtlSeconds: authorizer.authorizerResultTtlInSeconds,
    identity: readIdentity(authorizer.identitySource),
    rate: unlimited.rate,
    burst: unlimited.burst,
    storeLimit: readStoreLimit(template),
    pageLimit: readStoreLimit(template, true),
    place: {
      account: pseudo['AWS::AccountId'] ?? '',
      api: only('AWS::ApiGateway::RestApi').ref(),
      stage: stage.StageName,
      prefix,
      requestIdHeader: 'x-amzn-RequestId',
    },
    ownAnswer: readAnswers(answersOf(document)),
    preflight: readPreflight(document),
    compressFrom: document['x-amazon-apigateway-minimum-compression-size'] ?? Number.POSITIVE_INFINITY,
  });
  return { server, prefix };
};

const decoded = ({ body, isBase64Encoded }: APIGatewayProxyResult): string =>
  isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : (body ?? '');
