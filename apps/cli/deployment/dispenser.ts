import { anotherSecret, type Dispenser, dispenserKey, removalOf } from '../../../lib/delivery/dispensers.ts';
import { all, exists, isNot, update, type Write } from '../../../lib/table/language.ts';
import { transact, write } from '../../../lib/table/table.ts';
import { Failure } from '../terminal/errors.ts';

/**
 * Gives a box another secret, in one transaction with other writes. Does it only once, even if the answer is lost.
 * Throws if the box is not registered.
 */
export const rotateSecret = async (
  store: string,
  together: readonly Write[] = [],
  name?: string,
): Promise<Dispenser> => {
  const set = anotherSecret();
  // A repeated write finds its own secret, and must not write it again.
  const when = all(exists, isNot('secret', set.secret));
  const outcome = await write<Dispenser>(update(dispenserKey(store, name), { set, when }), { together });
  if (outcome.done) return outcome.result;
  if (outcome.found?.secret === set.secret) return outcome.found;
  throw new Failure(
    name === undefined
      ? 'No dispenser of the store has registered yet, so there is no secret to change.'
      : `No dispenser ${name} of the store has registered, so there is no secret to change. List them: store dispenser list`,
  );
};

/** Removes a box, in one transaction with other writes. Returns false if no box has that name. */
export const removeBox = async (store: string, name: string, together: readonly Write[]): Promise<boolean> =>
  (await transact([...removalOf(store, name), ...together])) === undefined;
