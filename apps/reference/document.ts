import type * as z from 'zod';
import { type Route, takesIfMatch } from '../../lib/routes/route.ts';
import { pageScope, scopes } from '../../lib/routes/scopes.ts';
import {
  exampleTag,
  headerRefs,
  headers,
  maxHeaderLength,
  problemResponses,
  problemSchema,
  problemStatuses,
  problems,
  refusalResponse,
} from './answers.ts';
import { clientMethodOf, operationIdOf } from './names.ts';
import { operationTexts } from './operation-texts.ts';
import type { RecordedAnswers, Recordings } from './record.ts';
import { codeSamples } from './samples.ts';
import { schemaTextFaults, withEnumerations, withTexts } from './schema-texts.ts';
import { parameterSchema, refOf, schemaComponents } from './schemas.ts';
import { introduction, scopeTexts, tagOf, tagTexts } from './texts.ts';
import type { Content, OpenApiDocument, Operation, Parameter, Response } from './types.ts';
import { webhooks } from './webhooks.ts';

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name of your own for this request: 1 to 255 printable ASCII characters without blanks. For 24 hours the same request with the ' +
    'same key gets the first answer, and the change is made once. Quotes around it are no part of it.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[\\x21-\\x7e]+$' },
};

const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the state that this request may change, with its quotes; several with commas between them. 412 where the ' +
    'present state has another, and nothing is changed. `*`: any state.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: maxHeaderLength,
    pattern: '^(?:\\*|(?:W/)?"[\\x21\\x23-\\x7e]*"(?:, *(?:W/)?"[\\x21\\x23-\\x7e]*")*)$',
  },
  example: exampleTag,
};

/** The resources that ids in paths name, by the segment before them. */
const resources: Record<string, string> = {
  coupons: 'coupon',
  giftcards: 'gift card',
  products: 'product',
  categories: 'category',
  deliveries: 'delivery',
  webhooks: 'webhook',
  sales: 'sale',
  payouts: 'payout',
  vendors: 'vendor',
};

/** `UUID of the coupon.` for `/v1/coupons/{id}`. */
const placeholderText = (row: Route, name: string): string | undefined => {
  if (name === 'identifier') return 'The resident, by username or avatar UUID.';
  if (name === 'keyId') return 'Id of the API key.';
  const resource = resources[row.path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? ''];
  if (resource === undefined) return name === 'uuid' ? 'UUID of the avatar.' : undefined;
  return `UUID of the ${resource}.`;
};

const parametersOf = (row: Route, place: 'path' | 'query', shape: z.ZodObject): Parameter[] =>
  Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const description = place === 'path' ? placeholderText(row, name) : schema.description;
    if (description === undefined)
      throw new Error(`The parameter ${name} of ${row.id} needs a text by .describe() in lib/routes.`);
    const example = operationTexts[row.id]?.parameters?.[name];
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      description,
      schema: withEnumerations(parameterSchema(schema)),
      ...(example !== undefined && { example }),
    };
  });

const contentOf = (row: Route, schema: z.ZodType, example: unknown): Record<string, Content> => ({
  'application/json': { schema: refOf(schema, row.id), ...(example !== undefined && { example }) },
});

const successOf = (row: Route, recorded: RecordedAnswers | undefined): Response => ({
  description: row.status === 201 ? 'Created.' : row.status === 204 ? 'Done. The answer has no body.' : 'Done.',
  headers: headerRefs(
    'X-Request-Id',
    ...(row.status === 201 ? (['Location'] as const) : []),
    ...(row.delivers ? (['Delivery-Id'] as const) : []),
    ...(row.changesCredit ? (['Credit-Sequence'] as const) : []),
    ...(row.tagged && row.response ? (['ETag'] as const) : []),
    ...(row.method === 'POST' ? (['Idempotent-Replayed'] as const) : []),
  ),
  ...(row.response && { content: contentOf(row, row.response, recorded?.body) }),
});

/** A line for each row and schema without a text, which says where the text belongs. Undefined if none lacks it. */
export const missingTexts = (routes: readonly Route[]): string | undefined =>
  [
    ...routes
      .filter(({ id }) => !operationTexts[id])
      .map(({ id }) => `apps/reference/operations/<resource>.ts has no text for ${id}`),
    ...schemaTextFaults(schemaComponents(), routes),
  ].join('\n') || undefined;

