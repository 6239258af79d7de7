import { isSameText } from '../../lib/normalise.ts';
import type { Scope } from '../../lib/routes/scopes.ts';
import type { Client } from './api.ts';
import { isUuid } from './format.ts';
import type { Session } from './session.ts';
import { texts } from './texts.ts';

/**
 * The names of products, customers, vendors and keys, which sales and changes do not contain. Each is read once per
 * tab.
 */

const known = new Map<string, Promise<string>>();

/** For a thing whose name has been changed. */
export const forgetName = (id: string): void => {
  known.delete(id);
};

/** If more names are needed at once, as for an export, they are read from the list of all. */
const few = 100;

/** The list is read for at most one page for each this many names. */
const namesAPage = 20;
const limit = 1000;

type NamedRow = readonly [id: string, name: string];

interface NameRules {
  scope: Scope;
  /** Shown instead of a name that cannot be read. It is asked for again when it is next needed. */
  unread: string;
  /** Shown to a key without the scope. */
  closed: (id: string) => string;
  one: (client: Client, id: string) => Promise<string>;
  all: (client: Client) => AsyncIterable<NamedRow>;
}

type Asked = Map<string, (name: string) => void>;

/** Answers names from the list of all, as far as it has them. */
const answerFrom = async (list: AsyncIterable<NamedRow>, asked: Asked): Promise<void> => {
  let left = Math.ceil(asked.size / namesAPage) * limit;
  for await (const [id, name] of list) {
    known.set(id, known.get(id) ?? Promise.resolve(name));
    asked.get(id)?.(name);
    asked.delete(id);
    left -= 1;
    if (asked.size === 0 || left === 0) return;
  }
};

/** Answers the name of a thing. Names that are needed at the same moment are read together. */
const nameReader = ({ scope, unread, closed, one, all }: NameRules) => {
  let waiting: Asked = new Map();
  const answer = async ({ client }: Session): Promise<void> => {
    const asked = waiting;
    waiting = new Map();
    // A name that is not in the list is read by itself.
    if (asked.size > few) await answerFrom(all(client), asked).catch(() => undefined);
    for (const [id, take] of asked)
      one(client, id).then(take, () => {
        forgetName(id);
        take(unread);
      });
  };
  return (session: Session, id: string): Promise<string> => {
    if (!session.can(scope)) return Promise.resolve(closed(id));
    const found = known.get(id);
    if (found) return found;
    if (waiting.size === 0) setTimeout(answer, 0, session);
    const name = new Promise<string>((take) => waiting.set(id, take));
    known.set(id, name);
    return name;
  };
};

const images = new Map<string, string>();

/** The texture of a product whose name has been read. */
export const imageOf = (productId: string): string | undefined => images.get(productId);

export const productName = nameReader({
  scope: 'products:read',
  unread: texts.unread.product,
  closed: () => texts.unread.product,
  one: async (client, id) => {
    const { name, image } = await client.get('/v1/products/{id}', { path: { id } });
    images.set(id, image);
    return name;
  },
  all: async function* (client) {
    for (const active of [true, false])
      for await (const { id, name, image } of client.rows('/v1/products', { query: { active, limit } })) {
        images.set(id, image);
        yield [id, name];
      }
  },
});

export const customerName = nameReader({
  scope: 'customers:read',
  unread: texts.unread.customer,
  closed: (uuid) => uuid,
  one: async (client, identifier) =>
    (await client.get('/v1/customers/{identifier}', { path: { identifier } })).username,
  all: async function* (client) {
    for await (const { uuid, username } of client.rows('/v1/customers', { query: { limit } })) yield [uuid, username];
  },
});

export const vendorName = nameReader({
  scope: 'vendors:read',
  unread: texts.unread.vendor,
  closed: () => texts.unread.vendor,
  one: async (client, uuid) => (await client.get('/v1/vendors/{uuid}', { path: { uuid } })).name,
  all: async function* (client) {
    for await (const { uuid, name } of client.rows('/v1/vendors', { query: { limit } })) yield [uuid, name];
  },
});

export const keyName = nameReader({
  scope: 'keys:read',
  unread: texts.unread.key,
  closed: () => texts.unread.key,
  one: async (client, keyId) => (await client.get('/v1/keys/{keyId}', { path: { keyId } })).name,
  all: async function* (client) {
    for await (const { id, name } of client.rows('/v1/keys', { query: { limit } })) yield [id, name];
  },
});

const noProduct = '00000000-0000-0000-0000-000000000000';

/** The query for products whose names hold a text: the service takes 100 characters. */
export const searchFor = (text: string) => ({ search: [...text].slice(0, 100).join(''), limit: 100 });

/** The id of the product that a text names: its UUID, or the first product that a search finds. */
export const productOf = async ({ client, can }: Session, text: string, signal?: AbortSignal): Promise<string> => {
  if (isUuid(text) || !can('products:read')) return text;
  const { data } = await client.get('/v1/products', { query: searchFor(text), ...(signal && { signal }) });
  const exact = data.find(({ name }) => isSameText(name, text));
  return (exact ?? data[0])?.id ?? noProduct;
};
