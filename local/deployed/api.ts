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
import { type Functions, Throttled } from './functions.ts';
import { type Part, pseudo, type ResolvedTemplate } from './template.ts';

/** The template's API: its methods, authorizer, limits and the gateway's own answers. */

interface DeployedMethod extends Method {
  /** The function that answers. */
  target: string;
}

/** API Gateway waits no longer for a function. */
const integrationMillis = 29_000;

const targetOf = (uri: string): string => /\/functions\/(.*)\/invocations$/.exec(uri)?.[1] ?? '';

const pathsOf = (template: ResolvedTemplate): ((resource: string) => string) => {
  const resources = new Map(
    template.ofType('AWS::ApiGateway::Resource').map(({ ref, properties }) => [ref(), properties]),
  );
  const pathOf = (id: string): string => {
    const one = resources.get(id);
    return one ? `${pathOf(one.ParentId)}/${one.PathPart}` : '';
  };
  return pathOf;
};

const limitOf = (throttle: Part, rate: string, burst: string): Limit => ({
  rate: throttle[rate],
  burst: throttle[burst],
});
const unlimited: Limit = { rate: 10_000, burst: 5_000 };

/**
 * The limits of a method: those of its settings on the stage, else the stage's, and a store's share by the usage plan.
 */
const limitsOf = (stage: Part, plan: Part | undefined) => {
  const settings: Part[] = stage.MethodSettings ?? [];
  const find = (method: string, path: string) =>
    settings.find(({ HttpMethod, ResourcePath }) => HttpMethod === method && ResourcePath === path);
  const throttles: Part = plan?.ApiStages?.[0]?.Throttle ?? {};
  return (method: string, path: string): { all: Limit; store: Limit } => {
    const setting = find(method, `/${path.replaceAll('/', '~1')}`) ?? find('*', '/*');
    const share = throttles[`${path}/${method}`];
    return {
      all: setting ? limitOf(setting, 'ThrottlingRateLimit', 'ThrottlingBurstLimit') : unlimited,
      store: share ? limitOf(share, 'RateLimit', 'BurstLimit') : unlimited,
    };
  };
};

/** Answers preflights as the template's mock integration does; undefined where there is none, without `corsOrigins`. */
export const readPreflight = (template: Pick<ResolvedTemplate, 'ofType'>) => {
  const found = template.ofType('AWS::ApiGateway::Method').find(({ properties }) => isMock(properties));
  if (!found) return undefined;
  const [{ StatusCode, ResponseParameters, ResponseTemplates }] = found.properties.Integration.IntegrationResponses;
  const headers = Object.entries<string>(ResponseParameters).map(([name, value]) => [
    name.replace('method.response.header.', ''),
    value.slice(1, -1),
  ]);
  // Of several origins its template allows that of the request.
  const text: string = ResponseTemplates?.['application/json'] ?? '';
  const origins = [...text.matchAll(/\$origin == "([^"]+)"/g)].map(([, origin]) => origin);
  return ({ headers: { origin } }: IncomingMessage): APIGatewayProxyResult => ({
    statusCode: Number(StatusCode),
    headers: {
      ...Object.fromEntries(headers),
      ...(origin !== undefined && origins.includes(origin) && { 'Access-Control-Allow-Origin': origin }),
    },
    body: '',
  });
};

const isMock = ({ HttpMethod, Integration }: Part): boolean => HttpMethod === 'OPTIONS' && Integration.Type === 'MOCK';

const readMethods = (template: ResolvedTemplate, stage: Part): DeployedMethod[] => {
  const pathOf = pathsOf(template);
  const limits = limitsOf(stage, template.ofType('AWS::ApiGateway::UsagePlan')[0]?.properties);
  const methods = template.ofType('AWS::ApiGateway::Method').filter(({ properties }) => !isMock(properties));
  return methods.map(({ id, properties }) => {
    const { HttpMethod, ResourceId, Integration, AuthorizationType, ApiKeyRequired } = properties;
    if (Integration.Type !== 'AWS_PROXY')
      throw new Error(`${id} has the integration ${Integration.Type}, which npm run deployed does not know.`);
    const path = pathOf(ResourceId);
    const isOpen = AuthorizationType === 'NONE';
    if (!isOpen && !ApiKeyRequired) throw new Error(`${id} has an authorizer and takes no part in the usage plan.`);
    return {
      id,
      method: HttpMethod,
      path,
      isOpen,
      limits: limits(HttpMethod, path),
      target: targetOf(Integration.Uri),
    };
  });
};

