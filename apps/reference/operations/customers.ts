import type { OperationText } from '../operation-text.ts';

const vera = { identifier: 'vera.vendor' };

const setText = (type: string) =>
  `Sets the ${type} balance. **Destructive**: every open lot of ${type} credit is closed as superseded, in the same transaction. ` +
  'With `expiresAt` the whole new balance is one lot that expires then; without, it is permanent credit. The other type of credit ' +
  'stays as it is. 400 for a time that is past or a balance over the credit limit; nothing is changed then.';

const incrementText = (type: string) =>
  `Adds to the ${type} balance, or takes from it with a negative \`delta\`. Never closes a lot that still holds credit. Added ` +
  'credit is a lot of its own with `expiresAt`, permanent credit without. Credit is taken from the lots, the ' +
  'earliest-expiring first, and from permanent credit last. 400 where more is taken than the customer can spend, where the ' +
  'balance would pass the credit limit, and for `expiresAt` with a negative `delta`.';

export const customerTexts: Record<string, OperationText> = {
  'customers/list-customers': {
    description:
      'Residents that the store knows something about: credit, spend, a ban, a coupon, a gift card. Filters combine with AND.',
    parameters: { limit: 2, spentMoreThan: 400 },
  },
  'customers/get-customer': {
    description:
      'One customer with balances, discount and ban. A resident the store knows nothing about is a customer with zeros.',
    parameters: { identifier: 'Vera Vendor' },
  },
  'customers/get-credit': {
    description:
      'The stored balances. They can be higher than what can be spent for a short while after a lot has come due, until the expiry ' +
      'sweep (each minute) or the next change of the credit closes it.',
    parameters: vera,
  },
  'customers/list-credit-lots': {
    description:
      'The lots of a customer, those that have ended included. With `state=open` they come in the order in which credit is taken from ' +
      'them, the earliest-expiring first. Without it regular lots come first, then restricted ones; within a type those of an older set come ' +
      'before those of a newer one, and then the earliest-expiring first. A list that is read during a change may show a part of it.',
    parameters: { ...vera, state: 'open' },
  },
  'customers/list-credit-history': {
    description:
      'Every change of the credit, the newest first, each with the balances after it. The balance of its type grew by `amount` less ' +
      '`expired`. A change shows within about a second. `sequence` has no holes: where a number is missing, its row is still to come.',
    parameters: vera,
  },
  'customers/get-spend': {
    description: 'The sums that a customer has spent in the store, and the number of products that they own.',
    parameters: { identifier: 'stella' },
  },
  'customers/update-customer': {
    description: 'Changes the discount, the news subscription or both. Fields that you leave out stay as they are.',
    parameters: { identifier: 'bob.linden' },
    request: { discount: 15, newsSubscriber: true },
    refused: { discount: 12.5 },
  },
  'customers/undo-credit-change': {
    description:
      '**An extension of this service, beyond the contract.** Undoes one `set` or `increment`, by its number. It takes back what is ' +
      'left of what the change gave: all that is left in its own lot, or permanent credit that has not been spent since. It gives ' +
      'back what the change took, with the ends that it had; the credit limit does not count. `left` is the part that could not be ' +
      'undone. After a later `set` nothing is left. The first undo counts: any later one answers the same, with the credit of now. ' +
      '400 for another kind of change. A change shows in history within about a second; 503 where it does not within two.',
    parameters: vera,
    request: { sequence: 4, reason: 'Given by mistake' },
    refused: { sequence: 0 },
  },
  'customers/set-credit': {
    description: setText('regular'),
    parameters: { identifier: 'cleo' },
    request: { credit: 750, expiresAt: '2099-01-01T00:00:00Z' },
    refused: { credit: 750, expiresAt: '2020-01-01T00:00:00Z' },
  },
  'customers/set-restricted-credit': {
    description: setText('restricted'),
    parameters: { identifier: 'dara.moonwall' },
    request: { credit: 250, reason: 'Winner of the photo contest', reference: 'Contest 12' },
    refused: { credit: '250' },
  },
  'customers/increment-credit': {
    description: incrementText('regular'),
    parameters: vera,
    request: { delta: 100, expiresAt: '2099-01-01T00:00:00+02:00' },
    refused: { delta: -5000 },
  },
  'customers/increment-restricted-credit': {
    description: incrementText('restricted'),
    parameters: vera,
    request: { delta: -400 },
    refused: { delta: -10, expiresAt: '2099-01-01T00:00:00Z' },
  },
  'customers/ban-customer': {
    description: 'Marks a customer as banned, with a reason if one is sent. Idempotent. The body may be left out.',
    parameters: { identifier: 'ezra.linden' },
    request: { reason: 'Resold copies of the numbered prints.' },
  },
  'customers/unban-customer': {
    description: 'Lifts a ban and deletes its reason. Idempotent.',
    parameters: { identifier: 'rufus.stonecutter' },
  },
};