const callersOf = ({ scope, byInvitation, byPageCode }: Route): string => {
  if (byInvitation) return 'The code of an invitation may call it, and no key.';
  if (byPageCode) return 'The code of a customer’s page may call it, and no key.';
  if (scope === pageScope) return 'The token of a customer’s page may call it, and no key. Its scope is `self`.';
  return scope === null ? 'Any live key may call it.' : `Needs the scope \`${scope}\`.`;
};

const describeOperation = (row: Route, recorded: RecordedAnswers | undefined, baseUrl: string): Operation => {
  const text = operationTexts[row.id];
  if (!text) throw new Error(missingTexts([row]));
  return {
    operationId: operationIdOf(row),
    tags: [tagOf(row)],
    summary: row.summary,
    description: `${text.description}\n\n${callersOf(row)}`,
    security: [{ ApiKey: row.scope === null ? [] : [row.scope] }],
    ...(row.scope !== null && { 'x-required-scope': row.scope }),
    ...(row.extension && { 'x-extension': true }),
    'x-client-method': clientMethodOf(row),
    'x-codeSamples': codeSamples(row, baseUrl),
    parameters: [
      ...parametersOf(row, 'path', row.params),
      ...parametersOf(row, 'query', row.query),
      ...(row.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(takesIfMatch(row) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ],
    ...(row.body && {
      requestBody: { required: !row.bodyOptional, content: contentOf(row, row.body, text.request) },
    }),
    responses: {
      [row.status]: successOf(row, recorded),
      ...Object.fromEntries(
        problemStatuses(row).map((status) => [status, { $ref: `#/components/responses/${problems[status]?.name}` }]),
      ),
      ...(recorded?.refused !== undefined && { 400: refusalResponse(recorded.refused) }),
    },
  };
};

/** In the order of the texts: the order of the rows depends on what loads their modules. */
const inOrder = (routes: readonly Route[]): Route[] => {
  const order = Object.keys(operationTexts);
  return routes.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
};

const pathsOf = (routes: readonly Route[], recordings: Recordings, baseUrl: string): OpenApiDocument['paths'] => {
  const paths: OpenApiDocument['paths'] = {};
  for (const row of inOrder(routes))
    paths[row.path] = {
      ...paths[row.path],
      [row.method.toLowerCase()]: describeOperation(row, recordings[row.id], baseUrl),
    };
  return paths;
};

/**
 * The OpenAPI 3.1 document of the endpoints and of the messages to webhooks, for the service at `baseUrl`. Throws if a
 * text is missing.
 */
export const document = (
  routes: readonly Route[],
  { baseUrl, version, recordings }: { baseUrl: string; version: string; recordings?: Recordings },
): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {
    title: 'Store Integration Service',
    version,
    summary:
      'Coupons, customers, store credit, gift cards, products, categories, sales and deliveries of a store in a virtual world.',
    description: introduction,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [
    { url: baseUrl, description: 'The local service (`npm start`).' },
    {
      url: 'https://{api}.execute-api.{region}.amazonaws.com/{stage}',
      description: 'A deployment: what `cdk deploy` prints as `BaseUrl`.',
      variables: {
        api: { default: 'abcdefghij', description: 'Id of the API, as AWS chose it.' },
        region: { default: 'us-east-1', description: 'Region of the deployment.' },
        stage: { default: 'prod', description: 'Name of the deployment.' },
      },
    },
  ],
  tags: Object.entries(tagTexts).map(([name, description]) => ({ name, description })),
  paths: pathsOf(routes, recordings ?? {}, baseUrl),
  webhooks: webhooks(recordings),
  components: {
    schemas: { ...withTexts(schemaComponents(), routes), Problem: problemSchema },
    parameters: { IdempotencyKey: idempotencyKey, IfMatch: ifMatch },
    headers,
    responses: problemResponses(),
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: `An API key of one store. It has some of these scopes, and each operation needs one:\n\n${scopes
          .map((scope) => `- \`${scope}\`: ${scopeTexts[scope]}`)
          .join('\n')}`,
      },
    },
  },
});
