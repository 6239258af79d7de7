import { now, randomText, timestamp } from '../clock.ts';
import type { Source } from '../lists/source.ts';
import { invalid } from '../problem.ts';
import type { DispenserResponse } from '../routes/dispenser.ts';
import { decide, writeAll, writeOne } from '../table/decide.ts';
import { partition } from '../table/keys.ts';
import {
  all,
  any,
  below,
  copyOf,
  exists,
  is,
  isNew,
  isNot,
  put,
  remove,
  update,
  type Write,
} from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf, write } from '../table/table.ts';

/** A store's dispenser inworld, also called a box. A store may have several, each with a name. */
export interface Dispenser {
  name: string;
  /** The box with the lowest number is asked first. */
  priority: number;
  /** Missing after a call found no dispenser there, until the box registers again. */
  url?: string;
  region: string;
  items: string[];
  /** Signs the requests to it. It must be known in full, so it cannot be kept as a hash. */
  secret: string;
  /** The earlier secret. For a while it also signs, for a dispenser that does not know the present one yet. */
  oldSecret?: string;
  oldSecretUntil?: string;
  /** Who registered: the id of the API key, and the host of the address. */
  keyId: string;
  host: string;
  registeredAt: string;
  lostAt?: string;
  lostReason?: string;
  /** The address at which the last call found nobody, with the reason. It may be the present address. */
  unreachable?: { url: string; error: string };
  /** Its script is too old to look names up. */
  cannotResolve?: true;
}

/** A registration that a key asks for. */
export interface Registration extends Pick<Dispenser, 'region' | 'items'> {
  url: string;
  keyId: string;
  name?: string;
  priority?: number;
}

/** A box that has an address. */
export type Registered = Dispenser & { url: string };

/** The name of a box that registers without a name. */
export const mainBox = 'main';

/** One delivery may ask all boxes of its store, so their number is limited. */
const maxBoxes = 10;

export const dispenserKey = (store: string, name: string = mainBox): Key => ({
  pk: partition(store, 'DISPENSER'),
  sk: name === mainBox ? 'dispenser' : `dispenser#${name}`,
});

/** The item that counts a store's boxes. */
const countKey = (store: string): Key => ({ pk: partition(store, 'COUNT'), sk: 'dispensers' });

/** The time for which the old secret is still used, in milliseconds. */
const overlapMillis = 15 * 60_000;

/** The attributes that give a dispenser another secret. The earlier secret works for 15 minutes more. */
export const anotherSecret = () => ({
  secret: randomText(43),
  oldSecret: copyOf('secret'),
  oldSecretUntil: timestamp(now() + overlapMillis),
});

/** The secrets to sign a request with, in the order in which to try them. */
export const secretsOf = ({ secret, oldSecret, oldSecretUntil = '' }: Dispenser): string[] =>
  oldSecret !== undefined && now() < Date.parse(oldSecretUntil) ? [secret, oldSecret] : [secret];

/**
 * Writes a box's address. The first registration makes a secret. The secret stays while the same key registers from the
 * same host. Another key or host gets another secret, so nobody learns the secret of the registrant before them. One
 * write holds address and secret, so the dispenser that is called knows the secret that signs. Throws 400 if the store
 * has too many boxes.
 */
export const registerDispenser = async (
  store: string,
  { url, region, items, keyId, name = mainBox, priority = 0 }: Registration,
): Promise<Registered> => {
  const { host } = new URL(url);
  const place = { name, priority, url, region, items, keyId, host, registeredAt: timestamp(now()) };
  const address = { ...place, lostAt: undefined, lostReason: undefined, cannotResolve: undefined };
  const key = dispenserKey(store, name);
  const isOther = any(isNot('keyId', keyId), isNot('host', host));
  const again = update(key, { set: address, when: all(exists, is('keyId', keyId), is('host', host)) });
  const other = update(key, { set: { ...address, ...anotherSecret() }, when: all(exists, isOther) });
  const result = (dispenser: Registered) => dispenser;
  const box: Registered & Key = { ...key, ...place, secret: randomText(43) };
  const counted = update(countKey(store), { add: { count: 1 }, when: any(isNew, below('count', maxBoxes)) });
  const first = writeAll([put(box, isNew), counted], {
    result: box as Registered,
    ifRefused: (refused) => {
      if (!refused.by(key)) throw invalid(`A store has at most ${maxBoxes} dispensers: remove one that is not needed.`);
      return undefined;
    },
  });
  const registered = await decide(() =>
    writeOne(again, { result, ifRefused: (found) => (found ? writeOne(other, { result }) : first) }),
  );
  const { unreachable } = registered;
  if (unreachable !== undefined && unreachable.url !== url)
    // Without this write the earlier address would count as unreachable if it was registered again.
    await write(update(key, { set: { unreachable: undefined }, when: is('unreachable.url', unreachable.url) }));
  return registered;
};

