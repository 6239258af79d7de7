/**
 * Why a delivery, a payout or a message failed. The service keeps what the box, the cashier or the receiver has told;
 * here is what that means for the person at the desk.
 */

/** The answers of the script in the box. */
const answers: Readonly<Record<string, string>> = {
  'no such item': 'The box does not have this item.',
  'not transferable': 'The item has no transfer permission.',
  expired: 'The delivery reached the box too late.',
  reading: 'The box is still starting.',
  'not ready': 'The box is still starting.',
  'no memory': 'The script of the box has no memory left.',
  'bad signature': 'The box has an old secret. Touch it.',
  'unknown protocol': 'The script of the box is of another version.',
  'too old': 'The delivery reached the box too late.',
  'cap not found': 'The box is not there any more.',
  'script error': 'The script of the box has failed.',
};

/** An answer of the box, which may name the item. */
const answerWords = (answer: string): string | undefined => {
  const [known = '', item] = answer.split(': ');
  const words = answers[known];
  return words && item ? `${words.slice(0, -1)}: ${item}` : words;
};

const boxWords = (status: string, answer = ''): string => {
  if (status === '404' || status === '410') return 'The box is not there any more.';
  return answerWords(answer) ?? (answer === '' ? 'The box did not take it.' : `The box did not take it: ${answer}`);
};

/** The codes with which Second Life refuses a transfer of L$. */
const refusals: Readonly<Record<string, string>> = {
  SERVICE_ERROR: 'Second Life did not say how it ended',
  EXPIRED: 'Second Life took too long',
  THROTTLED: 'too many payments at once',
  INVALID_AGENT: 'this avatar does not exist',
  INVALID_DESTINATION: 'this avatar does not exist',
  INVALID_AMOUNT: 'Second Life does not take this amount',
  LINDENDOLLAR_ENTITYDOESNOTEXIST: 'this avatar has no L$ account',
  LINDENDOLLAR_INSUFFICIENTFUNDS: 'the cashier’s owner had too few L$',
  MISSING_PERMISSION_DEBIT: 'the cashier has no permission to pay: touch it',
  GROUP_OWNED: 'the cashier belongs to a group, and so cannot pay',
  TRANSFERS_DISABLED: 'Second Life makes no transfers now',
};

/** The words for a failure. A text of a person, or of a later version, stays as it is. */
export const failureWords = (told: string): string => {
  const [, status, answer] = /^The dispenser answered (\d+)(?:: (.*))?$/s.exec(told) ?? [];
  if (status !== undefined) return boxWords(status, answer);
  if (told === 'refunded') return 'The sale was refunded.';
  if (told === 'The store has no dispenser yet.') return 'The store has no box yet.';
  if (/^(?:No answer within \d+ ms|E[A-Z_]+)$/.test(told)) return 'There was no answer.';
  const [, code] = /^It answered (\d+)/.exec(told) ?? [];
  if (code !== undefined) return `The address answered with the error ${code}.`;
  if (/^The address was refused: /.test(told)) return told.replace('was refused', 'cannot be used');
  return refusals[told] ?? answerWords(told) ?? told.replaceAll(/\bdispenser\b/g, 'box');
};
