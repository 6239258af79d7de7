import type { OperationText } from '../operation-text.ts';

const extension = '**An extension of this service, beyond the contract.** ';
const paid = '00000011-dede-4ede-8ede-000000000001';
const unknown = '00000011-dede-4ede-8ede-000000000002';
/** The payout that the example of a claim makes. */
const claimed = '01a1fdfa-4600-7162-9a62-62cdb0774454';

export const payoutTexts: Record<string, OperationText> = {
  'payouts/list-payees': {
    description:
      `${extension}Avatars that the store has ever owed or paid something, by UUID: the owners of coupons and those who share in the ` +
      'profit, by the completed sales; and buyers whose refund is to be paid out. What a sale owes is counted within seconds.',
    parameters: { owed: true, limit: 2 },
  },
  'payouts/list-payouts': {
    description: `${extension}Payouts, the newest first. Filters combine with AND.`,
    parameters: { payee: 'Vera Vendor', limit: 1 },
  },
  'payouts/get-payout': { description: `${extension}One payout as it is now.`, parameters: { id: paid } },
  'payouts/claim-payout': {
    description:
      `${extension}Takes what is owed to one avatar for a payout: the longest owed of those who would get \`minimum\` or more. Only then the ` +
      'caller moves the L$, once, and reports how that ended. What is not reported within 10 minutes becomes `unknown`, and is never ' +
      'paid again by itself. Null where nobody is to be paid: before `store payouts begin` too, and after a restore until `store payouts ' +
      'resume`. Send an `Idempotency-Key`, so that a repeat after a lost answer claims nothing more.',
    request: { minimum: 1, limit: 10_000, hold: 2 },
    refused: { minimum: 0 },
  },
  'payouts/report-payout': {
    description:
      `${extension}Says how a payout ended, which the same key (or one that it was rotated to or from) has claimed: 404 for any other. ` +
      '`failed` makes the L$ owed again. A report counts after 10 minutes too, and `paid` on a failed payout. The same report again is ' +
      'answered the same; any other on a payout that has ended is 400.',
    parameters: { id: claimed },
    request: { result: 'paid', transactionId: '5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43' },
    refused: { result: 'lost' },
  },
  'payouts/settle-payout': {
    description:
      `${extension}A person’s word on a payout that is unknown, or a correction of one that has ended: the sums follow, and its event is ` +
      'sent again. 400 while it is claimed.',
    parameters: { id: unknown },
    request: { result: 'paid', reference: 'Account history, 19 November' },
    refused: { result: 'unknown' },
  },
  'payouts/pay-payee': {
    description:
      `${extension}Notes that a person has paid an avatar by hand. The payout is \`paid\` at once, and can be settled otherwise. 400 where ` +
      'less is owed.',
    parameters: { identifier: 'partner.builder' },
    request: { amount: 20, reference: 'Paid inworld by the owner' },
    refused: { amount: 0 },
  },
};
