import { invalid, Problem, unavailable } from '../problem.ts';
import { AddressError, type AddressRule, checkAddress, scripts } from './address.ts';
import { listWaits } from './deliveries.ts';
import { isUnreachable, type Registration, registerDispenser } from './dispensers.ts';
import { sendForRequest } from './queue.ts';

const lookUpMillis = 5000;

/**
 * Throws 400 for an address that must not be called, which `words` explains, and 503 if its host cannot be looked up.
 */
export const checkSent = async (url: string, rule: AddressRule, words: string): Promise<void> => {
  const slow = new Promise<never>((_, reject) => setTimeout(() => reject(unavailable(5)), lookUpMillis).unref());
  try {
    await Promise.race([checkAddress(url, rule), slow]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof AddressError) throw invalid(`url must be ${words}: ${error.message}.`);
    if (code === 'ENOTFOUND') throw invalid(`url must be ${words}: its host does not exist.`);
    const detail = 'The host of url cannot be looked up now. Nothing was changed: send the request again.';
    throw code === undefined ? error : new Problem(503, detail, [], { 'Retry-After': '5' });
  }
};

/**
 * Registers a dispenser, and queues a message that hands the waiting deliveries to it. The address is written first: a
 * delivery that begins to wait later sees the address, and this function finds the deliveries that waited before.
 */
export const register = async (store: string, registration: Registration) => {
  await checkSent(registration.url, scripts, 'the address of a script');
  const registered = await registerDispenser(store, registration);
  try {
    const [waiting] = await listWaits(store, 1);
    if (waiting) await sendForRequest({ kind: 'hand-over', store });
  } catch (cause) {
    const detail =
      'The address is registered, but the waiting deliveries are not on the queue yet: send the request again.';
    throw Object.assign(new Problem(503, detail, [], { 'Retry-After': '5' }), { cause });
  }
  return { ...registered, unreachable: isUnreachable(registered) };
};
