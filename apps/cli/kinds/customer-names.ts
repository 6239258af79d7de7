import { customersAmong, listCustomerNames, readNames } from '../../../lib/avatars/customer-names.ts';
import { findCustomerItem, listCustomerItems } from '../../../lib/avatars/customers.ts';
import { everyPage } from '../../../lib/lists/source.ts';
import { customerNameKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import type { Kind } from './kind.ts';
import { personal } from './personal.ts';

interface NameItem extends Key {
  uuid: string;
  username: string;
}

const namesAt = async (store: string, names: readonly string[]): Promise<Map<string, NameItem>> => {
  const keys = [...new Set(names)].map((name) => customerNameKey(store, name));
  const items = await getMany<NameItem>(keys, { consistent: true });
  return new Map(items.map((item) => [item.sk, item]));
};

/** The names of an avatar, the current one first, that do not lead to them in these items. */
const missingNames = (uuid: string, names: readonly string[], items: ReadonlyMap<string, NameItem>): string[] =>
  names.filter((name) => items.get(name)?.uuid !== uuid || items.get(name)?.username !== names[0]);

/** Reports each of a customer's names by which a search does not find them. */
const faultsOf = async (store: string, uuid: string): Promise<string[]> => {
  const [customer, known] = await Promise.all([findCustomerItem(store, uuid), readNames(store, [uuid])]);
  const names = customer ? (known.get(uuid) ?? []) : [];
  const missing = missingNames(uuid, names, await namesAt(store, names));
  return missing.map((name) => `customer ${uuid}: a search does not find ${name}.`);
};

/** A name in the search must lead to a customer who has that name. */
const strayFault = async (store: string, { sk, uuid }: NameItem): Promise<string[]> => {
  const [found, known, customer] = await Promise.all([
    namesAt(store, [sk]),
    readNames(store, [uuid]),
    findCustomerItem(store, uuid),
  ]);
  if (found.get(sk)?.uuid !== uuid || (customer && known.get(uuid)?.includes(sk))) return [];
  return [`customer ${uuid}: a search finds ${sk}, which is not their name.`];
};

/** Yields each customer, and whether all their names find them. Reads the names of a page together. */
async function* customersFound(store: string): AsyncGenerator<[uuid: string, isFound: boolean]> {
  for await (const page of everyPage(listCustomerItems(store), ({ sk }) => sk)) {
    const uuids = page.map(({ sk }) => sk);
    const known = await readNames(store, uuids);
    const items = await namesAt(store, [...known.values()].flat());
    for (const uuid of uuids) yield [uuid, missingNames(uuid, known.get(uuid) ?? [], items).length === 0];
  }
}

/** Yields each name in the search, and whether it leads to a customer who has it. */
async function* namesLeading(store: string): AsyncGenerator<[item: NameItem, isTheirs: boolean]> {
  for await (const page of everyPage(listCustomerNames(store), ({ sk }) => sk)) {
    const uuids = [...new Set(page.map(({ uuid }) => uuid))];
    const [known, customers] = await Promise.all([readNames(store, uuids), customersAmong(store, uuids)]);
    for (const item of page) yield [item, customers.has(item.uuid) && known.get(item.uuid)?.includes(item.sk) === true];
  }
}

/** Reads pages first, and looks closely only at what is not right there. */
const checkCustomerNames: Check = async (store, { onFault, onChecked }) => {
  const count = await forEvery(customersFound(store), { onFault, onChecked }, async ([uuid, isFound]) =>
    isFound ? [] : faultsOf(store, uuid),
  );
  const counting = { onFault, onChecked: (more: number) => onChecked(count + more) };
  const names = await forEvery(namesLeading(store), counting, async ([item, isTheirs]) =>
    isTheirs ? [] : strayFault(store, item),
  );
  return count + names;
};

/** The names by which a search finds customers. */
export const customerNames: Kind = {
  personal: [
    personal<NameItem>({
      words: ['name in the search', 'names in the search'],
      effect: 'deleted',
      find: async (store, uuid) => {
        const [known, customer] = [await readNames(store, [uuid]), await findCustomerItem(store, uuid)];
        const names = [...(known.get(uuid) ?? []), ...(customer ? [customer.username] : [])];
        return [...(await namesAt(store, names)).values()].filter((item) => item.uuid === uuid);
      },
      kept: () => undefined,
    }),
  ],
  audit: [
    {
      what: 'names in the search',
      check: checkCustomerNames,
      holds: 'the names of each customer find them; store resident repair writes them again',
    },
  ],
};
