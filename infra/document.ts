import { customerPage } from '../lib/http/desk.ts';
import { answerHeaders } from '../lib/http/headers.ts';
import { functionFile, type Route } from '../lib/routes/route.ts';
import { minCompressedBytes } from './compression.ts';
import { gatewayCors, preflightHeaders, preflightStatus, preflightTemplate } from './cors.ts';
import { authorizerIdentity, type GatewayAnswer, gatewayAnswers, gatewayBody } from './gateway-answers.ts';
import type { Settings } from './settings.ts';

/**
 * The API as API Gateway imports it: an OpenAPI 3.0 document with Amazon's extensions, made from the rows as plain
 * data. An import resets everything that the document leaves out, so the document holds all that an API has.
 */

/** A method that a function answers. */
export interface ApiMethod {
  /** Unique in the document. */
  id: string;
  method: string;
  path: string;
  /** The function's file under `functions/`. */
  entry: string;
  /** Anybody may call it, without a key. */
  isOpen: boolean;
}

/**
 * The desk, the customer's page and their files, which anybody may load: they hold no data. They have rates of their
 * own. No store's share counts them, since the caller is unknown.
 */
export const deskMethods: readonly ApiMethod[] = [
  { id: 'desk', path: '/desk' },
  { id: 'desk-file', path: '/desk/{file}' },
  { id: 'desk-customer', path: customerPage },
].flatMap(({ id, path }) =>
  ['GET', 'HEAD'].map((method) => ({ id: `${id}-${method.toLowerCase()}`, method, path, entry: 'desk', isOpen: true })),
);

/** The methods of the rows and, if the settings want it, of the desk. */
export const methodsOf = (rows: readonly Route[], { desk }: Pick<Settings, 'desk'>): ApiMethod[] => [
  ...rows.map((row) => ({
    id: row.id.replace('/', '-'),
    method: row.method,
    path: row.path,
    entry: functionFile(row),
    isOpen: false,
  })),
  ...(desk ? deskMethods : []),
];

interface DocumentFacts {
  /** An import gives the API this name. The metrics of its calls carry it. */
  name: string;
  /** The release: each one imports the whole document anew. */
  version: string;
  methods: readonly ApiMethod[];
  /** The address at which API Gateway calls the function of an entry. */
  addressOf: (entry: string) => string;
  settings: Pick<Settings, 'authorizerTtlSeconds' | 'corsOrigins' | 'domainOnly'>;
}

export const apiDocument = ({ name, version, methods, addressOf, settings }: DocumentFacts) => ({
  // API Gateway refuses 3.1.
  openapi: '3.0.1',
  info: { title: name, version },
  ...(settings.domainOnly && {
    servers: [{ url: '/', 'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true } }],
  }),
  // The authorizer names the usage key of the caller's store.
  'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
  'x-amazon-apigateway-minimum-compression-size': minCompressedBytes,
  paths: {
    ...pathsOf(methods, addressOf),
    // One method answers the preflights of all paths, since none of them has a method OPTIONS of its own.
    ...(settings.corsOrigins && { '/{proxy+}': { options: preflightOf(settings.corsOrigins) } }),
  },
  components: {
    securitySchemes: {
      [store]: authorizerOf(addressOf('authorizer'), settings.authorizerTtlSeconds),
      [usage]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
    },
  },
  'x-amazon-apigateway-gateway-responses': answersOf(settings.corsOrigins),
});

// Methods

/** The names of the two schemes: the authorizer is asked, and the call counts towards the usage key that it names. */
const [store, usage] = ['store', 'usage'];

/** Sorted by name, so that another order of the rows makes the same document, and no new deployment. */
const pathsOf = (methods: readonly ApiMethod[], addressOf: DocumentFacts['addressOf']) => {
  const sorted = methods.toSorted((one, other) => (methodKey(one) < methodKey(other) ? -1 : 1));
  return Object.fromEntries(
    [...Map.groupBy(sorted, ({ path }) => path)].map(([path, ofPath]) => [
      path,
      Object.fromEntries(ofPath.map((one) => [one.method.toLowerCase(), documentOperation(one, addressOf(one.entry))])),
    ]),
  );
};

const methodKey = ({ path, method }: ApiMethod): string => `${path} ${method}`;

const documentOperation = ({ id, path, isOpen }: ApiMethod, address: string) => ({
  operationId: id,
  // Without this a method is public. API Gateway demands both, though OpenAPI would read two entries as a choice.
  ...(!isOpen && { security: [{ [store]: [] }, { [usage]: [] }] }),
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  // A warning would fail the import, and no document says that API Gateway takes a `default` answer without one.
  responses: { 200: { description: 'The function answers.' } },
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    passthroughBehavior: 'when_no_match',
    uri: address,
  },
});

const authorizerOf = (address: string, seconds: number) => ({
  type: 'apiKey',
  // API Gateway demands this name if something other than one header identifies a caller.
  name: 'Unused',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    authorizerUri: address,
    authorizerResultTtlInSeconds: seconds,
    identitySource: [
      `method.request.header.${authorizerIdentity.header}`,
      ...authorizerIdentity.context.map((name) => `context.${name}`),
    ].join(', '),
  },
});

// Preflights

const preflightOf = (origins: string) => {
  const headers = preflightHeaders(origins);
  const template = preflightTemplate(origins);
  return {
    operationId: 'preflight',
    responses: {
      [preflightStatus]: {
        description: 'The browser may send the request.',
        // A header that is not declared here cannot be set below.
        headers: Object.fromEntries(Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      requestTemplates: { 'application/json': JSON.stringify({ statusCode: preflightStatus }) },
      responses: {
        default: {
          statusCode: String(preflightStatus),
          responseParameters: literals('method.response.header.', headers),
          ...(template && { responseTemplates: { 'application/json': template } }),
        },
      },
    },
  };
};

// The gateway's own answers

const answersOf = (origins: string | undefined) =>
  Object.fromEntries(
    Object.entries<GatewayAnswer>(gatewayAnswers)
      // API Gateway does not let anybody change this one.
      .filter(([type]) => type !== 'REQUEST_TOO_LARGE')
      .map(([type, answer]) => [type, gatewayResponse(answer, gatewayCors(origins))]),
  );

const gatewayResponse = (answer: GatewayAnswer, cors: Record<string, string>) => ({
  statusCode: String(answer.status),
  responseParameters: {
    ...literals('gatewayresponse.header.', {
      ...answerHeaders,
      ...cors,
      ...answer.headers,
      'Content-Type': 'application/problem+json',
    }),
    'gatewayresponse.header.X-Request-Id': 'context.requestId',
  },
  responseTemplates: { 'application/json': JSON.stringify(gatewayBody(answer, '$context.path')) },
});

/** Headers with fixed values, as API Gateway writes them. */
const literals = (prefix: string, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [prefix + name, `'${value}'`]));
