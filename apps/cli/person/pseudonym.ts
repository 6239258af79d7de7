import { createHmac } from 'node:crypto';
import { source } from '../../../lib/clock.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { customerKey, sharedKey } from '../../../lib/table/keys.ts';
import { isNew, put } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getTogether, writeUnstamped } from '../../../lib/table/table.ts';

/**
 * The secret from which the pseudonyms of a deployment are made. A pseudonym is a UUID of version 8. Without the
 * secret, nobody can find the avatar behind it by trying all avatars. No function of the service may read the secret.
 */
interface Secret extends Key {
  secret: string;
}

const secretKey = sharedKey('ERASURE', 'secret');

/**
 * Reads the deployment's secret, or makes it. Two commands at the same time get the same secret: after a lost answer
 * the stored one may be from either, so the stored one is returned.
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

/** An avatar's pseudonym for their erasure with this number. */
export const pseudonymOf = async (uuid: string, time = 1): Promise<string> =>
  uuidFrom(
    createHmac('sha256', await findSecret())
      .update(`${uuid} ${time}`)
      .digest(),
  );

/**
 * Reads a customer's item in a transaction. A single read may miss a new customer whose first row of history is already
 * there. An erasure would take that row for a rest of the earlier customer with the same UUID.
 */
export const findCustomer = async (store: string, uuid: string): Promise<CreditItem | undefined> => {
  const [item] = await getTogether<CreditItem>([customerKey(store, uuid)]);
  return item;
};

/**
 * The pseudonym under which a store's books keep an avatar. All stores make the same list of pseudonyms. An avatar who
 * came back and is erased again gets the next one, since the earlier customer's books are under the first.
 */
export const pseudonymIn = async (store: string, uuid: string, isCustomer: boolean): Promise<string> => {
  let latest: string | undefined;
  for (let time = 1; ; time++) {
    const pseudonym = await pseudonymOf(uuid, time);
    if (!(await findCustomer(store, pseudonym))) return isCustomer ? pseudonym : (latest ?? pseudonym);
    latest = pseudonym;
  }
};
