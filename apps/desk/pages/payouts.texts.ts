import { count, money } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.payouts,
  owedInAll: 'You owe',
  paidThisMonth: 'Paid this month',
  whoIsOwed: 'Who is owed L$',
  cut: (shown: number, all: number) => `The ${count(shown)} of ${count(all)} who are owed most. Export has all.`,
  nobodyOwed: 'You owe nobody anything. Profit shares, commissions and refunds to be paid out appear here.',
  name: 'Name',
  owed: 'Owed',
  claimed: 'Being paid',
  unknownAmount: 'Not known',
  paidSoFar: 'Paid so far',
  action: 'Action',
  unknown: 'Did these payments go through?',
  unknownHelp:
    'The cashier could not tell. Look into the transaction history of its owner’s account, and say what is true. What was not paid is owed again.',
  cutUnknown: (shown: number, all: number) =>
    `The newest ${count(shown)} of ${count(all)}. The list of payouts below has all.`,
  wasPaid: 'It was paid',
  wasNotPaid: 'It was not paid',
  of: (amount: number, name: string) => `${money(amount)}, ${name}`,
  correct: 'Correct it',
  settle: {
    paid: {
      title: (amount: number, name: string) => `Were ${money(amount)} paid to ${name}?`,
      text: (amount: number, name: string) =>
        `The books will say that ${name} has the ${money(amount)}. You owe them that much less, and no cashier pays it again.`,
      submit: 'They were paid',
    },
    failed: {
      title: (amount: number, name: string) => `Were ${money(amount)} not paid to ${name}?`,
      text: (amount: number, name: string) =>
        `You will owe ${name} the ${money(amount)} again, and a cashier pays them. If they were paid after all, ${name} gets them twice.`,
      submit: 'They were not paid',
    },
  },
  settledPaid: (amount: number, name: string) => `Noted: ${money(amount)} were paid to ${name}.`,
  settledFailed: (amount: number, name: string) => `Noted: ${money(amount)} are owed to ${name} again.`,
  pay: {
    open: 'Note a payment',
    title: (name: string) => `Note a payment to ${name}`,
    text: (owed: number) => `You owe ${money(owed)}. Pay inworld first: this only notes that you have.`,
    amount: 'L$ that you paid',
    reference: 'Reference (optional)',
    referenceHelp: 'Such as the number of the transaction inworld.',
    submit: 'It is paid',
    done: (amount: number, name: string) => `Noted: you paid ${money(amount)} to ${name}.`,
  },
  byMonth: 'Paid by month',
  month: 'Month',
  payments: 'Payments',
  amount: 'Amount',
  all: 'All payouts',
  none: 'No payouts yet. They appear when the cashier pays somebody, or you note a payment.',
  at: 'When',
  state: 'State',
  states: { claimed: 'Being paid', unknown: 'Not known', paid: 'Paid', failed: 'Not paid' },
  details: 'Details',
};
