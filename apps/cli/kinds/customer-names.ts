import { listCustomerNames, readNames } from '../../../lib/avatars/customer-names.ts';
import { findCustomerItem, listCustomerItems } from '../../../lib/avatars/customers.ts';
import { everyRow } from '../../../lib/lists/source.ts';
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

const namesAt = (store: string, names: readonly string[]): Promise<NameItem[]> =>
  getMany<NameItem>(
    [...new Set(names)].map((name) => customerNameKey(store, name)),
    { consistent: true },
  );

/** Reports each of a customer's names by which a search does not find them. */
const faultsOf = async (store: string, uuid: string): Promise<string[]> => {
  const [customer, known] = await Promise.all([findCustomerItem(store, uuid), readNames(store, [uuid])]);
  const names = customer ? (known.get(uuid) ?? []) : [];
  const found = new Map((await namesAt(store, names)).map((item) => [item.sk, item]));
  return names.flatMap((name) => {
    const { uuid: leadsTo, username } = found.get(name) ?? {};
    return leadsTo === uuid && username === names[0] ? [] : [`customer ${uuid}: a search does not find ${name}.`];
  });
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

const checkCustomerNames: Check = async (store, { onFault, onChecked }) => {
  const customers = everyRow(listCustomerItems(store), ({ sk }) => sk);
  const count = await forEvery(customers, { onFault, onChecked }, ({ sk }) => faultsOf(store, sk));
  const names = everyRow(listCustomerNames(store), ({ sk }) => sk);
  const counting = { onFault, onChecked: (more: number) => onChecked(count + more) };
  return count + (await forEvery(names, counting, (item) => strayFault(store, item)));
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
