import { deepStrictEqual, equal, match, ok } from 'node:assert/strict';
import { problemStatuses } from '../../apps/reference/answers.ts';
import { titleOf } from '../../lib/problem.ts';
import type { Route } from '../../lib/routes/route.ts';
import type { RawAnswer } from '../../test/support/raw-http.ts';
import type { FuzzRequest } from '../../test/support/requests.ts';
import { expectedStatuses, rowOf } from './expectation.ts';

const header = ({ headers }: RawAnswer, name: string): string | undefined => {
  const values = headers.get(name) ?? [];
  ok(values.length <= 1, `${name} is there ${values.length} times`);
  return values[0];
};

const checkSuccess = (row: Route, target: string, answer: RawAnswer): void => {
  equal(answer.status, row.status);
  if (!row.response) {
    deepStrictEqual([answer.body, header(answer, 'content-type')], ['', undefined]);
    return;
  }
  equal(header(answer, 'content-type'), 'application/json');
  const body = JSON.parse(answer.body);
  // The schema drops undeclared members, so an equal result proves that there were none.
  deepStrictEqual(row.response.parse(body), body);
  const etag = header(answer, 'etag');
  ok(row.tagged ? /^"[\w-]{22}"$/.test(etag ?? '') : etag === undefined, `the ETag is ${etag}`);
  if (row.status === 201) equal(header(answer, 'location'), `${row.location ?? target.split('?')[0]}/${body.id}`);
};

const problemJson = 'application/problem+json';

const checkProblem = (
  row: Route | undefined,
  { target, problemType = problemJson }: FuzzRequest,
  answer: RawAnswer,
): void => {
  const { status } = answer;
  // Only an endpoint's own problem varies. The gateway's answers have one type.
  const vary = header(answer, 'vary');
  ok([undefined, 'Accept, X-SecondLife-Shard'].includes(vary), `Vary is ${vary}`);
  equal(header(answer, 'content-type'), vary === undefined ? problemJson : problemType);
  if (row && vary !== undefined) ok(problemStatuses(row).includes(status), `${status} is in no document`);
  const { errors, ...problem } = JSON.parse(answer.body);
  deepStrictEqual(Object.keys(problem).sort(), ['detail', 'instance', 'status', 'title']);
  deepStrictEqual([problem.status, problem.title], [status, titleOf(status)]);
  ok(typeof problem.detail === 'string' && problem.detail.length > 0, 'detail is text');
  // A request that is no valid HTTP has no path, or a cut one.
  const path = target.split('?')[0];
  ok(problem.instance === path || (status === 400 && errors === undefined), `instance is ${problem.instance}`);
  if (errors !== undefined) {
    equal(status, 400);
    ok(Array.isArray(errors) && errors.length > 0 && errors.every((each) => typeof each === 'string' && each !== ''));
    equal(problem.detail, errors.join(' '));
  }
  if ([409, 429, 503].includes(status)) match(header(answer, 'retry-after') ?? '', /^\d+$/);
};

/** Throws unless the contract allows the answer's status and form, and the request's writes. */
export const checkAnswer = (
  request: FuzzRequest,
  answer: RawAnswer | undefined,
  written: string[],
  { alone = false } = {},
): void => {
  ok(answer, 'there is an answer');
  const expected = expectedStatuses(request, { alone });
  ok(expected.includes(answer.status), `${answer.status} ${answer.body.slice(0, 500)}, but expected ${expected}`);
  match(header(answer, 'x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  equal(header(answer, 'cache-control'), 'no-store');
  equal(header(answer, 'x-injected'), undefined);
  const row = rowOf(request.method, request.target);
  if (answer.status < 300) {
    ok(row, 'there is a row');
    checkSuccess(row, request.target, answer);
    equal(Number(header(answer, 'content-length') ?? 0), Buffer.byteLength(answer.body));
  } else if (request.method !== 'HEAD') {
    checkProblem(row, request, answer);
    equal(Number(header(answer, 'content-length')), Buffer.byteLength(answer.body));
  }
  if (answer.status >= 400 || request.method === 'GET') deepStrictEqual(written, [], 'nothing is written');
};
