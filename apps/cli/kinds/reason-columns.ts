import type { Remarks } from '../../../lib/credit/state.ts';
import { repairReason } from '../../../lib/operator/read-credit.ts';

/** Reason and reference of a change are a person's texts. An erasure removes them. */

/** The reason that history gives for credit that an erasure took. */
export const forfeitReason = 'Forfeited: the avatar was erased.';

export const withoutTexts = <T extends Remarks>({ reason, reference, ...others }: T) => others;

/** Keeps the reasons that the command itself wrote, since they are not about the avatar. */
export const keptTexts = ({ reason = '' }: Remarks): Remarks =>
  [forfeitReason, repairReason].includes(reason) ? { reason } : {};
