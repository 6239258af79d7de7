import type { ServerResponse } from 'node:http';
import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { parseKey } from '../../lib/keys.ts';
import { invalid } from '../../lib/problem.ts';
import { routes } from '../../lib/routes/routes.ts';
import { findKey } from '../../lib/store/api-keys.ts';
import type { AnsweredRequest } from '../gateway/gateway.ts';
import { ignoredFields } from '../gateway/ignored.ts';
import { matcher } from '../gateway/matcher.ts';

/**
 * Keeps the API's requests for the desk's page for developers, and sends that page live events at `GET /_dev/events`.
 */

/** The number of calls of the table and queue, and of units of capacity. */
export interface Cost {
  calls: number;
  units: number;
  /** The id of the function's row. */
  route: string;
}

/** An answered request of the API, with the cost if it reached a function. */
export interface ServedRequest extends Partial<Cost> {
  id: string;
  time: string;
  method: string;
  url: string;
  status: number;
  millis: number;
}

/** A request as it came. `body` is undefined if it is too long to keep. */
interface KeptRequest extends ServedRequest {
  headers: Record<string, string[]>;
  body: Buffer | undefined;
  /** The beginnings of both bodies. */
  sent: string;
  answer: string;
}

const maxShownBytes = 4096;
/** A longer body is not kept, and its request cannot be repeated. */
const maxKeptBytes = 64 * 1024;

/** Copies the beginning of a text. A slice would keep the whole text in memory. */
const shortened = (text: Buffer): string =>
  text.length > maxShownBytes ? `${text.toString('utf8', 0, maxShownBytes)}…` : text.toString('utf8');

const kept = 200;
/**
 * At most this many kept requests are the desk's own, so that these do not replace the ones that somebody looks for.
 */
const keptOfDesk = 50;
const flushMillis = 100;
/** A reader with more unsent bytes is dropped. It connects again and gets the kept requests. */
const maxBacklogBytes = 4 * 1024 * 1024;

const readers = new Set<ServerResponse>();
let recent: KeptRequest[] = [];
let unsent: KeptRequest[] = [];
let flushTimer: NodeJS.Timeout | undefined;

const secretHeaders = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie'];

const keyIdOf = ({ headers }: KeptRequest): string | undefined => parseKey(headers['x-api-key']?.[0] ?? '', 'test')?.id;

/** The name and store of each key that was looked up, by id; undefined if the table does not have the key. */
const keys = new Map<string, { name: string; store: string } | undefined>();

const readKeys = async (requests: readonly KeptRequest[]): Promise<void> => {
  const ids = new Set(requests.map(keyIdOf).filter((id) => id !== undefined && !keys.has(id)));
  for (const id of ids) {
    const key = await findKey(id as string);
    keys.set(id as string, key && { name: key.name, store: key.store });
  }
};

/** True for a call of the desk, which sends no Referer. The reference page does. */
const isOfDesk = ({ headers }: Pick<KeptRequest, 'headers'>): boolean =>
  headers['sec-fetch-site']?.[0] === 'same-origin' && headers.referer === undefined;

const match = matcher(routes);

/** A request as the page gets it, without its secrets. */
const view = (request: KeptRequest) => {
  const { headers, body, ...shown } = request;
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  const found = match(request.method, path);
  const keyId = keyIdOf(request);
  return {
    ...shown,
    headers: Object.entries(headers)
      .filter(([name]) => !secretHeaders.includes(name))
      .flatMap(([name, values]) => values.map((value) => [name, value] as const)),
    hidden: secretHeaders.filter((name) => headers[name] !== undefined),
    key: keyId === undefined ? undefined : { id: keyId, ...keys.get(keyId) },
    ignored: found ? ignoredFields(found.row, new URLSearchParams(query), body?.toString('utf8') ?? '') : [],
    isOfDesk: isOfDesk(request),
    /** The body as text, if it is text and was kept. */
    body: body?.equals(Buffer.from(body.toString('utf8'))) ? body.toString('utf8') : undefined,
  };
};

