import { randomUUID } from 'node:crypto';
import { type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { afterAll, inject } from 'vitest';
import { paced } from './paced.ts';
import type { Target } from './setup.ts';

const findTarget = async (): Promise<Target> => {
  if (process.env.TEST_TABLES === 'memory') return (await import('./in-process.ts')).startInProcess();
  const targets = inject('targets');
  return targets[(Number(process.env.VITEST_POOL_ID) - 1) % targets.length] as Target;
};

/** The suite's client of the service under test. It removes the rows that it made. */
export const target = await findTarget();
if (target.pid !== undefined && process.platform !== 'win32') process.kill(target.pid, 'SIGCONT');

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
  body: any;
}

interface Sent {
  key?: string | undefined;
  headers?: Record<string, string>;
}

const creating = /^\/v1\/(?:coupons|products|categories|customers\/[^/]+\/actions\/grant-gift-card)$/;
const made: { path: string; body: { id: string } }[] = [];

const send = target.local ? fetch : paced;

/** Sends a request, by default with the key of all scopes. A string is sent as it is, any other body as JSON. */
export const call = async (
  method: string,
  path: string,
  body?: unknown,
  { key = target.key, headers = {} }: Sent = {},
): Promise<Answer> => {
  const response = await send(target.baseUrl + path, {
    method,
    headers: { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
  if (key === target.key && method === 'POST' && creating.test(path.split('?')[0] ?? '') && answer.body?.id)
    made.push({ path, body: answer.body });
  return answer;
};

export const get = (path: string): Promise<Answer> => call('GET', path);

/** Sends a GET that fetch cannot send: with a repeated header, or with a body. Returns the status. */
export const statusOf = (path: string, headers: OutgoingHttpHeaders, body?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const url = new URL(target.baseUrl + path);
    const sendRaw = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = sendRaw(url, { headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject).end(body);
  });

/** The part of the service's paths before `/v1`: the stage, on a deployment without its own domain. */
export const prefix = new URL(target.baseUrl).pathname.replace(/\/$/, '');

/** Reads the resource at a `Location`. */
export const follow = ({ headers }: Answer): Promise<Answer> =>
  get((headers.get('location') ?? '/nowhere').slice(prefix.length));

/** Deletes a category. Rows that cannot be deleted are made inactive. */
const undo = async ({ path, body: { id } }: (typeof made)[number]): Promise<Answer> => {
  if (path.startsWith('/v1/categories')) return call('DELETE', `/v1/categories/${id}`);
  if (path.startsWith('/v1/customers')) return call('POST', `/v1/giftcards/${id}/actions/disable`);
  const row = `${path}/${id}`;
  return call('PUT', row, { ...(await get(row)).body, active: false });
};

const used = new Set<string>();
afterAll(async () => {
  for (const each of made) await undo(each);
  for (const uuid of used) await clear(uuid);
});

/** Resets the credit, the ban and the settings of a customer. */
const clear = async (uuid: string): Promise<void> => {
  await call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 0 });
  await call('POST', `/v1/customers/${uuid}/actions/set-restricted-credit`, { credit: 0 });
  await call('POST', `/v1/customers/${uuid}/actions/unban`);
  await call('PUT', `/v1/customers/${uuid}`, { discount: 0, newsSubscriber: false });
};

export const hasResidents = target.residents.length > 0;

/**
 * The resident with a number. Files may run at the same time, so each uses its own numbers, which its first comment
 * names.
 */
export const resident = (number: number): { uuid: string; username: string } => {
  const one = target.residents[number % Math.max(target.residents.length, 1)];
  if (!one) return { uuid: randomUUID(), username: 'nobody' };
  used.add(one.uuid);
  return one;
};

/** Text that no other run has used. */
export const unique = (text: string): string => `${text} ${randomUUID().slice(0, 13)}`;

/** A well-formed UUID that no row and no resident has. */
export const unknownUuid = 'ffffffff-7e57-4000-8000-ffffffffffff';

/** A well-formed username that no resident has: the virtual world gives out no names of digits alone. */
export const unknownName = '0000000000000000000000000000000.0';

export const nilUuid = '00000000-0000-0000-0000-000000000000';

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Makes a row. Returns it. */
const create = async (path: string, body: object): Promise<Answer['body']> => {
  const answer = await call('POST', path, body);
  if (answer.status > 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

export const createCategory = (name = unique('Category')) => create('/v1/categories', { name });

export const createProduct = (fields: object = {}) =>
  create('/v1/products', { name: unique('Product'), price: 100, ...fields });

export const createCoupon = (ownerIdentifier: string, fields: object = {}) =>
  create('/v1/coupons', { code: unique('C').replace(' ', '-'), ownerIdentifier, ...fields });

export const grantCard = (identifier: string, fields: object = {}) =>
  create(`/v1/customers/${identifier}/actions/grant-gift-card`, { credit: 5, ...fields });

/** Calls an action of a customer. */
export const act = (uuid: string, action: string, body?: unknown, sent?: Sent): Promise<Answer> =>
  call('POST', `/v1/customers/${uuid}/actions/${action}`, body, sent);

/** Every row of a list, page by page. */
export const walk = async (path: string): Promise<Answer['body'][]> => {
  const rows: Answer['body'][] = [];
  let cursor = '';
  for (;;) {
    const { body } = await get(`${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor}`);
    rows.push(...body.data);
    if (body.pagination.nextCursor === null) return rows;
    cursor = `&cursor=${encodeURIComponent(body.pagination.nextCursor)}`;
  }
};

/**
 * Repeats `read` until `isThere`, since on AWS an index follows the table within a second. The local service has no
 * such delay, so it is read once.
 */
export const settled = async <T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> => {
  let value = await read();
  for (let i = 0; !target.local && !isThere(value) && i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    value = await read();
  }
  return value;
};
