import { now, randomText, timestamp } from '../clock.ts';
import { decide, one } from '../table/decide.ts';
import { all, any, copyOf, exists, is, isNew, isNot, update } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, write } from '../table/table.ts';

/** A store's inworld dispenser, of which there is one. */
export interface Dispenser {
  /** Absent after a call found no dispenser there, until it registers again. */
  url?: string;
  region: string;
  items: string[];
  /** Signs the requests to it. It must be known in full, so it cannot be kept as a hash. */
  secret: string;
  /** The secret before. A dispenser that has not learnt the present one is still served with it until then. */
  oldSecret?: string;
  oldSecretUntil?: string;
  /**
   * Who registered: the id of the API key, and the host of the address. Absent in registrations of earlier versions.
   */
  keyId?: string;
  host?: string;
  registeredAt: string;
  lostAt?: string;
  lostReason?: string;
  /** Its script is too old to be asked for names. */
  cannotResolve?: true;
}

/** A registration, as the key with that id asks for it. */
export interface Registration extends Pick<Dispenser, 'region' | 'items'> {
  url: string;
  keyId: string;
}

export const dispenserKey = (store: string): Key => ({ pk: partition(store, 'DISPENSER'), sk: 'dispenser' });

/** The time for which the old secret is still used, in milliseconds. */
const overlapMillis = 15 * 60_000;

/** The attributes that give a dispenser another secret. The one before stays good for 15 minutes. */
export const anotherSecret = () => ({
  secret: randomText(43),
  oldSecret: copyOf('secret'),
  oldSecretUntil: timestamp(now() + overlapMillis),
});

/** The secrets to sign a request with, in the order in which to try them. */
export const secretsOf = ({ secret, oldSecret, oldSecretUntil = '' }: Dispenser): string[] =>
  oldSecret !== undefined && now() < Date.parse(oldSecretUntil) ? [secret, oldSecret] : [secret];

/**
 * Writes the dispenser's address. The first registration makes a secret. It stays while the same key registers from the
 * same host. Another key or host gets another one, so no registrant learns the secret of the one before. One write
 * holds address and secret, so the dispenser that is called has been told the secret that signs.
 */
export const registerDispenser = async (
  store: string,
  { url, region, items, keyId }: Registration,
): Promise<Dispenser & { url: string }> => {
  const { host } = new URL(url);
  const registeredAt = timestamp(now());
  const address = {
    ...{ url, region, items, keyId, host, registeredAt },
    ...{ lostAt: undefined, lostReason: undefined, cannotResolve: undefined },
  };
  const key = dispenserKey(store);
  const isSame = all(is('keyId', keyId), is('host', host));
  const isOther = any(isNot('keyId', keyId), isNot('host', host));
  const again = update(key, { set: address, ifMissing: { secret: randomText(43) }, when: any(isNew, isSame) });
  const anew = update(key, { set: { ...address, ...anotherSecret() }, when: all(exists, isOther) });
  const result = (dispenser: Dispenser & { url: string }) => dispenser;
  return decide(() => one(again, { result, otherwise: () => one(anew, { result }) }));
};

export const findDispenser = (store: string): Promise<Dispenser | undefined> => get<Dispenser>(dispenserKey(store));

/** Removes `url`, at which no dispenser answers any more. An address that was registered since stays. */
export const loseAddress = async (store: string, url: string, lostReason: string): Promise<void> => {
  const set = { url: undefined, lostAt: timestamp(now()), lostReason };
  await write(update(dispenserKey(store), { set, when: is('url', url) }));
};