/** The service's time, and how far it is ahead of this machine's. */
export const clockState = () => ({ now: timestamp(now()), aheadMillis: now() - Date.now() });

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Sends an event to every reader. */
export const publish = (event: string, data: object = {}): void => {
  if (readers.size === 0) return;
  const text = frame(event, data);
  for (const reader of readers) {
    if (reader.writableLength > maxBacklogBytes) reader.destroy();
    else reader.write(text);
  }
};

/**
 * Sends the unsent requests, at most as many as the page shows, as one event. So thousands a second need few events.
 */
const flush = (): void => {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  const requests = unsent.slice(-kept).map(view);
  publish('requests', { requests, skipped: Math.max(0, unsent.length - kept) });
  unsent = [];
};

/** Flushes with the names of keys, if the table answers. */
const flushWithKeys = (): Promise<void> =>
  readKeys(unsent.slice(-kept))
    .catch(() => undefined)
    .then(flush);

const newest = (): KeptRequest[] => {
  const ofDesk = recent.filter(isOfDesk).slice(-keptOfDesk);
  const others = recent.filter((request) => !isOfDesk(request)).slice(-kept);
  const both = new Set([...ofDesk, ...others]);
  return recent.filter((request) => both.has(request));
};

/** Keeps an answered request for the page, with the cost that its function logged. */
export const noteRequest = ({ body, answer, ...answered }: AnsweredRequest, cost: Cost | undefined): ServedRequest => {
  const request = { ...answered, time: timestamp(now()), ...cost };
  const noted = {
    ...request,
    body: body.length > maxKeptBytes ? undefined : body,
    sent: shortened(body),
    answer: shortened(Buffer.from(answer)),
  };
  recent.push(noted);
  // Trimming only at twice the length saves a copy for each request.
  if (recent.length > 2 * (kept + keptOfDesk)) recent = newest();
  if (readers.size > 0) {
    unsent.push(noted);
    flushTimer ??= setTimeout(flushWithKeys, flushMillis).unref();
  }
  return request;
};

/** Makes a response a reader. It gets the kept requests first. */
export const follow = async (response: ServerResponse): Promise<void> => {
  await readKeys(newest()).catch(() => undefined);
  // The recent requests include the unsent ones, and this reader must not get them twice.
  flush();
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(`retry: 1000\n${frame('hello', { clock: clockState(), requests: newest().map(view) })}`);
  readers.add(response);
  response.on('close', () => readers.delete(response));
};

/** Headers that belong to the first connection. */
const ofConnection = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'keep-alive', 'upgrade'];

/**
 * Sends a kept request again with its key. It gets a new Idempotency-Key if it had one, since the old one would only
 * bring the first answer again. Answers the new request's id and status. Throws 400 for a request that is not kept in
 * full.
 */
export const replay = async (baseUrl: string, id: string) => {
  const request = recent.find((one) => one.id === id);
  if (!request) throw invalid('This request is not kept any more: only the last 200 are.');
  const { method, url, body } = request;
  if (!body) throw invalid(`Its body is longer than ${maxKeptBytes / 1024} KiB, so it was not kept.`);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofConnection.includes(name)));
  const isNewKey = headers['idempotency-key'] !== undefined;
  if (isNewKey) headers['idempotency-key'] = [newId()];
  const { hostname, port } = new URL(baseUrl);
  const sent = send({ hostname, port, method, path: url, headers: { ...headers, 'content-length': body.length } });
  return new Promise<{ id: string; status: number; isNewKey: boolean }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) =>
      buffer(response).then(
        () => resolve({ id: String(response.headers['x-request-id']), status: response.statusCode ?? 0, isNewKey }),
        reject,
      ),
    );
    sent.end(body);
  });
};

/** Ends every stream and forgets the kept requests. */
export const stopEvents = (): void => {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  recent = [];
  unsent = [];
  keys.clear();
  for (const reader of readers) reader.end();
};
