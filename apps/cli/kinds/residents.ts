import * as z from 'zod';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { readResident, type StoredResident } from '../../../lib/avatars/residents.ts';
import { listCoupons } from '../../../lib/catalogue/coupons.ts';
import { listStoreCards } from '../../../lib/catalogue/gift-cards.ts';
import { listStoredProducts } from '../../../lib/catalogue/products.ts';
import { nilUuid, uuidPattern } from '../../../lib/identifier.ts';
import type { Source } from '../../../lib/lists/source.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { residentImporter } from '../../../lib/operator/imports/residents.ts';
import { knownResidents } from '../../../lib/operator/residents.ts';
import { identifier, username, uuid } from '../../../lib/routes/wire.ts';
import { listSales } from '../../../lib/sale/sales.ts';
import { nameKey, residentKey, storeNameKey, storeResidentKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get, getMany } from '../../../lib/table/table.ts';
import { type Check, forEvery, withOwners } from './audit.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { itemAt, type PersonalItems, personal } from './personal.ts';

const avatar = uuid().refine((value) => value !== nilUuid, { error: 'must be the UUID of an avatar' });
const source = z.enum(['operator', 'store'], { error: 'must be operator or store' }).default('operator');
const formerNames = z
  .array(username(), { error: 'must be usernames' })
  .max(50, { error: 'must be at most 50 usernames' })
  .default([]);

const residentsAtOnce = 500;

/** The residents that a store's data name, with all their names, ordered by UUID. */
async function* listResidents(store: string): AsyncGenerator<Values> {
  const uuids = new Set<string>();
  for await (const { sk } of everyRow(listCustomerItems(store), (item) => item.sk)) uuids.add(sk);
  for await (const coupon of everyRow(listCoupons(store, undefined), ({ sk }) => sk)) uuids.add(coupon.couponOwnerUuid);
  for await (const card of everyRow(listStoreCards(store), ({ sk }) => sk)) uuids.add(card.ownerUuid);
  for await (const { profitShares } of everyRow(listStoredProducts(store), ({ sk }) => sk))
    for (const { userUuid } of profitShares) uuids.add(userUuid);
  for await (const { buyerUuid, recipientUuid, shares, coupon } of everyRow(listSales(store), ({ sk }) => sk))
    for (const uuid of [buyerUuid, recipientUuid, coupon?.couponOwnerUuid, ...shares.map((one) => one.residentUuid)])
      if (uuid) uuids.add(uuid);
  const sorted = [...uuids].sort();
  for (let i = 0; i < sorted.length; i += residentsAtOnce) {
    const some = sorted.slice(i, i + residentsAtOnce);
    const known = new Map((await knownResidents(store, some)).map((one) => [one.uuid, one]));
    for (const uuid of some) {
      // A sale's buyer may have no known name.
      const { username, names, source } = known.get(uuid) ?? { username: uuid, names: [], source: 'store' };
      yield { uuid, username, formerNames: names.filter((name) => name !== username).sort(), source };
    }
  }
}

/** The items that hold an avatar's names. All stores share the items that the operator wrote. */
const namesTold = (
  by: 'the operator' | 'the store',
  keyOf: (store: string, uuid: string) => Key,
  keyOfName: (store: string, name: string) => Key,
): PersonalItems[] => {
  const last = { effect: 'deleted', phase: 'names', isShared: by === 'the operator' } as const;
  return [
    personal<StoredResident>({
      ...last,
      words: [`resident told by ${by}`, `residents told by ${by}`],
      find: (store, uuid) => itemAt(keyOf(store, uuid)),
      kept: () => undefined,
    }),
    personal<Key & { uuid: string }>({
      ...last,
      words: [`name told by ${by}`, `names told by ${by}`],
      find: async (store, uuid) => {
        const told = await get<StoredResident>(keyOf(store, uuid));
        const keys = (told?.names ?? []).map((name) => keyOfName(store, name));
        const names = await getMany<Key & { uuid: string }>(keys, { consistent: true });
        return names.filter((name) => name.uuid === uuid);
      },
      kept: () => undefined,
    }),
  ];
};

/** The lists of items with copies of residents' names: how a fault names an item, whose name it copies, and where. */
const copiesOf = (store: string) => [
  {
    words: ({ sk }: Key) => `customer ${sk}: is`,
    ownerOf: ({ sk }: Copy) => sk,
    attribute: 'username' as const,
    items: listCustomerItems(store) as Source<Copy>,
  },
  {
    words: ({ sk }: Key) => `coupon ${sk}: its owner is`,
    ownerOf: ({ couponOwnerUuid = '' }: Copy) => couponOwnerUuid,
    attribute: 'couponOwnerUsername' as const,
    items: listCoupons(store, undefined) as Source<Copy>,
  },
  {
    words: ({ sk }: Key) => `gift card ${sk}: its owner is`,
    ownerOf: ({ ownerUuid = '' }: Copy) => ownerUuid,
    attribute: 'ownerUsername' as const,
    items: listStoreCards(store) as Source<Copy>,
  },
];

interface Copy extends Key {
  username?: string;
  couponOwnerUuid?: string;
  couponOwnerUsername?: string;
  ownerUuid?: string;
  ownerUsername?: string;
}

/** Each customer, coupon and gift card has the current name of its resident. */
export const checkNames: Check = async (store, { onFault, onChecked }) => {
  let before = 0;
  for (const { words, ownerOf, attribute, items } of copiesOf(store)) {
    const known = before;
    const listener = { onFault, onChecked: (count: number) => onChecked(known + count) };
    before += await forEvery(withOwners(store, items, ownerOf), listener, async ([row, owner]) => {
      if (owner && row[attribute] === owner.username) return [];
      const { pk, sk } = row;
      const item = await get<Copy>({ pk, sk });
      const resident = item && (await readResident(store, { uuid: ownerOf(item) }));
      if (!resident || item[attribute] === resident.username) return [];
      return [`${words(item)} called ${item[attribute]} instead of ${resident.username}.`];
    });
  }
  return before;
};

export const residents: Kind = {
  file: {
    name: 'residents',
    summary: 'avatars by UUID, with their current and former names; shared by all stores of the deployment',
    columns: columns({
      uuid: ['person', avatar, "the avatar's UUID"],
      username: [
        'person',
        identifier().transform(({ uuid, username }) => uuid ?? username),
        'the current name, such as ada.lovelace or bob',
      ],
      formerNames: ['list', formerNames, 'names that the avatar had before; they still find it'],
      source: ['text', source, 'operator: all stores see the names; store: only the store of the import does'],
    }),
    checkRow: ({ uuid, username, source }, report) => {
      if (!uuidPattern.test(String(username)) || (username === uuid && source === 'store')) return;
      report('username', 'must be a username; only a resident of the source store may have their own UUID there');
    },
    unique: (row) => ({
      uuid: [row.uuid as string],
      'username or formerNames': [...new Set([row.username as string, ...((row.formerNames ?? []) as string[])])],
    }),
    importer: () => residentImporter,
    rows: listResidents,
  },
  personal: [
    ...namesTold(
      'the operator',
      (_, uuid) => residentKey(uuid),
      (_, name) => nameKey(name),
    ),
    ...namesTold('the store', storeResidentKey, storeNameKey),
  ],
  audit: [
    {
      what: 'names',
      check: checkNames,
      holds: 'customers and owners have their current names; a sweep fixes what a rename left',
    },
  ],
};
