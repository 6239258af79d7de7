import type { LookUp, LookUpAnswer } from '../lib/avatars/resident-lookup.ts';
import { answerLookUp } from '../lib/delivery/lookup.ts';

/** Asks a store's dispenser for an avatar that the table does not have. The endpoints invoke it, and wait. */
export const handler = (lookUp: LookUp): Promise<LookUpAnswer> => answerLookUp(lookUp);
