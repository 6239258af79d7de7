import type { SentEventType } from '../../lib/routes/webhooks.ts';
import type { Recordings } from './record.ts';

/** Finds the answer to the example of an operation, by the id of its row. */
type Answers = (row: string) => object;

const firstOf = (list: object): object => (list as { data: object[] }).data[0] ?? {};

/** The data of each type: an answer from the API's examples, and the fields in which such an event differs. */
const data: Record<SentEventType, (answers: Answers) => object> = {
  'credit.changed': (answers) => ({ ...answers('customers/get-credit'), sequence: 5 }),
  'giftcard.granted': (answers) => ({ ...answers('gift-cards/get-gift-card'), reason: 'Contest', reference: null }),
  'giftcard.purchased': (answers) => ({ ...answers('gift-cards/get-gift-card'), purchased: true, transfer: false }),
  'giftcard.redeemed': (answers) => (answers('gift-cards/redeem-gift-card') as { giftCard: object }).giftCard,
  'giftcard.disabled': (answers) => answers('gift-cards/disable-gift-card'),
  'sale.completed': (answers) => answers('sales/create-sale'),
  'sale.refused': (answers) => answers('sales/get-sale'),
  'sale.refunded': (answers) => answers('sales/refund-sale'),
  'delivery.delivered': (answers) => ({ ...answers('deliveries/get-delivery'), state: 'delivered', lastError: null }),
  'delivery.failed': (answers) => answers('deliveries/get-delivery'),
  'delivery.waiting': (answers) => ({
    ...answers('deliveries/get-delivery'),
    state: 'waiting',
    lastError: 'The dispenser answered 404',
    endedAt: null,
  }),
  'dispenser.registered': (answers) => answers('dispenser/register-dispenser'),
  'dispenser.lost': (answers) => ({
    ...answers('dispenser/register-dispenser'),
    lostAt: '2026-11-21T12:00:00.000Z',
    lostReason: 'The dispenser answered 404',
  }),
  'coupon.applied': (answers) => firstOf(answers('coupons/list-customer-coupons')),
  'customer.banned': (answers) => answers('customers/ban-customer'),
  'customer.unbanned': (answers) => answers('customers/unban-customer'),
  'product.sold_out': (answers) => ({ ...answers('products/get-product'), limited: true, availableAmount: 0 }),
  'product.changed': (answers) => answers('products/update-product'),
  'coupon.changed': (answers) => answers('coupons/update-coupon'),
  'category.changed': (answers) => answers('categories/update-category'),
  'category.deleted': (answers) => {
    const { id, name } = answers('categories/update-category') as { id: string; name: string };
    return { id, name };
  },
  'key.issued': (answers) => answers('keys/get-key'),
  'key.ended': (answers) => answers('keys/revoke-key'),
  'payout.paid': (answers) => answers('payouts/report-payout'),
  'payout.failed': (answers) => ({
    ...answers('payouts/report-payout'),
    state: 'failed',
    transactionId: null,
    error: 'LINDENDOLLAR_INSUFFICIENTFUNDS',
  }),
  'payout.unknown': (answers) => ({
    ...answers('payouts/report-payout'),
    state: 'unknown',
    transactionId: null,
    error: 'SERVICE_ERROR',
    endedAt: null,
  }),
  'vendor.registered': (answers) => answers('vendors/get-vendor'),
  'vendor.lost': (answers) => ({ ...answers('vendors/get-vendor'), state: 'lost' }),
  'store.closed': (answers) => answers('store/close-store'),
  'store.opened': (answers) => answers('store/open-store'),
  'webhook.ping': (answers) => ({ webhookId: (answers('webhooks/get-webhook') as { id: string }).id }),
};

/** An example of an event's data. Throws if the operation has no example. */
export const exampleOf = (type: SentEventType, recordings: Recordings): unknown =>
  data[type]((row) => {
    const { body } = recordings[row] ?? {};
    if (typeof body !== 'object' || body === null) throw new Error(`The example of ${type} needs one of ${row}.`);
    return body;
  });
