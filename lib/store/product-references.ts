import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import { hasProduct, type ProductFields } from './products.ts';
import { findResident } from './residents.ts';

type RequestedShare = { percent: number; username?: Identifier | undefined; userUuid?: string | undefined };

/** The share's user, or the message of what is wrong with it. */
const userOf = async ({ username, userUuid }: RequestedShare): Promise<{ uuid: string } | string> => {
  const named = [username, userUuid === undefined ? undefined : { uuid: userUuid }].filter(
    (name) => name !== undefined,
  );
  const [first, second] = await Promise.all(named.map(findResident));
  if (!first || (named.length > 1 && !second)) return 'names a resident who does not exist';
  return second && second.uuid !== first.uuid ? 'names two different residents by username and userUuid' : first;
};

const demoFault = async (store: string, demoId: string | null, id: string | undefined): Promise<string[]> => {
  const fine = demoId === null || (demoId !== id && (await hasProduct(store, demoId)));
  return fine ? [] : ['demoId must be the id of another product of the store, or null.'];
};

/**
 * Follows what the body of a product refers to: the users of its profit shares and its demo (of the product `id`, if it
 * exists already). Throws 400 with every reference that leads nowhere, and for a user with two shares.
 */
export const resolveReferences = async (
  store: string,
  product: Omit<ProductFields, 'profitShares'> & { profitShares: RequestedShare[] },
  id?: string,
): Promise<ProductFields> => {
  const [users, faults] = await Promise.all([
    Promise.all(product.profitShares.map(userOf)),
    demoFault(store, product.demoId, id),
  ]);
  const profitShares: ProductFields['profitShares'] = [];
  const seen = new Set<string>();
  for (const [index, { percent }] of product.profitShares.entries()) {
    const user = users[index];
    if (typeof user !== 'object') faults.push(`profitShares[${index}] ${user}.`);
    else if (seen.has(user.uuid)) faults.push(`profitShares[${index}] names a user who has a share already.`);
    else profitShares.push({ userUuid: user.uuid, percent });
    if (typeof user === 'object') seen.add(user.uuid);
  }
  if (faults.length > 0) throw invalid(...faults);
  return { ...product, profitShares };
};
