import { gatewayAnswers, gatewayBody, withContext } from '../../infra/gateway-answers.ts';
import {
  internalError,
  invalid,
  keyReused,
  notFound,
  preconditionFailed,
  problemBody,
  requestRunning,
  unavailable,
} from '../../lib/problem.ts';
import { type Route, takesIfMatch, takesKeys } from '../../lib/routes/route.ts';
import { maxLength } from '../../lib/routes/wire.ts';
import type { JsonSchema } from './schemas.ts';

/** The answers that do not belong to an operation: problems, and the headers of all answers. */

/** No longer request line or header passes the gateway. */
export const maxHeaderLength = 10_240;

/** Longer than the messages about a list with the most items that a request may have. */
const maxProblem = 131_072;

export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'The faults of a request as RFC 9457 problem details. All faults of form are in one answer.',
  properties: {
    status: { type: 'integer', description: 'The HTTP status code.' },
    title: { type: 'string', maxLength: 64, description: 'Short label of the status.' },
    detail: {
      type: 'string',
      maxLength: maxProblem,
      description: 'The fault and how to correct it; several messages are joined.',
    },
    instance: { type: 'string', maxLength: maxHeaderLength, description: 'Path of the failing request.' },
    errors: {
      type: 'array',
      items: { type: 'string', maxLength: maxProblem },
      description: 'The single validation messages; absent where there are none.',
    },
  },
  required: ['status', 'title', 'detail', 'instance'],
};

const header = (schema: JsonSchema, description: string, example: unknown) => ({ description, schema, example });

const headerText = (max: number): JsonSchema => ({ type: 'string', maxLength: max });

export const exampleTag = '"vJ0cM5pBz1hQ2xWk7TtLrA"';

export const headers = {
  'X-Request-Id': header(
    headerText(maxLength.uuid),
    'Id of this request. Name it in questions about the request.',
    '6f0e1c5e-8f0b-4e0c-9d51-0c2f3a7b9e42',
  ),
  Location: header(
    headerText(maxHeaderLength),
    'Path of the new resource, relative to the host.',
    '/v1/categories/0198b3a4-5c1e-7c2a-9f43-5b1d6e0f7a21',
  ),
  'Delivery-Id': header(
    headerText(maxLength.uuid),
    'Id of the delivery. `GET /v1/deliveries/{id}` answers it from its first attempt on.',
    '0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90',
  ),
  'Credit-Sequence': header(
    { type: 'integer' },
    "Number of the change of the customer's credit, as history lists it. Absent where nothing was changed.",
    12,
  ),
  ETag: header(
    headerText(exampleTag.length),
    'The state that the answer shows, in quotes. Send it as `If-Match` to change this state and no later one.',
    exampleTag,
  ),
  'Retry-After': header({ type: 'integer' }, 'Seconds to wait before the request is sent again.', 1),
  'Idempotent-Replayed': header(
    headerText('true'.length),
    '`true` where this is the kept answer of an earlier request with the same Idempotency-Key; else absent.',
    'true',
  ),
};

export const headerRefs = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

interface ProblemAnswer {
  name: string;
  when: string;
  example: unknown;
  /** It says when to try again. */
  retryAfter?: true;
}

const instance = '/v1/products';

const credit = '/v1/customers/vera.vendor/actions/increment-credit';

const badRequest: ProblemAnswer = {
  name: 'BadRequest',
  when: 'The request breaks a rule. Nothing was changed. `errors` holds one message for each fault of path, query and body.',
  example: problemBody(invalid('Limit must be between 1 and 1000.', 'listed must be true or false.'), instance),
};

/** Every problem of any operation, by its status. The texts are the service's own. */
export const problems: Record<number, ProblemAnswer> = {
  400: badRequest,
  401: {
    name: 'Unauthorized',
    when: 'The API key is missing, sent twice, malformed, unknown, expired or revoked.',
    example: gatewayBody(gatewayAnswers.UNAUTHORIZED, instance),
  },
  403: {
    name: 'Forbidden',
    when: 'The API key is valid, but lacks the scope of this operation, or of what the request asks for. `detail` names it.',
    example: gatewayBody(withContext(gatewayAnswers.ACCESS_DENIED, { lack: 'the scope products:read' }), instance),
  },
  404: {
    name: 'NotFound',
    when: 'There is no such resource or resident in this store, or the store of the key is gone.',
    example: problemBody(notFound(), '/v1/products/00000003-dede-4ede-8ede-999999999999'),
  },
  409: {
    name: 'IdempotencyConflict',
    when: 'A request with the same Idempotency-Key is still running. Send it again after `Retry-After` seconds.',
    example: problemBody(requestRunning(), credit),
    retryAfter: true,
  },
  412: {
    name: 'PreconditionFailed',
    when: '`If-Match` names another state than the present one: somebody has changed it since. Nothing was changed.',
    example: problemBody(preconditionFailed(), '/v1/categories/00000007-dede-4ede-8ede-000000000004'),
  },
  413: {
    name: 'ContentTooLarge',
    when:
      'The body is over 10 MB. (From 256 KiB the answer is 400.) On AWS this answer comes from a layer before the service ' +
      'and has a form of its own.',
    example: gatewayBody(gatewayAnswers.REQUEST_TOO_LARGE, instance),
  },
  422: {
    name: 'IdempotencyMismatch',
    when: 'The Idempotency-Key was used for another request: another path or body.',
    example: problemBody(keyReused(), credit),
  },
  429: {
    name: 'TooManyRequests',
    when: 'Too many requests. Nothing was changed. Send the request again after `Retry-After` seconds.',
    example: gatewayBody(gatewayAnswers.THROTTLED, instance),
    retryAfter: true,
  },
  500: {
    name: 'InternalServerError',
    when:
      'A bug. It is not known whether a change was made: read first, or send the request again with the same ' +
      'Idempotency-Key.',
    example: problemBody(internalError(), instance),
  },
  503: {
    name: 'ServiceUnavailable',
    when:
      'The service is busy. Nothing was changed, unless `detail` says that this is not known (and but for the delivery of ' +
      'products). Send the request again after `Retry-After` seconds, a POST with the same Idempotency-Key.',
    example: problemBody(unavailable(), instance),
    retryAfter: true,
  },
  504: {
    name: 'GatewayTimeout',
    when: 'No answer within 29 seconds. It is not known whether a change was made: treat it as a 500.',
    example: gatewayBody(gatewayAnswers.INTEGRATION_TIMEOUT, instance),
  },
};

/** The statuses of a row's problems. Every row has 404, since the store of a key may be deleted. */
export const problemStatuses = (row: Route): number[] => {
  const { problems: own, method, body, scope } = row;
  const around = [401, ...(scope === null && takesKeys(row) ? [] : [403]), 404, 429, 500, 503, 504];
  const more = [...(method === 'POST' ? [409, 422] : []), ...(takesIfMatch(row) ? [412] : []), ...(body ? [413] : [])];
  return [...new Set([...own, ...around, ...more])].sort((a, b) => a - b);
};

const responseOf = ({ when, example, retryAfter }: ProblemAnswer) => ({
  description: when,
  headers: headerRefs('X-Request-Id', ...(retryAfter ? (['Retry-After'] as const) : [])),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
});

/** The problems as response components. */
export const problemResponses = () =>
  Object.fromEntries(Object.values(problems).map((problem) => [problem.name, responseOf(problem)]));

/** A 400 with an operation's own messages. */
export const refusalResponse = (example: unknown) => responseOf({ ...badRequest, example });