/** The gateway's own answers, by the template's gateway responses and their templates. */
const readAnswers = (template: ResolvedTemplate): OwnAnswer => {
  const responses = new Map<string, Part>(
    template.ofType('AWS::ApiGateway::GatewayResponse').map(({ properties }) => [properties.ResponseType, properties]),
  );
  const fallback = (type: AnswerType): Part => responses.get(type === 'REQUEST_TOO_LARGE' ? '' : 'DEFAULT_4XX');
  return (type, { id, path, authorizer }): APIGatewayProxyResult => {
    const response = responses.get(type) ?? fallback(type);
    // Its own form, which the template cannot change.
    if (!response)
      return {
        statusCode: 413,
        headers: { 'Content-Type': 'application/json' },
        body: '{"message":"Request Too Long"}',
      };
    const context: Record<string, unknown> = { path, requestId: id };
    const textOf = (name: string): string =>
      String((name.startsWith('authorizer.') ? authorizer[name.slice('authorizer.'.length)] : context[name]) ?? '');
    const headers = Object.entries<string>(response.ResponseParameters ?? {}).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value.startsWith("'") ? value.slice(1, -1) : textOf(value.replace(/^context\./, '')),
    ]);
    return {
      statusCode: Number(response.StatusCode),
      headers: Object.fromEntries(headers),
      body: response.ResponseTemplates['application/json'].replace(
        /\$context\.([\w.]+\w)/g,
        (_: string, name: string) => textOf(name),
      ),
    };
  };
};

const readIdentity = (source: string) => {
  const sources = source.split(',');
  const named = (prefix: string) =>
    sources.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const [header = ''] = named('method.request.header.');
  return { header, context: named('context.') };
};

/** Makes the template's API on this machine. `invoke` calls the functions. */
export const startApi = (template: ResolvedTemplate, functions: Functions): { server: Server; prefix: string } => {
  const only = (type: string): Part => template.ofType(type)[0];
  const stage = only('AWS::ApiGateway::Stage').properties;
  const authorizer = only('AWS::ApiGateway::Authorizer').properties;
  const { IdentitySource, AuthorizerResultTtlInSeconds, AuthorizerUri } = authorizer;
  const prefix = `/${stage.StageName}`;
  const call = async (target: string, event: object, failed: AnswerType, millis: number): Promise<string> => {
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(
        () => reject(new GatewayFault(failed === 'INTEGRATION_FAILURE' ? 'INTEGRATION_TIMEOUT' : failed)),
        millis,
      ).unref(),
    );
    const invoked = functions.invoke(target, JSON.stringify(event)).catch((error: Error) => {
      if (error instanceof Throttled) throw new GatewayFault(failed);
      throw new GatewayFault(error.name === 'RequestTooLargeException' ? 'REQUEST_TOO_LARGE' : failed);
    });
    const { payload, isError } = await Promise.race([invoked, timeout]);
    if (!isError) return payload;
    if (failed !== 'INTEGRATION_FAILURE' && JSON.parse(payload).errorMessage === 'Unauthorized')
      throw new Error('Unauthorized');
    throw new GatewayFault(failed);
  };
  const server = createGateway<DeployedMethod>({
    routes: readMethods(template, stage),
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
        await call(targetOf(AuthorizerUri), event, 'AUTHORIZER_CONFIGURATION_ERROR', 10_000),
      ) as APIGatewayAuthorizerResult,
    authorizerTtlSeconds: AuthorizerResultTtlInSeconds,
    identity: readIdentity(IdentitySource),
    rate: unlimited.rate,
    burst: unlimited.burst,
    place: {
      account: pseudo['AWS::AccountId'] ?? '',
      api: only('AWS::ApiGateway::RestApi').ref(),
      stage: stage.StageName,
      prefix,
      requestIdHeader: 'x-amzn-RequestId',
    },
    ownAnswer: readAnswers(template),
    preflight: readPreflight(template),
  });
  return { server, prefix };
};

const decoded = ({ body, isBase64Encoded }: APIGatewayProxyResult): string =>
  isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : (body ?? '');