/** Tells whether a box has ever registered for the store. Removed boxes count too. */
export const hasHadBox = async (store: string): Promise<boolean> => (await get(countKey(store))) !== undefined;

/** The writes that remove a box. Its name then has no address and no secret. */
export const removalOf = (store: string, name: string): Write[] => [
  remove(dispenserKey(store, name), exists),
  update(countKey(store), { add: { count: -1 } }),
];

export const findDispenser = (store: string, name?: string): Promise<Dispenser | undefined> =>
  get<Dispenser>(dispenserKey(store, name));

/** A box in the form of the API's lists. */
export const dispenserAnswer = (box: Dispenser): DispenserResponse => {
  const { name, priority, region, url, registeredAt, lostAt = null } = box;
  const state = url === undefined ? 'lost' : 'registered';
  return { name, priority, region: region || null, state, registeredAt, lostAt, lastError: lastErrorOf(box) ?? null };
};

/** The place of a box in the order in which the boxes of a store are asked. */
export const positionOfBox = ({ priority, name }: Pick<Dispenser, 'priority' | 'name'>): string =>
  `${priority}#${name}`;

/** The boxes of a store, in the order in which they are asked. */
export const listBoxes = async (store: string): Promise<Dispenser[]> => {
  const boxes = await rowsOf<Dispenser>({ partition: partition(store, 'DISPENSER') })({ descending: false });
  return boxes.sort((one, other) => (positionOfBox(one) < positionOfBox(other) ? -1 : 1));
};

/** The boxes as a list of the API. They are few, so each page reads them all. */
export const dispenserList =
  (store: string): Source<Dispenser> =>
  async ({ descending, from, limit }) => {
    const boxes = await listBoxes(store);
    const isInRange = (box: Dispenser): boolean => {
      if (!from) return true;
      const place = positionOfBox(box);
      if (place === from.position) return from.inclusive;
      return place > from.position !== descending;
    };
    return (descending ? boxes.reverse() : boxes).filter(isInRange).slice(0, limit);
  };

/** True if a call of the box's present address found nobody. */
export const isUnreachable = ({ url, unreachable }: Dispenser): boolean =>
  unreachable !== undefined && unreachable.url === url;

/** The error of the last call that found nobody at the box's address. */
const lastErrorOf = (box: Dispenser): string | undefined =>
  box.lostReason ?? (isUnreachable(box) ? box.unreachable?.error : undefined);

const change = async (store: string, { name, url }: Pick<Dispenser, 'name' | 'url'>, set: object): Promise<void> => {
  await write(update(dispenserKey(store, name), { set: { ...set }, when: is('url', url) }));
};

/** Notes that a call found nobody at a box's address. The address stays. */
export const noteUnreachable = async (store: string, box: Registered, error: string): Promise<void> => {
  if (!isUnreachable(box)) await change(store, box, { unreachable: { url: box.url, error } });
};

/**
 * Removes the address `url`: no dispenser answers there any more, or it must not be called. An address that was
 * registered since stays.
 */
export const loseAddress = async (
  store: string,
  url: string,
  lostReason: string,
  { name = mainBox, isForbidden = false } = {},
): Promise<void> => {
  const unreachable = isForbidden ? {} : { unreachable: { url, error: lostReason } };
  await change(store, { name, url }, { url: undefined, lostAt: timestamp(now()), lostReason, ...unreachable });
};
