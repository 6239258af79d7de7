import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import type { Route } from '../../lib/routes/route.ts';
import { pageScope } from '../../lib/routes/scopes.ts';
import { operationTexts } from './operation-texts.ts';

/** Records how the local service answers the examples on its demo data. */

/** The answers to an operation's example and, if it has one, to its refused body. */
export interface RecordedAnswers {
  status: number;
  headers: Headers;
  body: unknown;
  refused?: unknown;
}

export type Recordings = Readonly<Record<string, RecordedAnswers>>;

/** The address of an operation's example, relative to the host. */
export const examplePath = ({ id, path }: Route): string => {
  const parameters = Object.entries(operationTexts[id]?.parameters ?? {}).map(([name, value]) => [name, String(value)]);
  const inPath = (name = ''): boolean => path.includes(`{${name}}`);
  const filled = parameters.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value ?? '')),
    path as string,
  );
  const query = new URLSearchParams(parameters.filter(([name]) => !inPath(name)));
  return query.size > 0 ? `${filled}?${query}` : filled;
};

export const examplesBegin = Date.parse('2026-11-21T12:00:00.000Z');

/** Stops the clock for the demo data and the examples. Call it before the service starts. */
export const stopClock = (): void => {
  source.now = () => examplesBegin;
};

/** Makes ids and cursors that depend only on the operation, however much happens at the same time. */
const useBytesOf = (id: string): void => {
  source.newestId = () => ({ millis: 0, counter: 0 });
  source.bytes = (count) => createHash('shake256', { outputLength: count }).update(id).digest();
};

/** Looks up the virtual world's host names without a network. */
const useSimulators = (): void => {
  const { lookup } = resolver;
  resolver.lookup = async (host) =>
    /\.(agni\.secondlife\.io|example\.com)$/.test(host) ? [{ address: '54.0.0.1' }] : lookup(host);
};

// Reads come before writes. The dispenser comes last: after it, its address leads nowhere.
const place = ({ method, path }: Route): number => (path === '/v1/dispenser' ? 2 : method === 'GET' ? 0 : 1);

/** A key's text in the form that it has, of no key. */
const shownKey = `sis_live_0a1B2c3D4e5F_${'...'.padEnd(49, '.')}`;
const shownPageKey = shownKey.replace('sis_', 'sis_me_');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const ofExample = (key: unknown): unknown => (isObject(key) ? { ...key, id: '0a1B2c3D4e5F' } : undefined);
const isKeyText = (value: unknown): boolean => typeof value === 'string' && value.startsWith('sis_');
const isPageKey = (value: unknown): boolean => typeof value === 'string' && value.startsWith('sis_me_');

/** Random values from the start of the service. An example has fixed ones instead. */
const fixed: Record<string, (value: unknown) => unknown> = {
  secret: () => 'an-example-of-a-secret',
  key: (key) => (isKeyText(key) ? shownKey : ofExample(key)),
  code: (code) => (isPageKey(code) ? shownPageKey : isKeyText(code) ? shownKey : undefined),
  token: () => shownPageKey,
  issuedBy: ofExample,
};

/** Gives the demo data's lots fixed ids instead of random ones, in the order in which the examples show them. */
const fixLotIds = () => {
  const known: unknown[] = [];
  return (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('amount' in value && 'expiresAt' in value)) return value;
    const { id } = value as { id?: string | null };
    if (typeof id !== 'string') return value;
    if (!known.includes(id)) known.push(id);
    return { ...value, id: `00000007-dede-4ede-8ede-${String(known.indexOf(id)).padStart(12, '0')}` };
  };
};

/** The examples of a page that show what Nova has. The others show what Vera has. */
const novaHas: readonly string[] = ['me/get-me', 'me/list-own-products', 'me-acts/redeliver-own'];

const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code;

/** A newly started local service. */
interface Service {
  baseUrl: string;
  key: string;
  /** Another key. The example about ending a key may end it. */
  endedKey: string;
  stopHistory: () => Promise<void>;
}

type Ask = (method: string, path: string, body?: unknown, apiKey?: string) => Promise<Response>;

