// @ts-check
import { call, refresher } from './data.js';
import { byId, count, element, money, plural, replaceChildren, tell } from './dom.js';
import { timeline } from './timeline.js';

/**
 * @typedef {{ type: string, balance: number, unlotted: number, lots: import('./timeline.js').Lot[], notShown: number }} Held
 * @typedef {{ uuid: string, username: string, credit: number, restrictedCredit: number }} Customer
 */

const view = byId('credit-view', HTMLElement);
const note = byId('credit-note', HTMLOutputElement);
const input = byId('customer', HTMLInputElement);
const known = byId('customers', HTMLDataListElement);

/** The customer on show. The page's address keeps the name for a reload. */
let customer = new URLSearchParams(location.hash.slice(1)).get('customer') ?? '';

const titles = /** @type {Record<string, string>} */ ({ regular: 'Regular credit', restricted: 'Restricted credit' });

const isOpen = (/** @type {{ state: string }} */ { state }) => state === 'open' || state === 'due';

/** The parts of the balance, in the order in which they are spent. @param {Held} held */
const shares = ({ balance, unlotted, lots }) => {
  const parts = [
    ...lots.filter(isOpen).map(({ remaining, state }) => ({ amount: remaining, kind: state })),
    { amount: unlotted, kind: 'unlotted' },
  ].filter(({ amount }) => amount > 0);
  const bar = element('div.shares', {
    role: 'img',
    'aria-label': `Spent in this order: ${parts.map(({ amount, kind }) => `${count(amount)} ${kind === 'unlotted' ? 'without expiry' : 'from a lot'}`).join(', ')}`,
  });
  for (const { amount, kind } of parts) {
    const part = element(`span.share.is-${kind}`, { title: money(amount) });
    part.style.flexGrow = String(amount / balance);
    bar.append(part);
  }
  return parts.length > 0 ? bar : undefined;
};

const shownAtFirst = { open: 10, ended: 4 };

/** True shows every lot, false the first ones of each kind. */
let showsAll = false;

const toggleAll = () => {
  showsAll = !showsAll;
  refreshCredit();
};

/** @param {Held} held */
const typeView = (held) => {
  const { type, balance, unlotted, lots, notShown } = held;
  const open = lots.filter(isOpen);
  const ended = lots.filter((lot) => !isOpen(lot));
  const shown = showsAll ? lots : [...open.slice(0, shownAtFirst.open), ...ended.slice(0, shownAtFirst.ended)];
  const isLong = open.length > shownAtFirst.open || ended.length > shownAtFirst.ended;
  const more = showsAll ? 'Show fewer lots' : `Show ${plural(lots.length - shown.length, 'more lot')}`;
  const sum = `${money(balance - unlotted)} in ${plural(open.length, 'open lot')}, ${money(unlotted)} without expiry`;
  return element(
    `section.held.is-${type}`,
    { 'aria-label': titles[type], 'data-id': type },
    element(
      'div.held-head',
      element('h3', titles[type]),
      element('p.balance', money(balance)),
      element('p.muted', sum),
    ),
    shares(held),
    lots.length > 0 && timeline(shown),
    isLong && element('button.quiet.more', { type: 'button', click: toggleAll }, more),
    showsAll && notShown > 0 && element('p.muted', `${plural(notShown, 'further lot')} not shown.`),
  );
};

const legend = () =>
  element(
    'ul.legend',
    { 'aria-label': 'What the bars mean' },
    ...['open', 'due', 'drained', 'expired', 'superseded'].map((state) =>
      element('li', element(`span.swatch.is-${state}`, { 'aria-hidden': 'true' }), state),
    ),
  );

/** Offers the customers whose name contains the typed text. The service sends only those with the most credit. */
const refreshCustomers = refresher(async () => {
  const typed = input.value.trim();
  const { customers } = /** @type {{ customers: Customer[] }} */ (
    await call(`customers?search=${encodeURIComponent(typed)}`)
  );
  known.replaceChildren(
    ...customers.map(({ username, credit, restrictedCredit }) =>
      element('option', { value: username, label: `${money(credit)}, ${money(restrictedCredit)} restricted` }),
    ),
  );
  if (typed !== '') return;
  const first = customers[0];
  if (customer === '' && first) show(first.username);
  if (!first)
    view.replaceChildren(
      element('p.empty', 'No customer yet. A resident becomes one with the first credit, coupon or purchase.'),
    );
});

/** @param {Error} error @returns {never} */
const explain = ({ message }) => {
  throw new Error(message.replace('The requested resource was not found.', `There is no resident ${customer}.`));
};

export const refreshCredit = refresher(async () => {
  if (customer === '') return refreshCustomers();
  // After a failure the last customer stays on show: only the typed name is wrong.
  await tell(note, async () => {
    const { uuid, username, types } = await call(`credit?customer=${encodeURIComponent(customer)}`).catch(explain);
    const who = element('p.who', element('b', username), element('code.faint', uuid));
    replaceChildren(view, who, ...types.map(typeView), legend());
    return '';
  });
});

/** @param {string} name */
const show = (name) => {
  customer = name;
  history.replaceState(null, '', `#customer=${encodeURIComponent(name)}`);
  refreshCredit();
};

byId('customer-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  if (input.value.trim() === '') return;
  show(input.value.trim());
  input.value = '';
});
for (const event of ['focus', 'input']) input.addEventListener(event, refreshCustomers);

// No event tells when a lot comes due.
setInterval(() => document.hidden || refreshCredit(), 30_000);
