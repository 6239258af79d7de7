import { listCustomerNames, readNames } from '../../../lib/avatars/customer-names.ts';
import { findCustomerItem, listCustomerItems } from '../../../lib/avatars/customers.ts';
import { everyPage } from '../../../lib/lists/source.ts';
import { customerKey, customerNameKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import type { Kind } from './kind.ts';
import { personal } from './personal.ts';

interface NameItem extends Key {
  uuid: string;
  username: string;
}

const namesAt = (store: string, names: readonly string[]): Promise<NameItem[]> =>
  getMany<NameItem>(
    [...new Set(names)].map((name) => customerNameKey(store, name)),
    { consistent: true },
  );

/** The names of an avatar, the current one first, that do not lead to them in these items. */
const missingNames = (uuid: string, names: readonly string[], items: readonly NameItem[]): string[] => {
  const found = new Map(items.map((item) => [item.sk, item]));
  return names.filter((name) => found.get(name)?.uuid !== uuid || found.get(name)?.username !== names[0]);
};

/** Reports each of a customer's names by which a search does not find them. */
const faultsOf = async (store: string, uuid: string): Promise<string[]> => {
  const [customer, known] = await Promise.all([findCustomerItem(store, uuid), readNames(store, [uuid])]);
  const names = customer ? (known.get(uuid) ?? []) : [];
  const missing = missingNames(uuid, names, await namesAt(store, names));
  return missing.map((name) => `customer ${uuid}: a search does not find ${name}.`);
};

/** A name in the search must lead to a customer who has that name. */
const strayFault = async (store: string, { sk, uuid }: NameItem): Promise<string[]> => {
  const [[there], known, customer] = await Promise.all([
    namesAt(store, [sk]),
    readNames(store, [uuid]),
    findCustomerItem(store, uuid),
  ]);
  if (!there || there.uuid !== uuid || (customer && known.get(uuid)?.includes(sk))) return [];
  return [`customer ${uuid}: a search finds ${sk}, which is not their name.`];
};

/** Yields each customer, and whether all their names find them. Reads the names of a page together. */
async function* customersFound(store: string): AsyncGenerator<[uuid: string, isFound: boolean]> {
  for await (const page of everyPage(listCustomerItems(store), ({ sk }) => sk)) {
    const known = await readNames(
      store,
      page.map(({ sk }) => sk),
    );
    const items = new Map((await namesAt(store, [...known.values()].flat())).map((item) => [item.sk, item]));
    for (const { sk } of page) {
      const names = known.get(sk) ?? [];
      yield [
        sk,
        missingNames(
          sk,
          names,
          names.flatMap((name) => items.get(name) ?? []),
        ).length === 0,
      ];
    }
  }
}

/** Yields each name in the search, and whether it leads to a customer who has it. */
async function* namesLeading(store: string): AsyncGenerator<[item: NameItem, isTheirs: boolean]> {
  for await (const page of everyPage(listCustomerNames(store), ({ sk }) => sk)) {
    const uuids = [...new Set(page.map(({ uuid }) => uuid))];
    const keys = uuids.map((uuid) => customerKey(store, uuid));
    const [known, there] = await Promise.all([
      readNames(store, uuids),
      getMany<Key>(keys, { consistent: true, attributes: [] }),
    ]);
    const customers = new Set(there.map(({ sk }) => sk));
    for (const item of page) yield [item, customers.has(item.uuid) && known.get(item.uuid)?.includes(item.sk) === true];
  }
}

/** Reads pages first, and looks closely only at what is not right there. */
const checkCustomerNames: Check = async (store, { onFault, onChecked }) => {
  const count = await forEvery(customersFound(store), { onFault, onChecked }, async ([uuid, isFound]) =>
    isFound ? [] : faultsOf(store, uuid),
  );
  const counting = { onFault, onChecked: (more: number) => onChecked(count + more) };
  return (
    count +
    (await forEvery(namesLeading(store), counting, async ([item, isTheirs]) =>
      isTheirs ? [] : strayFault(store, item),
    ))
  );
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
        return (await namesAt(store, names)).filter((item) => item.uuid === uuid);
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
