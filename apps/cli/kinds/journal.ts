import type { CreditType } from '../../../lib/credit/rules.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import type { CreditChange } from '../../../lib/routes/credit.ts';
import { type PlacedText, sorted } from './external-sort.ts';
import type { Lines } from './kind.ts';

/**
 * The history of credit as a journal of double-entry bookkeeping for hledger. The store owes its customers their
 * credit: it is a liability, whose balance is negative. Each transaction asserts the customer's balance after it.
 */

/** A change of one customer. */
export interface CustomerChange {
  customer: Pick<CreditItem, 'sk' | 'username'>;
  change: CreditChange;
}

const commodity = 'L$';

const liability = (type: CreditType, uuid: string): string => `liabilities:store credit:${type}:${uuid}`;

const expiry = 'revenues:store credit:expired';

/** The other account of each kind of change. */
const otherAccounts: Record<CreditChange['kind'], string> = {
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

/** The store owes the customer `amount` more, so the liability falls by `amount`. */
const postings = (account: string, other: string, amount: number, balance?: number): string[] => [
  `    ${account}  ${0 - amount} ${commodity}${balance === undefined ? '' : ` = ${0 - balance} ${commodity}`}`,
  `    ${other}  ${amount} ${commodity}`,
];

/** The facts of a change, as tags. They come before the postings. There hledger does not obey a tag such as `date:`. */
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
    ...(hasChange ? postings(account, otherAccounts[kind], amount, balance) : []),
  ];
  return `\n${lines.join('\n')}\n`;
};

/**
 * Places the transactions. The journal asserts balances in the order of the changes' numbers, so no change gets an
 * earlier date than the change before it. Clocks of two functions may differ by milliseconds, at midnight by a day.
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
  ...[...new Set([...Object.values(otherAccounts), expiry])].map((account) => `account ${account}`),
];

/** Makes the journal, ordered by date. The changes must come customer by customer. */
export const journal = (changes: AsyncIterable<CustomerChange>): Lines => ({
  header: [`${header.join('\n')}\n`],
  rows: sorted(placed(changes)),
});
