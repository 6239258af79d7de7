import { beforeAll, describe, expect, test } from 'vitest';
import { parseKey } from '../../lib/keys.ts';
import { createStore } from '../../lib/operator/stores.ts';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { exampleOf, routesOfKeys, seedExamples } from '../support/example-requests.ts';
import type { OneOfEach } from '../support/one-of-each.ts';
import { jsonSchema } from '../support/requests.ts';
import { ada, bob, cleo, seedResidents } from '../support/residents.ts';
import { freshTable, setClock, startTestService, wholeTable } from '../support/service.ts';

/**
 * A request with additional fields of every answer, and attributes of the table, has the same effect as without them.
 * The test sends one form to each of two equal stores, and compares the stores afterwards.
 */

const responseFields = routes.flatMap(({ response }) => Object.keys(response?.shape ?? {}));
const hidden = [
  'pk',
  'sk',
  'folded',
  'flags',
  'ranked',
  'rank',
  'bought',
  'rankedOn',
  'rankedOff',
  'texts',
  'text',
  'dues',
  'due',
  'by',
  'changes',
  'actor',
  'ttl',
];
const internal = [
  'store',
  'storeId',
  'banReason',
  'version',
  'epoch',
  'balance',
  'unlotted',
  'sum',
  'names',
  'scopes',
  'hash',
  'lastChange',
  'creditVersion',
  'saleId',
  'giftCardId',
  'requestId',
  'keyId',
  'kind',
  'grantedAt',
];
const prototypes = ['constructor', 'prototype'];

/** An attacker's value for a field. */
const forged = (name: string): unknown => {
  if (/uuid|id$/i.test(name)) return cleo.uuid;
  if (/^(redeemed|purchased|active|isBanned|queued|revoked|replaced|limited)$/.test(name)) return true;
  if (
    /^(credit|restrictedCredit|activePrice|mpListing|usesPerCustomer|productCount|sum|lastYearSum|totalOwned)$/.test(
      name,
    )
  )
    return 424_242;
  if (/expir|date|at$/i.test(name)) return '2031-01-01T00:00:00.000Z';
  if (prototypes.includes(name)) return { active: true, redeemed: true, credit: 424_242 };
  return `forged ${name}`;
};

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2027-01-01T00:00:00.000Z');

/** Sorts the members of objects, so that `shown` can number ids by their first occurrence. */
const ordered = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, ordered(each)]),
  );
};

/**
 * A secret, a quote, a signature, and the text and the id of a new key are random. A sale keeps a hash of its request,
 * in which the product has a random id. The mark of a customer's lots is a hash of their random ids, behind their
 * number and sum.
 */
const chance =
  /"(?:(secret|quote|request|key|by)":"[^"]*|(code)":"sis_[^"]*|(id|replaces)":"\w{12}|(creditMark":"\d+ \d+) \w+)"/g;

const everyStores = new Set([ada, bob, cleo].map(({ uuid }) => uuid));
const uuids = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** A new store for each request, so that it has few items, and a key for it. */
const newStore = async () => {
  const { id } = await createStore('Test store');
  return { id, key: await service.keyWith(scopes, id) };
};
type NewStore = Awaited<ReturnType<typeof newStore>>;

/** Replaces ids by numbers, so that stores with the same rows give the same value. */
const shown = (value: unknown, { id: storeId, key }: NewStore): unknown => {
  const keyId = parseKey(key, 'test')?.id ?? '';
  const named = JSON.stringify(ordered(value)).replaceAll(keyId, '<key>');
  const text = named
    .replaceAll(storeId, '<store>')
    .replace(chance, (_, secret?: string, code?: string, id?: string, checksum?: string) =>
      checksum === undefined ? `"${secret ?? code ?? id}":""` : `"${checksum}"`,
    );
  const ids = [...new Set(text.match(uuids))].filter((id) => !everyStores.has(id));
  return JSON.parse(ids.reduce((left, id, index) => left.replaceAll(id, `<${index}>`), text));
};

const itemsOf = async (store: NewStore): Promise<unknown> => {
  const all = await wholeTable(`${store.id}#`);
  return shown(
    all.filter(({ pk }) => !/#(?:KEYS|PAGES)$/.test(String(pk))),
    store,
  );
};

beforeAll(async () => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
  await startTestQueue();
  service = await startTestService();
  await seedResidents();
});

/** The fields that a row's request does not take. */
const foreignTo = ({ body }: Route): string[] => {
  const own = body ? Object.keys(jsonSchema(body).properties ?? {}) : [];
  return [...new Set([...responseFields, ...hidden, ...internal])].filter((name) => !own.includes(name));
};

/** Makes rows in a store and sends the row's request about them, with `more` in its body. Returns status and body. */
const sendTo = async (row: Route, at: number, more: string) => {
  const store = await newStore();
  const call = service.callAs(store.key);
  setClock(at);
  const { path, body } = exampleOf(row, await seedExamples(call, `Example of ${row.id}`), `New ${row.id}`);
  // A later clock puts later rows last, although their ids are partly random.
  setClock(at + 500);
  const text = JSON.stringify(body ?? {});
  const answer = await call(row.method, path, text.replace('{', `{${more}${text === '{}' ? '' : ','}`));
  return { status: answer.status, body: shown(answer.body ?? null, store), items: await itemsOf(store) };
};

const cases = routesOfKeys.filter(({ method }) => method !== 'GET').map((row, index) => [row.id, row, index] as const);

// First, in the table that the service starts with.
describe('about the rows of one store', () => {
  let rows: OneOfEach;
  beforeAll(async () => {
    setClock(start - 1000);
    rows = await seedExamples(service.call, 'Example');
    setClock(start - 500);
  });

  test.each(cases.filter(([, { body }]) => body))('%s refuses __proto__, and writes nothing', async (_, row) => {
    const { path, body } = exampleOf(row, rows, `Refused ${row.id}`);
    const forgedBody = JSON.stringify(body).replace('{', `{"__proto__":${JSON.stringify(forged('__proto__'))},`);
    const before = await wholeTable();

    const { status } = await service.call(row.method, path, forgedBody.replace(',}', '}'));

    expect(status).toBe(400);
    expect(await wholeTable()).toEqual(before);
  });
});

test.each(cases)('%s takes no field of an answer and no attribute of the table', async (_, row, index) => {
  const at = start + index * 1000;
  const names = [...foreignTo(row), ...prototypes];
  const greedy = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(forged(name))}`).join();
  // A list of a store's items reads the whole table: it is a small one.
  await freshTable();
  await seedResidents();

  const plain = await sendTo(row, at, '"unknown":1');
  const answer = await sendTo(row, at, greedy);

  expect(plain.status).toBe(row.status);
  expect(answer).toEqual(plain);
});
