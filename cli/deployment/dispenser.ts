import { anotherSecret, type Dispenser, dispenserKey } from '../../lib/delivery/dispensers.ts';
import { all, exists, isNot, update, type Write } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import { Failure } from '../terminal/errors.ts';

/**
 * Gives a store's dispenser another secret, in one transaction with other writes; once, also if the answer is lost.
 * Throws where none registered.
 */
export const rotateSecret = async (store: string, together: readonly Write[] = []): Promise<Dispenser> => {
  const set = anotherSecret();
  // A repeated write must not take the new secret for the old one.
  const when = all(exists, isNot('secret', set.secret));
  const outcome = await write<Dispenser>(update(dispenserKey(store), { set, when }), { together });
  if (outcome.done) return outcome.result;
  if (outcome.found?.secret === set.secret) return outcome.found;
  throw new Failure('No dispenser of the store has registered yet, so there is no secret to change.');
};
