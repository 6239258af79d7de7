import { createHmac } from 'node:crypto';
import { source } from '../../../lib/clock.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { customerKey, sharedKey } from '../../../lib/table/keys.ts';
import { isNew, put } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getTogether, writeUnstamped } from '../../../lib/table/table.ts';

/**
 * The pseudonym of an erased avatar: a UUID of version 8, made from the avatar's UUID and a secret of the deployment.
 * Nobody without the secret can find the avatar by trying all avatars. No function of the service may read it.
 */
interface Secret extends Key {
  secret: string;
}

const secretKey = sharedKey('ERASURE', 'secret');

/**
 * Reads the secret of the deployment, or makes it. Two commands at the same time get the same secret. After a lost
 * answer the stored secret may be this one or an earlier one, so the stored secret counts.
 */
const findSecret = async (): Promise<string> => {
  const secret = Buffer.from(source.bytes(32)).toString('hex');
  const outcome = await writeUnstamped<Secret>(put({ ...secretKey, secret }, isNew));
  return (outcome.done ? outcome.result : (outcome.found as Secret)).secret;
};

const uuidFrom = (bytes: Buffer): string => {
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** An avatar's pseudonym for their first erasure, or for a later one. */
export const pseudonymOf = async (uuid: string, time = 1): Promise<string> =>
  uuidFrom(
    createHmac('sha256', await findSecret())
      .update(`${uuid} ${time}`)
      .digest(),
  );

/**
 * A customer's item, read in a transaction. A single read may not see a new customer yet whose first row of history is
 * already there: an erasure would take that row for a rest of the earlier customer, under the same UUID.
 */
export const findCustomer = async (store: string, uuid: string): Promise<CreditItem | undefined> => {
  const [item] = await getTogether<CreditItem>([customerKey(store, uuid)]);
  return item;
};

/**
 * The pseudonym under which a store's books keep an avatar: the same in all stores and in every run. An avatar who came
 * back and is erased again gets the next pseudonym, since the books of the earlier customer are under the first.
 */
export const pseudonymIn = async (store: string, uuid: string, isCustomer: boolean): Promise<string> => {
  let latest: string | undefined;
  for (let time = 1; ; time++) {
    const pseudonym = await pseudonymOf(uuid, time);
    if (!(await findCustomer(store, pseudonym))) return isCustomer ? pseudonym : (latest ?? pseudonym);
    latest = pseudonym;
  }
};