/** Begins the pages of two customers, and answers their tokens and the code of a third. */
const openPages = async (ask: Ask): Promise<{ ofVera: string; ofNova: string; pageCode: string }> => {
  const open = async (customer: string): Promise<string> => {
    useBytesOf(`the page of ${customer}`);
    return codeOf(await ask('POST', `/v1/customers/${customer}/actions/open-page`));
  };
  const begin = async (customer: string): Promise<string> => {
    const code = await open(customer);
    // Other bytes than for the code: the token's secret must be another.
    useBytesOf('the token of a page');
    const response = await ask('POST', '/v1/me/actions/begin', undefined, code);
    return ((await response.json()) as { token: string }).token;
  };
  return { ofVera: await begin('vera.vendor'), ofNova: await begin('nova'), pageCode: await open('faye') };
};

/** Sends the examples of all rows to a local service, in the order of their texts. */
export const recordExamples = async (
  routes: readonly Route[],
  { baseUrl, key, endedKey, stopHistory }: Service,
): Promise<Recordings> => {
  const withLotId = fixLotIds();
  const ask: Ask = (method, path, body, apiKey = key) =>
    fetch(baseUrl + path, {
      method,
      headers: { 'X-API-Key': apiKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const send = async (method: string, path: string, body?: unknown, apiKey = key): Promise<RecordedAnswers> => {
    const response = await ask(method, path, body, apiKey);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text, (name, value) => fixed[name]?.(value) ?? withLotId(value)),
    };
  };
  /** Waits until the local dispenser has given the delivered item. */
  const arrived = async (): Promise<void> => {
    while (((await send('GET', '/_dev/inbox')).body as { deliveries: [] }).deliveries.length === 0)
      await setTimeout(20);
  };

  // The examples show everything that the demo data did. Later writes of history would get the same bytes, and so the
  // same ids.
  await stopHistory();
  const { bytes, newestId } = source;
  process.env.CURSOR_SECRET = 'The secret of the examples, which is none.';
  useSimulators();
  useBytesOf('the key of the examples');
  await send('POST', '/v1/keys', { name: 'Box in Ahern', preset: 'dispenser', expiresAt: '2027-11-01T00:00:00Z' });
  useBytesOf('the invitation of the examples');
  const code = await codeOf(await ask('POST', '/v1/keys', { name: 'Rosa', preset: 'support', inviteHours: 72 }));
  const { ofVera, ofNova, pageCode } = await openPages(ask);
  const keyOf = ({ id, scope, byInvitation, byPageCode }: Route): string => {
    if (byInvitation) return code;
    if (byPageCode) return pageCode;
    // The examples of some rows need what Nova has.
    if (scope === pageScope) return novaHas.includes(id) ? ofNova : ofVera;
    return id === 'own-key/end-key' ? endedKey : key;
  };
  const recordings: Record<string, RecordedAnswers> = {};
  const order = Object.keys(operationTexts);
  const rows = routes.toSorted((a, b) => place(a) - place(b) || order.indexOf(a.id) - order.indexOf(b.id));
  for (const row of rows) {
    const { request, refused } = operationTexts[row.id] ?? {};
    if (row.path === '/v1/dispenser') await arrived();
    useBytesOf(row.id);
    // The refused body comes first, since it changes nothing.
    const refusal = refused === undefined ? undefined : await send(row.method, examplePath(row), refused, keyOf(row));
    const recorded = await send(row.method, examplePath(row), request, keyOf(row));
    recordings[row.id] = { ...recorded, ...(refusal && { refused: refusal.body }) };
  }
  Object.assign(source, { bytes, newestId });
  return recordings;
};

/**
 * The examples that the demo data does not answer with their row's status, or with 400 for a refused body: most of them
 * name something that the demo lacks.
 */
export const wrongExamples = (routes: readonly Route[], recordings: Recordings): string[] =>
  routes.flatMap((row) => {
    const { status, body, refused } = recordings[row.id] ?? {};
    const refusal = operationTexts[row.id]?.refused === undefined ? 400 : (refused as { status?: number })?.status;
    return [
      ...(status === row.status
        ? []
        : [
            `${row.id}: ${row.method} ${examplePath(row)} was answered ${status}, not ${row.status}: ${JSON.stringify(body)}`,
          ]),
      ...(refusal === 400
        ? []
        : [
            `${row.id}: the example in \`refused\` must be answered with 400, but was answered: ${JSON.stringify(refused)}`,
          ]),
    ];
  });
