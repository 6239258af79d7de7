import type { CreditType } from '../../../lib/credit/rules.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import type { CreditChange } from '../../../lib/routes/credit.ts';
import type { Lines } from './kind.ts';
import { type PlacedText, sorted } from './sorted.ts';

/**
 * The history of credit as a journal of double-entry bookkeeping for hledger. Store credit is what the store owes its
 * customers: a liability, whose balance is negative. Each transaction asserts the customer's balance after it.
 */

/** A change of one customer. */
export interface CustomerChange {
  customer: Pick<CreditItem, 'sk' | 'username'>;
  change: CreditChange;
}

const commodity = 'L$';

const liability = (type: CreditType, uuid: string): string => `liabilities:store credit:${type}:${uuid}`;

const expiry = 'revenues:store credit:expired';

/** The other side of each kind of change. */
const others: Record<CreditChange['kind'], string> = {
  set: 'expenses:store credit:given',
  increment: 'expenses:store credit:given',
  expire: expiry,
  sale: 'revenues:sales:paid with store credit',
  refund: 'revenues:sales:paid with store credit',
  redeem: 'liabilities:gift cards',
  bonus: 'expenses:store credit:given',
  undo: 'expenses:store credit:given',
  import: 'equity:opening balances',
  opening: 'equity:opening balances',
  unrecorded: 'equity:unrecorded changes',
};

const balanceAfter = ({ type, credit, restrictedCredit }: CreditChange): number =>
  type === 'regular' ? credit : restrictedCredit;

/** The customer is owed `amount` more, which makes the liability so much more negative. */
const postings = (account: string, other: string, amount: number, balance?: number): string[] => [
  `    ${account}  ${0 - amount} ${commodity}${balance === undefined ? '' : ` = ${0 - balance} ${commodity}`}`,
  `    ${other}  ${amount} ${commodity}`,
];

/** The facts of a change. They stand above the postings, where hledger takes no tag such as `date:` for an order. */
const journalTags = ({ at, reason, reference, undoes, ...ids }: CreditChange): string[] => {
  const { saleId: sale, giftCardId: giftcard, requestId: request, keyId: key } = ids;
  const tags = { at, reason, reference, sale, giftcard, request, key, undoes };
  return Object.entries(tags).flatMap(([name, value]) => (value === null ? [] : [`    ; ${name}: ${value}`]));
};

const transaction = (day: string, { sk: uuid, username }: CustomerChange['customer'], change: CreditChange): string => {
  const { sequence, type, kind, amount, expired } = change;
  const account = liability(type, uuid);
  const balance = balanceAfter(change);
  const hasChange = amount !== 0 || expired === 0;
  const lines = [
    `${day} (${sequence}) ${username} | ${kind}`,
    ...journalTags(change),
    ...(expired > 0 ? postings(account, expiry, -expired, hasChange ? undefined : balance) : []),
    ...(hasChange ? postings(account, others[kind], amount, balance) : []),
  ];
  return `\n${lines.join('\n')}\n`;
};

/**
 * A change is never dated before the one with the number before it, since the balances that are asserted follow the
 * numbers: the clocks of two functions may differ by some milliseconds, of which midnight makes a day.
 */
async function* placed(changes: AsyncIterable<CustomerChange>): AsyncGenerator<PlacedText> {
  let uuid = '';
  let place = '';
  let declared: CreditType[] = [];
  for await (const { customer, change } of changes) {
    if (customer.sk !== uuid) {
      uuid = customer.sk;
      place = '';
      declared = [];
    }
    if (change.at > place) place = change.at;
    const isFirst = !declared.includes(change.type);
    if (isFirst) declared.push(change.type);
    const declaration = isFirst ? `\naccount ${liability(change.type, uuid)}  ; ${customer.username}\n` : '';
    yield { place, text: declaration + transaction(place.slice(0, 10), customer, change) };
  }
}

const header = [
  `commodity 1000. ${commodity}`,
  ...[...new Set([...Object.values(others), expiry])].map((account) => `account ${account}`),
];

/** The journal of these changes, which come customer by customer, in the order of their dates. */
export const journal = (changes: AsyncIterable<CustomerChange>): Lines => ({
  header: [`${header.join('\n')}\n`],
  rows: sorted(placed(changes)),
});
