import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import { newId } from '../../../lib/clock.ts';
import type { Route } from '../../../lib/routes/route.ts';
import { connect, type GlobalOptions, storeFor, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { isJson, jsonLine, jsonText, note, plain } from '../terminal/output.ts';

interface ApiOptions extends GlobalOptions {
  key?: string;
  data?: string;
  header?: [name: string, value: string][];
  idempotencyKey?: string;
  include?: boolean;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

const parseMethod = (text: string): string => {
  const method = text.toUpperCase();
  if (methods.includes(method)) return method;
  throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
};

/**
 * Reads a path of the API. The first slash may be missing, since some shells of Windows change a text that begins with
 * one.
 */
const parsePath = (text: string): string => {
  const path = text.startsWith('/') ? text : `/${text}`;
  if (/^\/v1\/./.test(path) && URL.canParse(path, 'http://localhost')) return path;
  throw new InvalidArgumentError('It must be a path of the API, such as /v1/store or "/v1/products?limit=5".');
};

const parseHeader = (text: string, before: [string, string][] = []): [string, string][] => {
  const [, name = '', value = ''] = /^([\w-]+): *(.*)$/.exec(text) ?? [];
  if (name !== '') return [...before, [name, value]];
  throw new InvalidArgumentError('It must be a name and a value, such as \'If-Match: "0198c2f4"\'.');
};

/**
 * Returns the JSON text that `--data` gives: itself, a file with `@`, or standard input with `-`. Throws if it is not
 * JSON.
 */
const readData = async (data: string): Promise<string> => {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw new Failure(`The file ${path} of --data cannot be read: name another one. (${(cause as Error).message})`);
    }
  };
  const text = data === '-' ? await readAll(process.stdin) : data.startsWith('@') ? read(data.slice(1)) : data;
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new UsageError(
      `--data must be JSON, such as '{"delta": 100}', @body.json or - for standard input. (${(cause as Error).message})`,
    );
  }
};

/** The key for the call: the given one or, for a demo store of the local service, its known key. */
const keyFor = async (options: ApiOptions, target: Target): Promise<string> => {
  if (options.key !== undefined) return options.key;
  const store = await storeFor(options, target);
  const known = target.keys.get(store.id);
  if (known) return known;
  throw new UsageError(
    `No key of ${store.name} is stored on ${target.name}. Give one with --key or in the variable SIS_KEY, or issue one: store key issue api --preset support --store ${store.id}`,
  );
};

const callMillis = 40_000;

/** Calls the API. If no answer comes, throws and says how to repeat a write that may have taken effect. */
const call = async (url: string, init: RequestInit, repeat: string | undefined): Promise<Response> => {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(callMillis) });
  } catch (cause) {
    const { message, cause: deeper } = cause as Error;
    const why = deeper instanceof Error ? deeper.message || deeper.name : message;
    const again = repeat
      ? ` It may have taken effect all the same. Repeat it with --idempotency-key ${repeat}, and it takes effect once.`
      : '';
    throw new Failure(`${url} does not answer: ${why}.${again}`, { cause });
  }
};

const shownBody = (text: string): string => {
  if (text === '') return '';
  try {
    const value: unknown = JSON.parse(text);
    return isJson() ? `${jsonLine(value)}\n` : jsonText(value);
  } catch {
    return `${text.split('\n').map(plain).join('\n')}\n`;
  }
};

const shownHeaders = ({ headers }: Response): string =>
  [...headers].map((pair) => `${plain(pair.join(': '))}\n`).join('');

const styleOf = (status: number) => (status < 300 ? 'green' : status < 500 ? 'yellow' : 'red');

/**
 * Prints a note if no endpoint has this path and method. The API answers 404 for that, as it does for a missing row.
 */
const noteUnknownEndpoint = async (method: string, path: string): Promise<void> => {
  const { routes } = await import('../../../lib/routes/routes.ts');
  const [place = ''] = path.split('?');
  const methods = routes
    .filter((row) => new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(place))
    .map((row) => row.method);
  if (methods.length === 0) note(`The API has no endpoint ${place}: docs/openapi.json lists them all.`);
  else if (!methods.includes(method as Route['method']))
    note(`${place} takes no ${method}, but ${methods.toSorted().join(' and ')}.`);
};

const api = async (options: ApiOptions, method: string, path: string): Promise<void> => {
  const { data, header = [], include } = options;
  if (method === 'GET' && data !== undefined)
    throw new UsageError('GET takes no --data: put the values into the path.');
  const body = data === undefined ? undefined : await readData(data);
  const target = await connect(options);
  const key = await keyFor(options, target);
  const repeat = method === 'POST' ? (options.idempotencyKey ?? newId()) : undefined;
  const headers = new Headers([
    ['Accept', 'application/json, application/problem+json'],
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
    ...(repeat === undefined ? [] : [['Idempotency-Key', repeat] as [string, string]]),
    ...header,
    ['X-API-Key', key],
  ]);
  if (repeat) note(`Idempotency-Key: ${repeat}`);
  const begun = performance.now();
  const answer = await call(target.baseUrl + path, { method, headers, ...(body !== undefined && { body }) }, repeat);
  const text = await answer.text();
  const { status, statusText, ok } = answer;
  const line = `${status} ${plain(statusText)}`.trim();
  const request = answer.headers.get('x-request-id');
  const facts = [`${Math.round(performance.now() - begun)} ms`, ...(request ? [`request ${request}`] : [])];
  note([line, ...facts].join('  '), styleOf(status));
  if (status === 404) await noteUnknownEndpoint(method, path);
  process.stdout.write(`${include ? `${line}\n${shownHeaders(answer)}\n` : ''}${shownBody(text)}`);
  if (!ok) throw new UnsuccessfulError(Math.floor(status / 100));
};

export const addApi = (program: StoreCommand): void => {
  program
    .command('api')
    .description(
      'Calls the API and prints the answer. Exit code 0 for a status below 300, else the first digit of the status: 4 for a refusal, 5 for a fault of the service.',
    )
    .argument('<method>', `one of ${methods.join(', ')}`, parseMethod)
    .argument('<path>', 'such as /v1/store; with quotes around it if it has a question mark', parsePath)
    .addOption(
      new Option(
        '--key <key>',
        'the API key. Prefer the variable: others on this machine may see a command line. Not needed for the demo of the local service',
      ).env('SIS_KEY'),
    )
    .option('-d, --data <json>', 'the body: JSON, @file for that of a file, or - for that of standard input')
    .option('-H, --header <header>', 'another header, such as \'If-Match: "..."\'; may be repeated', parseHeader)
    .option('-i, --include', 'print the status and the headers of the answer before the body')
    .option(
      '--idempotency-key <text>',
      'the Idempotency-Key of a POST, to repeat one; by default a new one, which is printed',
    )
    .examples(
      'store api GET /v1/store',
      'store api GET "/v1/products?limit=5" --include',
      `store api POST /v1/customers/ada.lovelace/actions/increment-credit --data '{"delta": 100}'`,
      'store api PUT /v1/products/0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90 --data @product.json --stage prod',
    )
    .runs(api);
};
