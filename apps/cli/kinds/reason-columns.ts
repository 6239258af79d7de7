import type { Remarks } from '../../../lib/credit/state.ts';
import { repairReason } from '../../../lib/operator/read-credit.ts';

/** The texts of a person about a change. An erasure removes them. */

/** The reason that history gives for credit that an erasure took. */
export const forfeitReason = 'Forfeited: the avatar was erased.';

export const withoutTexts = <T extends Remarks>({ reason, reference, ...others }: T) => others;

/** The texts about a change of credit that stay: the command's own texts are not about the avatar. */
export const keptTexts = ({ reason = '' }: Remarks): Remarks =>
  [forfeitReason, repairReason].includes(reason) ? { reason } : {};
