// Written by `npm run openapi` from docs/openapi.json. Change lib/routes/ or apps/reference/, not this file.

/**
 * Where a coupon counts: in the whole store, or for a product.
 */
export type CouponScope = 'store' | 'product';
/**
 * A type of store credit.
 */
export type CreditType = 'regular' | 'restricted';
/**
 * How a lot of credit stands.
 */
export type CreditLotState = 'open' | 'drained' | 'expired' | 'superseded';
/**
 * A kind of change of credit. Later versions may add values.
 */
export type CreditChangeKind =
  | 'set'
  | 'increment'
  | 'expire'
  | 'sale'
  | 'refund'
  | 'redeem'
  | 'bonus'
  | 'undo'
  | 'import'
  | 'opening'
  | 'unrecorded';
/**
 * 0: percent. 1: flat amount off. 2: override price.
 */
export type DiscountType = 0 | 1 | 2;
/**
 * The reason for which a sale is refused. Later versions may add values.
 */
export type Refusal =
  | 'unknown-resident'
  | 'unknown-product'
  | 'quote'
  | 'closed'
  | 'banned'
  | 'inactive'
  | 'sold-out'
  | 'credit-changed'
  | 'coupon-used'
  | 'underpaid';
/**
 * How a sale stands.
 */
export type SaleState = 'completed' | 'refused' | 'refunded';
/**
 * How a payout stands.
 */
export type PayoutState = 'claimed' | 'unknown' | 'paid' | 'failed';
/**
 * Whether a vendor still registers.
 */
export type VendorState = 'active' | 'lost';
/**
 * How a delivery stands.
 */
export type DeliveryState = 'queued' | 'waiting' | 'delivered' | 'failed';
/**
 * A type of event. Later versions may add values.
 */
export type EventType =
  | 'credit.changed'
  | 'giftcard.granted'
  | 'giftcard.purchased'
  | 'giftcard.redeemed'
  | 'giftcard.disabled'
  | 'sale.completed'
  | 'sale.refused'
  | 'sale.refunded'
  | 'delivery.delivered'
  | 'delivery.failed'
  | 'delivery.waiting'
  | 'dispenser.registered'
  | 'dispenser.lost'
  | 'coupon.applied'
  | 'customer.banned'
  | 'customer.unbanned'
  | 'product.sold_out'
  | 'product.changed'
  | 'coupon.changed'
  | 'category.changed'
  | 'category.deleted'
  | 'key.issued'
  | 'key.ended'
  | 'payout.paid'
  | 'payout.failed'
  | 'payout.unknown'
  | 'vendor.registered'
  | 'vendor.lost'
  | 'store.closed'
  | 'store.opened';
/**
 * An event of any type: `type` says which.
 */
export type EventResponse =
  | CreditChangedEvent
  | GiftCardGrantedEvent
  | GiftCardPurchasedEvent
  | GiftCardRedeemedEvent
  | GiftCardDisabledEvent
  | SaleCompletedEvent
  | SaleRefusedEvent
  | SaleRefundedEvent
  | DeliveryDeliveredEvent
  | DeliveryFailedEvent
  | DeliveryWaitingEvent
  | DispenserRegisteredEvent
  | DispenserLostEvent
  | CouponAppliedEvent
  | CustomerBannedEvent
  | CustomerUnbannedEvent
  | ProductSoldOutEvent
  | ProductChangedEvent
  | CouponChangedEvent
  | CategoryChangedEvent
  | CategoryDeletedEvent
  | KeyIssuedEvent
  | KeyEndedEvent
  | PayoutPaidEvent
  | PayoutFailedEvent
  | PayoutUnknownEvent
  | VendorRegisteredEvent
  | VendorLostEvent
  | StoreClosedEvent
  | StoreOpenedEvent;
/**
 * What a key is for, which gives it its scopes. Later versions may add values.
 */
export type KeyPreset =
  | 'vendor'
  | 'terminal'
  | 'dispenser'
  | 'cashier'
  | 'shop'
  | 'support'
  | 'manager'
  | 'designer'
  | 'all';
/**
 * Something that a key may do. Later versions may add values.
 */
export type KeyScope =
  | 'coupons:read'
  | 'coupons:write'
  | 'coupons:apply'
  | 'customers:read'
  | 'customers:write'
  | 'credits:read'
  | 'credits:write'
  | 'giftcards:read'
  | 'giftcards:write'
  | 'products:read'
  | 'products:write'
  | 'products:deliver'
  | 'categories:read'
  | 'categories:write'
  | 'store:write'
  | 'residents:write'
  | 'dispenser:register'
  | 'deliveries:read'
  | 'giftcards:redeem'
  | 'products:redeliver'
  | 'sales:read'
  | 'sales:write'
  | 'sales:refund'
  | 'events:read'
  | 'webhooks:write'
  | 'payouts:read'
  | 'payouts:pay'
  | 'payouts:settle'
  | 'vendors:read'
  | 'vendors:register'
  | 'vendors:write'
  | 'keys:read'
  | 'keys:write'
  | 'journal:read'
  | 'pages:open';
/**
 * How a key or an invitation stands.
 */
export type KeyState = 'invited' | 'active' | 'rotated' | 'expired' | 'revoked';
/**
 * What was done to a thing. Later versions may add values.
 */
export type JournalKind =
  | 'product.created'
  | 'product.changed'
  | 'coupon.created'
  | 'coupon.changed'
  | 'category.created'
  | 'category.changed'
  | 'category.deleted'
  | 'category.product_added'
  | 'category.product_removed'
  | 'customer.changed'
  | 'customer.banned'
  | 'customer.unbanned'
  | 'credit.changed'
  | 'giftcard.granted'
  | 'giftcard.changed'
  | 'giftcard.disabled'
  | 'giftcard.redeemed'
  | 'sale.refunded'
  | 'payout.paid_by_hand'
  | 'payout.settled'
  | 'vendor.changed'
  | 'vendor.deleted'
  | 'dispenser.changed'
  | 'dispenser.deleted'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'rules.changed'
  | 'store.closed'
  | 'store.opened'
  | 'key.issued'
  | 'key.accepted'
  | 'key.changed'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.ended'
  | 'import.ended';
/**
 * A kind of thing that can be changed. Later versions may add values.
 */
export type JournalSubjectType =
  | 'product'
  | 'coupon'
  | 'category'
  | 'customer'
  | 'giftcard'
  | 'sale'
  | 'payout'
  | 'vendor'
  | 'dispenser'
  | 'webhook'
  | 'rules'
  | 'store'
  | 'key'
  | 'import';
/**
 * The form of the messages to a webhook.
 */
export type WebhookFormat = 'standard' | 'discord';
/**
 * Whether a webhook is sent anything.
 */
export type WebhookState = 'active' | 'disabled';
/**
 * How a message to a webhook stands.
 */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed';
/**
 * A type of event, or a test. Later versions may add values.
 */
export type SentEventType =
  | 'credit.changed'
  | 'giftcard.granted'
  | 'giftcard.purchased'
  | 'giftcard.redeemed'
  | 'giftcard.disabled'
  | 'sale.completed'
  | 'sale.refused'
  | 'sale.refunded'
  | 'delivery.delivered'
  | 'delivery.failed'
  | 'delivery.waiting'
  | 'dispenser.registered'
  | 'dispenser.lost'
  | 'coupon.applied'
  | 'customer.banned'
  | 'customer.unbanned'
  | 'product.sold_out'
  | 'product.changed'
  | 'coupon.changed'
  | 'category.changed'
  | 'category.deleted'
  | 'key.issued'
  | 'key.ended'
  | 'payout.paid'
  | 'payout.failed'
  | 'payout.unknown'
  | 'vendor.registered'
  | 'vendor.lost'
  | 'store.closed'
  | 'store.opened'
  | 'webhook.ping';

/**
 * The requests and responses of every endpoint.
 */
export interface Endpoints {
  /**
   * List the coupons whose commission goes to an avatar
   */
  'GET /v1/coupons/owner/{identifier}': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: CouponListResponse;
  };
  /**
   * List coupons
   */
  'GET /v1/coupons': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only active (true) or inactive (false) coupons.
       */
      active?: boolean;
    };
    answer: CouponListResponse;
  };
  /**
   * Create a coupon
   */
  'POST /v1/coupons': {
    body: CreateCouponRequest;
    answer: CouponResponse;
  };
  /**
   * Read a coupon
   */
  'GET /v1/coupons/{id}': {
    path: {
      /**
       * UUID of the coupon.
       */
      id: string;
    };
    answer: CouponResponse;
  };
  /**
   * Replace a coupon
   */
  'PUT /v1/coupons/{id}': {
    path: {
      /**
       * UUID of the coupon.
       */
      id: string;
    };
    body: UpdateCouponRequest;
    answer: CouponResponse;
  };
  /**
   * Apply a coupon to a customer
   */
  'POST /v1/customers/{identifier}/actions/apply-coupon': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: ApplyCouponRequest;
    answer: AppliedCouponResponse;
  };
  /**
   * Revoke a customer's coupon
   */
  'POST /v1/customers/{identifier}/actions/revoke-coupon': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: RevokeCouponRequest;
    answer: RevokedCouponResponse;
  };
  /**
   * List a customer's applied coupons
   */
  'GET /v1/customers/{identifier}/coupons': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: CustomerCouponListResponse;
  };
  /**
   * List customers
   */
  'GET /v1/customers': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only customers who are (true) or are not (false) subscribed to the news kiosk.
       */
      newsSubscriber?: boolean;
      /**
       * Only customers whose lifetime spend is strictly more than this many L$. Without any recorded spend it counts as 0.
       */
      spentMoreThan?: number;
    };
    answer: CustomerListResponse;
  };
  /**
   * Read a customer
   */
  'GET /v1/customers/{identifier}': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    answer: CustomerResponse;
  };
  /**
   * Update a customer
   */
  'PUT /v1/customers/{identifier}': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: UpdateCustomerRequest;
    answer: CustomerResponse;
  };
  /**
   * Read a customer's store credit
   */
  'GET /v1/customers/{identifier}/credit': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    answer: CustomerCreditResponse;
  };
  /**
   * List a customer's credit lots
   */
  'GET /v1/customers/{identifier}/credit/lots': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only lots of this type of credit.
       */
      type?: CreditType;
      /**
       * Only open lots, or those that ended this way.
       */
      state?: CreditLotState;
    };
    answer: CreditLotListResponse;
  };
  /**
   * List the changes of a customer's credit
   */
  'GET /v1/customers/{identifier}/credit/history': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only changes of this type of credit.
       */
      type?: CreditType;
    };
    answer: CreditChangeListResponse;
  };
  /**
   * Read a customer's spend
   */
  'GET /v1/customers/{identifier}/spend': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    answer: CustomerSpendResponse;
  };
  /**
   * Undo a change of a customer's credit
   */
  'POST /v1/customers/{identifier}/actions/undo-credit-change': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: UndoCreditChangeRequest;
    answer: UndoCreditChangeResponse;
  };
  /**
   * Set a customer's credit
   */
  'POST /v1/customers/{identifier}/actions/set-credit': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: SetCustomerCreditRequest;
    answer: CustomerCreditResponse;
  };
  /**
   * Set a customer's restricted credit
   */
  'POST /v1/customers/{identifier}/actions/set-restricted-credit': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: SetCustomerCreditRequest;
    answer: CustomerCreditResponse;
  };
  /**
   * Add to or take from a customer's credit
   */
  'POST /v1/customers/{identifier}/actions/increment-credit': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: IncrementCustomerCreditRequest;
    answer: CustomerCreditResponse;
  };
  /**
   * Add to or take from a customer's restricted credit
   */
  'POST /v1/customers/{identifier}/actions/increment-restricted-credit': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: IncrementCustomerCreditRequest;
    answer: CustomerCreditResponse;
  };
  /**
   * Ban a customer
   */
  'POST /v1/customers/{identifier}/actions/ban': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body?: BanCustomerRequest;
    answer: CustomerBanStateResponse;
  };
  /**
   * Lift the ban of a customer
   */
  'POST /v1/customers/{identifier}/actions/unban': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    answer: CustomerBanStateResponse;
  };
  /**
   * Find customers by the beginning of a name
   */
  'GET /v1/names': {
    query: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * The beginning of a name as somebody types it, from two characters on: `ver`, `Vera V` and `vera.v` find `vera.vendor`.
       */
      prefix: string;
    };
    answer: CustomerNameListResponse;
  };
  /**
   * Limit a coupon in time and uses
   */
  'PUT /v1/coupons/{id}/limits': {
    path: {
      /**
       * UUID of the coupon.
       */
      id: string;
    };
    body: LimitCouponRequest;
    answer: CouponResponse;
  };
  /**
   * List a customer's gift cards
   */
  'GET /v1/customers/{identifier}/giftcards': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only active (true) or inactive (false) cards.
       */
      active?: boolean;
      /**
       * Only redeemed (true) or unredeemed (false) cards.
       */
      redeemed?: boolean;
    };
    answer: GiftCardListResponse;
  };
  /**
   * Read a gift card
   */
  'GET /v1/giftcards/{id}': {
    path: {
      /**
       * UUID of the gift card.
       */
      id: string;
    };
    answer: GiftCardResponse;
  };
  /**
   * Replace a gift card
   */
  'PUT /v1/giftcards/{id}': {
    path: {
      /**
       * UUID of the gift card.
       */
      id: string;
    };
    body: UpdateGiftCardRequest;
    answer: GiftCardResponse;
  };
  /**
   * Disable a gift card
   */
  'POST /v1/giftcards/{id}/actions/disable': {
    path: {
      /**
       * UUID of the gift card.
       */
      id: string;
    };
    answer: GiftCardResponse;
  };
  /**
   * Redeem a gift card for credit
   */
  'POST /v1/giftcards/{id}/actions/redeem': {
    path: {
      /**
       * UUID of the gift card.
       */
      id: string;
    };
    body: RedeemGiftCardRequest;
    answer: RedeemedGiftCardResponse;
  };
  /**
   * Grant a gift card to a customer
   */
  'POST /v1/customers/{identifier}/actions/grant-gift-card': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: GrantGiftCardRequest;
    answer: GiftCardResponse;
  };
  /**
   * Redeem a customer's own gift cards for credit
   */
  'POST /v1/customers/{identifier}/giftcards/actions/redeem': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body?: RedeemOwnGiftCardsRequest;
    answer: RedeemedCardsResponse;
  };
  /**
   * List active products
   */
  'GET /v1/products': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * `false`: the inactive products instead. Left out or `true`: the active ones.
       */
      active?: boolean;
      /**
       * Only products whose `listed` is true (or false).
       */
      listed?: boolean;
      /**
       * Only products whose `bloggable` is true (or false).
       */
      bloggable?: boolean;
      /**
       * Only products in the category with this UUID. An unknown one gives an empty list.
       */
      category?: string;
      /**
       * Only products whose name or description contains this text: in any case, literally (`%` and `_` are no wildcards). At most 100 characters. Empty or blank: no filter.
       */
      search?: string;
    };
    answer: ProductListResponse;
  };
  /**
   * Create a product
   */
  'POST /v1/products': {
    body: ProductUpsertRequest;
    answer: ProductResponse;
  };
  /**
   * Read a product
   */
  'GET /v1/products/{id}': {
    path: {
      /**
       * UUID of the product.
       */
      id: string;
    };
    answer: ProductResponse;
  };
  /**
   * Replace a product
   */
  'PUT /v1/products/{id}': {
    path: {
      /**
       * UUID of the product.
       */
      id: string;
    };
    body: ProductUpsertRequest;
    answer: ProductResponse;
  };
  /**
   * Queue a product for delivery to a resident
   */
  'POST /v1/products/{id}/actions/deliver': {
    path: {
      /**
       * UUID of the product.
       */
      id: string;
    };
    body: DeliverProductRequest;
    answer: ProductDeliveryResponse;
  };
  /**
   * List the products that a customer owns
   */
  'GET /v1/customers/{identifier}/products': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: OwnedProductListResponse;
  };
  /**
   * Deliver a product again to a customer who owns it
   */
  'POST /v1/customers/{identifier}/products/{productId}/actions/redeliver': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
      /**
       * UUID of the product.
       */
      productId: string;
    };
    body?: RedeliverProductRequest;
    answer: ProductDeliveryResponse;
  };
  /**
   * List categories
   */
  'GET /v1/categories': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: CategoryListResponse;
  };
  /**
   * Create a category
   */
  'POST /v1/categories': {
    body: CreateCategoryRequest;
    answer: CategoryResponse;
  };
  /**
   * Read a category
   */
  'GET /v1/categories/{id}': {
    path: {
      /**
       * UUID of the category.
       */
      id: string;
    };
    answer: CategoryResponse;
  };
  /**
   * Rename a category
   */
  'PUT /v1/categories/{id}': {
    path: {
      /**
       * UUID of the category.
       */
      id: string;
    };
    body: UpdateCategoryRequest;
    answer: CategoryResponse;
  };
  /**
   * Delete a category
   */
  'DELETE /v1/categories/{id}': {
    path: {
      /**
       * UUID of the category.
       */
      id: string;
    };
  };
  /**
   * Add a product to a category
   */
  'POST /v1/categories/{id}/products/{productId}': {
    path: {
      /**
       * UUID of the category.
       */
      id: string;
      /**
       * UUID of the product.
       */
      productId: string;
    };
  };
  /**
   * Remove a product from a category
   */
  'DELETE /v1/categories/{id}/products/{productId}': {
    path: {
      /**
       * UUID of the category.
       */
      id: string;
      /**
       * UUID of the product.
       */
      productId: string;
    };
  };
  /**
   * Read the store and the key of the request
   */
  'GET /v1/store': {
    answer: StoreResponse;
  };
  /**
   * End the key of the request
   */
  'POST /v1/store/key/actions/end': object;
  /**
   * Read a store's days
   */
  'GET /v1/store/days': {
    query?: {
      /**
       * The first day. By default 29 days before the last.
       */
      from?: string;
      /**
       * The last day: the first one, or up to 365 days after it. By default today.
       */
      to?: string;
      /**
       * Only the sales of the vendor with this UUID.
       */
      vendor?: string;
    };
    answer: DaysResponse;
  };
  /**
   * Close the store
   */
  'POST /v1/store/actions/close': {
    body?: StoreStateRequest;
    answer: StoreResponse;
  };
  /**
   * Open the store
   */
  'POST /v1/store/actions/open': {
    body?: StoreStateRequest;
    answer: StoreResponse;
  };
  /**
   * Quote the price of a sale
   */
  'POST /v1/quotes': {
    body: CreateQuoteRequest;
    answer: QuoteResponse;
  };
  /**
   * Sell a product
   */
  'POST /v1/sales': {
    body: CreateSaleRequest;
    answer: SaleResponse;
  };
  /**
   * List sales
   */
  'GET /v1/sales': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only sales to this buyer, by username or UUID. An unknown one gives an empty list.
       */
      buyer?: string;
      /**
       * Only sales of the product with this UUID.
       */
      product?: string;
      /**
       * Only sales in this state.
       */
      state?: SaleState;
      /**
       * Only sales made at this time or later: an ISO 8601 date-time with an offset.
       */
      from?: string;
      /**
       * Only sales made before this time. Not before `from`.
       */
      to?: string;
    };
    answer: SaleListResponse;
  };
  /**
   * Report that the change of a sale was paid
   */
  'POST /v1/sales/{id}/actions/change-paid': {
    path: {
      /**
       * UUID of the sale.
       */
      id: string;
    };
    body: ReportChangeRequest;
    answer: SaleResponse;
  };
  /**
   * Refund a sale
   */
  'POST /v1/sales/{id}/actions/refund': {
    path: {
      /**
       * UUID of the sale.
       */
      id: string;
    };
    body?: RefundSaleRequest;
    answer: SaleResponse;
  };
  /**
   * Read a sale
   */
  'GET /v1/sales/{id}': {
    path: {
      /**
       * UUID of the sale.
       */
      id: string;
    };
    answer: SaleResponse;
  };
  /**
   * List payees
   */
  'GET /v1/payees': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * `true`: only avatars who are owed 1 or more. Left out or `false`: all who were ever owed or paid.
       */
      owed?: boolean;
    };
    answer: PayeeListResponse;
  };
  /**
   * List payouts
   */
  'GET /v1/payouts': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only payouts in this state.
       */
      state?: PayoutState;
      /**
       * Only payouts to this avatar, by username or UUID. An unknown one gives an empty list.
       */
      payee?: string;
    };
    answer: PayoutListResponse;
  };
  /**
   * Read a payout
   */
  'GET /v1/payouts/{id}': {
    path: {
      /**
       * UUID of the payout.
       */
      id: string;
    };
    answer: PayoutResponse;
  };
  /**
   * Claim the next payout
   */
  'POST /v1/payouts/actions/claim': {
    body?: ClaimPayoutRequest;
    answer: ClaimPayoutResponse;
  };
  /**
   * Report how a payout ended
   */
  'POST /v1/payouts/{id}/actions/report': {
    path: {
      /**
       * UUID of the payout.
       */
      id: string;
    };
    body: ReportPayoutRequest;
    answer: PayoutResponse;
  };
  /**
   * Settle a payout
   */
  'POST /v1/payouts/{id}/actions/settle': {
    path: {
      /**
       * UUID of the payout.
       */
      id: string;
    };
    body: SettlePayoutRequest;
    answer: PayoutResponse;
  };
  /**
   * Note a payment by hand
   */
  'POST /v1/payees/{identifier}/actions/pay': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    body: PayPayeeRequest;
    answer: PayoutResponse;
  };
  /**
   * Register a vendor
   */
  'PUT /v1/vendors/{uuid}': {
    path: {
      /**
       * UUID of the vendor.
       */
      uuid: string;
    };
    body: RegisterVendorRequest;
    answer: VendorResponse;
  };
  /**
   * Read a vendor
   */
  'GET /v1/vendors/{uuid}': {
    path: {
      /**
       * UUID of the vendor.
       */
      uuid: string;
    };
    answer: VendorResponse;
  };
  /**
   * Delete a vendor
   */
  'DELETE /v1/vendors/{uuid}': {
    path: {
      /**
       * UUID of the vendor.
       */
      uuid: string;
    };
  };
  /**
   * List vendors
   */
  'GET /v1/vendors': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only vendors that sell the product with this UUID.
       */
      product?: string;
      /**
       * Only vendors in this state.
       */
      state?: VendorState;
    };
    answer: VendorListResponse;
  };
  /**
   * Set the product that a vendor sells
   */
  'PUT /v1/vendors/{uuid}/product': {
    path: {
      /**
       * UUID of the vendor.
       */
      uuid: string;
    };
    body: SetVendorProductRequest;
    answer: VendorResponse;
  };
  /**
   * List deliveries
   */
  'GET /v1/deliveries': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only deliveries in this state.
       */
      state?: DeliveryState;
      /**
       * Only deliveries to this avatar, by username or UUID. An unknown one gives an empty list.
       */
      recipient?: string;
    };
    answer: DeliveryListResponse;
  };
  /**
   * Read a delivery
   */
  'GET /v1/deliveries/{id}': {
    path: {
      /**
       * UUID of the delivery.
       */
      id: string;
    };
    answer: DeliveryResponse;
  };
  /**
   * Try a delivery again
   */
  'POST /v1/deliveries/{id}/actions/retry': {
    path: {
      /**
       * UUID of the delivery.
       */
      id: string;
    };
    answer: DeliveryResponse;
  };
  /**
   * Register the address of the store's inworld dispenser
   */
  'PUT /v1/dispenser': {
    body: RegisterDispenserRequest;
    answer: DispenserSecretResponse;
  };
  /**
   * List the store's inworld dispensers
   */
  'GET /v1/dispensers': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: DispenserListResponse;
  };
  /**
   * Tell the name of an avatar
   */
  'PUT /v1/residents/{uuid}': {
    path: {
      /**
       * UUID of the avatar.
       */
      uuid: string;
    };
    body: UpdateResidentRequest;
    answer: ResidentResponse;
  };
  /**
   * List events
   */
  'GET /v1/events': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only events of this type, which the key must be allowed to read.
       */
      type?: EventType;
      /**
       * Begins behind the event with this id, which the store must still have. Not beside a cursor.
       */
      after?: string;
    };
    answer: EventListResponse;
  };
  /**
   * List changes, with who made them
   */
  'GET /v1/journal': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only rows of this kind, which the key must be allowed to read.
       */
      kind?:
        | 'product.created'
        | 'product.changed'
        | 'coupon.created'
        | 'coupon.changed'
        | 'category.created'
        | 'category.changed'
        | 'category.deleted'
        | 'category.product_added'
        | 'category.product_removed'
        | 'customer.changed'
        | 'customer.banned'
        | 'customer.unbanned'
        | 'credit.changed'
        | 'giftcard.granted'
        | 'giftcard.changed'
        | 'giftcard.disabled'
        | 'giftcard.redeemed'
        | 'sale.refunded'
        | 'payout.paid_by_hand'
        | 'payout.settled'
        | 'vendor.changed'
        | 'vendor.deleted'
        | 'dispenser.changed'
        | 'dispenser.deleted'
        | 'webhook.created'
        | 'webhook.changed'
        | 'webhook.rotated'
        | 'webhook.deleted'
        | 'rules.changed'
        | 'store.closed'
        | 'store.opened'
        | 'key.issued'
        | 'key.accepted'
        | 'key.changed'
        | 'key.rotated'
        | 'key.revoked'
        | 'key.ended'
        | 'import.ended';
      /**
       * Only changes of the thing with this id. A UUID may be in any case.
       */
      subject?: string;
      /**
       * Only changes that the key with this id has made.
       */
      key?: string;
      /**
       * Only changes from this time on: an ISO 8601 date-time with an offset.
       */
      from?: string;
      /**
       * Only changes before this time, which is later than `from`.
       */
      to?: string;
    };
    answer: JournalListResponse;
  };
  /**
   * Create a webhook
   */
  'POST /v1/webhooks': {
    body: CreateWebhookRequest;
    answer: WebhookSecretResponse;
  };
  /**
   * List webhooks
   */
  'GET /v1/webhooks': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: WebhookListResponse;
  };
  /**
   * Read a webhook
   */
  'GET /v1/webhooks/{id}': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
    answer: WebhookResponse;
  };
  /**
   * Replace a webhook
   */
  'PUT /v1/webhooks/{id}': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
    body: UpdateWebhookRequest;
    answer: WebhookResponse;
  };
  /**
   * Delete a webhook
   */
  'DELETE /v1/webhooks/{id}': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
  };
  /**
   * Give a webhook another secret
   */
  'POST /v1/webhooks/{id}/actions/rotate-secret': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
    answer: WebhookSecretResponse;
  };
  /**
   * Send a test event to a webhook
   */
  'POST /v1/webhooks/{id}/actions/test': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
    answer: TestedWebhookResponse;
  };
  /**
   * List the deliveries of a webhook
   */
  'GET /v1/webhooks/{id}/deliveries': {
    path: {
      /**
       * UUID of the webhook.
       */
      id: string;
    };
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only deliveries in this state.
       */
      state?: WebhookDeliveryState;
    };
    answer: WebhookDeliveryListResponse;
  };
  /**
   * Issue an API key, or invite a person
   */
  'POST /v1/keys': {
    body: IssueKeyRequest;
    answer: KeySecretResponse;
  };
  /**
   * List the API keys of the store
   */
  'GET /v1/keys': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only keys in this state.
       */
      state?: KeyState;
    };
    answer: KeyListResponse;
  };
  /**
   * Read an API key
   */
  'GET /v1/keys/{keyId}': {
    path: {
      /**
       * Id of the API key.
       */
      keyId: string;
    };
    answer: KeyResponse;
  };
  /**
   * Rename an API key
   */
  'PUT /v1/keys/{keyId}': {
    path: {
      /**
       * Id of the API key.
       */
      keyId: string;
    };
    body: RenameKeyRequest;
    answer: KeyResponse;
  };
  /**
   * Replace an API key by a new one
   */
  'POST /v1/keys/{keyId}/actions/rotate': {
    path: {
      /**
       * Id of the API key.
       */
      keyId: string;
    };
    body?: RotateKeyRequest;
    answer: KeySecretResponse;
  };
  /**
   * Revoke an API key or an invitation
   */
  'POST /v1/keys/{keyId}/actions/revoke': {
    path: {
      /**
       * Id of the API key.
       */
      keyId: string;
    };
    answer: KeyResponse;
  };
  /**
   * Read the invitation whose code asks
   */
  'GET /v1/store/key/invitation': {
    answer: InvitationResponse;
  };
  /**
   * Accept the invitation whose code asks
   */
  'POST /v1/store/key/actions/accept': {
    answer: KeySecretResponse;
  };
  /**
   * Open a customer's page
   */
  'POST /v1/customers/{identifier}/actions/open-page': {
    path: {
      /**
       * The resident, by username or avatar UUID.
       */
      identifier: string;
    };
    answer: OpenPageResponse;
  };
  /**
   * Begin the page whose code asks
   */
  'POST /v1/me/actions/begin': {
    answer: BeginPageResponse;
  };
  /**
   * Read what the store holds for the customer
   */
  'GET /v1/me': {
    answer: MeResponse;
  };
  /**
   * Switch the own subscription to news
   */
  'PUT /v1/me': {
    body: UpdateMeRequest;
    answer: MeResponse;
  };
  /**
   * List the customer's own credit that ends
   */
  'GET /v1/me/credit/lots': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only lots of this type of credit.
       */
      type?: CreditType;
    };
    answer: OwnLotListResponse;
  };
  /**
   * List the changes of the customer's own credit
   */
  'GET /v1/me/credit/history': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
      /**
       * Only changes of this type of credit.
       */
      type?: CreditType;
    };
    answer: OwnChangeListResponse;
  };
  /**
   * List what the customer has bought
   */
  'GET /v1/me/products': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: OwnProductListResponse;
  };
  /**
   * List the own gift cards that can be redeemed
   */
  'GET /v1/me/giftcards': {
    query?: {
      /**
       * The most rows to answer, from 1 to 1000. A script inworld should ask for few.
       */
      limit?: number;
      /**
       * Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.
       */
      cursor?: string;
    };
    answer: OwnCardListResponse;
  };
  /**
   * Have an own product sent again
   */
  'POST /v1/me/products/{productId}/actions/redeliver': {
    path: {
      /**
       * UUID of the product.
       */
      productId: string;
    };
    answer: RedeliverOwnResponse;
  };
  /**
   * Redeem own gift cards for own credit
   */
  'POST /v1/me/giftcards/actions/redeem': {
    body?: RedeemOwnCardRequest;
    answer: RedeemedCardsResponse;
  };
  /**
   * End the page whose token asks
   */
  'POST /v1/me/actions/end': object;
  /**
   * Read the rules of the store
   */
  'GET /v1/store/rules': {
    answer: StoreRulesResponse;
  };
  /**
   * Replace the rules of the store
   */
  'PUT /v1/store/rules': {
    body: UpdateStoreRulesRequest;
    answer: StoreRulesResponse;
  };
  /**
   * Read the gift card that a product sells
   */
  'GET /v1/products/{id}/giftcard': {
    path: {
      /**
       * UUID of the product.
       */
      id: string;
    };
    answer: ProductGiftCardResponse;
  };
  /**
   * Have a product sell gift cards
   */
  'PUT /v1/products/{id}/giftcard': {
    path: {
      /**
       * UUID of the product.
       */
      id: string;
    };
    body: UpdateProductGiftCardRequest;
    answer: ProductGiftCardResponse;
  };
}
/**
 * One page of a list: coupons.
 */
export interface CouponListResponse {
  /**
   * Coupons, at most `limit`.
   */
  data: CouponResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A coupon.
 */
export interface CouponResponse {
  /**
   * UUID of the coupon, in lower case.
   */
  id: string;
  /**
   * The code, as it was written when the coupon was created or replaced.
   */
  code: string;
  /**
   * True if the coupon can be applied.
   */
  active: boolean;
  /**
   * A flag for the store’s blogger tools. The service keeps it and does nothing else with it.
   */
  bloggersSync: boolean;
  /**
   * UUID of the owner: the avatar who receives the commission, not the customer who gets the discount. Fixed at creation.
   */
  couponOwnerUuid: string;
  /**
   * Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  couponOwnerUsername: string;
  /**
   * The discount, in percent of the price.
   */
  discount: number;
  /**
   * The owner's commission, in percent of the price.
   */
  ownerProfit: number;
  /**
   * How often one customer may use the coupon. `0`: without limit.
   */
  usesPerCustomer: number;
  /**
   * The coupon can be applied before this time. A coupon does not expire until it is given a last day: `9999-12-31T23:59:59.999Z`.
   */
  expiration: string;
}
/**
 * Where a page stands in its list.
 */
export interface Pagination {
  /**
   * Send it as `cursor` for the next page. Null: this is the last page.
   */
  nextCursor: string | null;
  /**
   * Send it as `cursor` for the page before. Null: this is the first page.
   */
  previousCursor: string | null;
  /**
   * The most rows a page has, as asked for.
   */
  limit: number;
}
/**
 * The body that is sent to create a coupon.
 */
export interface CreateCouponRequest {
  /**
   * The code a customer types. At most 64 characters, unique in the store, compared without case, answered as written. Surrounding blanks are trimmed. A code that is taken is refused with 400.
   */
  code: string;
  /**
   * The discount, in percent of the price.
   */
  discount?: number;
  /**
   * The owner's commission, in percent of the price.
   */
  ownerProfit?: number;
  /**
   * True if the coupon can be applied.
   */
  active?: boolean;
  /**
   * A flag for the store’s blogger tools. The service keeps it and does nothing else with it.
   */
  bloggersSync?: boolean;
  /**
   * The avatar who receives the commission, by username or UUID. Cannot be changed later.
   */
  ownerIdentifier: string;
}
/**
 * The body that is sent to replace a coupon.
 */
export interface UpdateCouponRequest {
  /**
   * The code a customer types. At most 64 characters, unique in the store, compared without case, answered as written. Surrounding blanks are trimmed. A code that is taken is refused with 400.
   */
  code: string;
  /**
   * The discount, in percent of the price.
   */
  discount?: number;
  /**
   * The owner's commission, in percent of the price.
   */
  ownerProfit?: number;
  /**
   * True if the coupon can be applied.
   */
  active?: boolean;
  /**
   * A flag for the store’s blogger tools. The service keeps it and does nothing else with it.
   */
  bloggersSync?: boolean;
}
/**
 * The body that is sent to apply a coupon to a customer.
 */
export interface ApplyCouponRequest {
  /**
   * The coupon, by its code (at most 64 characters, case is ignored). Send exactly one of `code`, `couponOwnerUuid` and `couponId`.
   */
  code?: string;
  /**
   * The coupon, by the avatar who owns it: the newest usable (active, not expired) coupon of that owner. Not the nil UUID.
   */
  couponOwnerUuid?: string;
  /**
   * The coupon, by its id.
   */
  couponId?: string;
  /**
   * `0`: the whole store. `1`: a single product.
   */
  scope: 0 | 1;
  /**
   * The product. Required with `scope` 1; must be left out with `scope` 0.
   */
  productId?: string;
  /**
   * Hours until the application lapses.
   */
  expiresInHours?: number;
}
/**
 * A coupon that was applied to a customer, and until when it counts.
 */
export interface AppliedCouponResponse {
  /**
   * UUID of the coupon, in lower case.
   */
  couponId: string;
  /**
   * Code of the coupon, as it was written.
   */
  code: string;
  /**
   * The discount, in percent of the price.
   */
  discount: number;
  /**
   * The scope of the discount. The request sends an integer: `0` is answered `store`, `1` is answered `product`.
   */
  scope: CouponScope;
  /**
   * UUID of the product. Only with scope `product`.
   */
  productId?: string;
  /**
   * UUID of the customer, in lower case.
   */
  customerUuid: string;
  /**
   * Current username of the customer, in canonical form.
   */
  customerUsername: string;
  /**
   * When the application lapses: the time of the request plus `expiresInHours`.
   */
  expiresAt: string;
  /**
   * True if this replaced an application still in force for the same customer and scope.
   */
  replaced: boolean;
}
/**
 * The body that is sent to revoke a customer's coupon.
 */
export interface RevokeCouponRequest {
  /**
   * The coupon, by its code (at most 64 characters, case is ignored). Send exactly one of `code`, `couponOwnerUuid` and `couponId`.
   */
  code?: string;
  /**
   * The avatar who owns the coupon: the application of any coupon of that owner is removed. Not the nil UUID.
   */
  couponOwnerUuid?: string;
  /**
   * The coupon, by its id.
   */
  couponId?: string;
  /**
   * `0`: the whole store. `1`: a single product.
   */
  scope: 0 | 1;
  /**
   * The product. Required with `scope` 1; must be left out with `scope` 0.
   */
  productId?: string;
}
/**
 * Whether a coupon was revoked.
 */
export interface RevokedCouponResponse {
  /**
   * True if there was such an application. It is gone in either case.
   */
  revoked: boolean;
}
/**
 * One page of a list: applied coupons.
 */
export interface CustomerCouponListResponse {
  /**
   * Applied coupons, at most `limit`.
   */
  data: CustomerCouponResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A coupon that counts for a customer now, and where.
 */
export interface CustomerCouponResponse {
  /**
   * UUID of the coupon, in lower case.
   */
  couponId: string;
  /**
   * Code of the coupon, as it was written.
   */
  code: string;
  /**
   * The discount, in percent of the price.
   */
  discount: number;
  /**
   * The scope of the discount. The request sends an integer: `0` is answered `store`, `1` is answered `product`.
   */
  scope: CouponScope;
  /**
   * UUID of the product. Only with scope `product`.
   */
  productId?: string;
  /**
   * UUID of the customer, in lower case.
   */
  customerUuid: string;
  /**
   * Current username of the customer, in canonical form.
   */
  customerUsername: string;
  /**
   * When the application lapses: the time of the request plus `expiresInHours`.
   */
  expiresAt: string;
}
/**
 * One page of a list: customers.
 */
export interface CustomerListResponse {
  /**
   * Customers, at most `limit`.
   */
  data: CustomerResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A customer as the store knows them.
 */
export interface CustomerResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * Regular store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  credit: number;
  /**
   * Restricted store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  restrictedCredit: number;
  /**
   * Discount of this customer, in whole percent.
   */
  discount: number;
  /**
   * True if the customer is subscribed to the news kiosk.
   */
  newsSubscriber: boolean;
  /**
   * True while the store bans the customer. A ban blocks no call of this API.
   */
  isBanned: boolean;
}
/**
 * The body that is sent to update a customer.
 */
export interface UpdateCustomerRequest {
  /**
   * Discount of this customer, in whole percent. Left out: stays as it is.
   */
  discount?: number;
  /**
   * Subscription to the news kiosk. Left out: stays as it is.
   */
  newsSubscriber?: boolean;
}
/**
 * The balances of a customer.
 */
export interface CustomerCreditResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * Regular store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  credit: number;
  /**
   * Restricted store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  restrictedCredit: number;
}
/**
 * One page of a list: credit lots.
 */
export interface CreditLotListResponse {
  /**
   * Credit lots, at most `limit`.
   */
  data: CreditLotResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * Credit of a customer that has an end of its own.
 */
export interface CreditLotResponse {
  /**
   * UUID of the lot, in lower case.
   */
  id: string;
  /**
   * The type of credit.
   */
  type: CreditType;
  /**
   * L$ that were added.
   */
  amount: number;
  /**
   * L$ that are left; for a lot that has ended, L$ that were left then.
   */
  remaining: number;
  /**
   * `open`, or how it ended. A lot that has come due is `open` until the sweep or a change closes it.
   */
  state: CreditLotState;
  /**
   * When it was added.
   */
  createdAt: string;
  /**
   * When it expires.
   */
  expiresAt: string;
  /**
   * When it ended. Null: it is open.
   */
  endedAt: string | null;
}
/**
 * One page of a list: changes of credit.
 */
export interface CreditChangeListResponse {
  /**
   * Changes of credit, at most `limit`.
   */
  data: CreditChangeResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A change in the history of a customer’s credit.
 */
export interface CreditChangeResponse {
  /**
   * The number of the change among those of the customer's credit, from 1 on.
   */
  sequence: number;
  /**
   * When it was made.
   */
  at: string;
  /**
   * The type of credit that changed. The other balance stayed as it was.
   */
  type: CreditType;
  /**
   * The kind of change. `bonus`: a sale gave it, or its refund took back what was left. `undo`: it took back what was left of an earlier change, and gave back what that had taken. `opening`: the balance when history began. `unrecorded`: history had failed for more than a day, and the balances alone are known.
   */
  kind: CreditChangeKind;
  /**
   * L$ by which the change itself raised the balance of the type; negative where it lowered it.
   */
  amount: number;
  /**
   * L$ that came due in the same change, and left the balance beside `amount`. 0 or more.
   */
  expired: number;
  /**
   * The regular balance after it.
   */
  credit: number;
  /**
   * The restricted balance after it.
   */
  restrictedCredit: number;
  /**
   * The parts that lots and permanent credit have in it: they come to `amount` less `expired`.
   */
  lots: CreditLotPart[];
  /**
   * The `reason` of the request. Null: none.
   */
  reason: string | null;
  /**
   * The `reference` of the request. Null: none.
   */
  reference: string | null;
  /**
   * The sale that it belongs to. Null: none.
   */
  saleId: string | null;
  /**
   * The gift card that was redeemed. Null: none.
   */
  giftCardId: string | null;
  /**
   * The `X-Request-Id` of the request that made it. Null: none.
   */
  requestId: string | null;
  /**
   * The id of the API key that made it. Null: none.
   */
  keyId: string | null;
  /**
   * Of an undo the `sequence` of the change that it undid. Null: it is none.
   */
  undoes: number | null;
  /**
   * The undo of this change. Null: it was not undone.
   */
  undone: CreditUndo | null;
}
/**
 * The part of a lot, or of permanent credit, in a change.
 */
export interface CreditLotPart {
  /**
   * UUID of the lot, in lower case. Null: permanent credit, or the lots of a change beyond the first 200 together.
   */
  id: string | null;
  /**
   * L$ that were added; negative for those that were taken, expired or were superseded.
   */
  amount: number;
  /**
   * When the lot expires, or the last of several. Null: permanent credit.
   */
  expiresAt: string | null;
}
/**
 * How a change of credit was undone.
 */
export interface CreditUndo {
  /**
   * When it was undone.
   */
  at: string;
  /**
   * The `sequence` of the undo. Null: nothing was left to be undone, so nothing changed.
   */
  sequence: number | null;
  /**
   * L$ by which the undo raised the balance; negative where it took credit back.
   */
  amount: number;
}
/**
 * How much a customer has spent, and how much they own.
 */
export interface CustomerSpendResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * Lifetime spend in L$.
   */
  sum: number;
  /**
   * Spend of the 365 UTC days that end today, in L$.
   */
  lastYearSum: number;
  /**
   * Number of distinct products owned.
   */
  totalOwned: number;
}
/**
 * The body that is sent to undo a change of a customer's credit.
 */
export interface UndoCreditChangeRequest {
  /**
   * The number of the change to be undone: a `set` or an `increment`. Each change answers it in the header `Credit-Sequence`, and history lists it.
   */
  sequence: number;
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The balances after an undo, and what it gave back or took.
 */
export interface UndoCreditChangeResponse {
  /**
   * The number of the undo's own change. Null: nothing was left to be undone, so nothing changed.
   */
  sequence: number | null;
  /**
   * L$ by which the undo raised the balance; negative where it took credit back.
   */
  amount: number;
  /**
   * L$ that could not be undone: spent, expired, or ended by a later set. 0 or more.
   */
  left: number;
  /**
   * The credit as it is now.
   */
  credit: CustomerCreditResponse;
}
/**
 * The body that is sent to set a customer's credit, or to set a customer's restricted credit.
 */
export interface SetCustomerCreditRequest {
  /**
   * The new balance in L$, at most the credit limit of the deployment (1,000,000,000 unless set otherwise).
   */
  credit: number;
  /**
   * When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.
   */
  expiresAt?: string;
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The body that is sent to add to or take from a customer's credit, or to add to or take from a customer's restricted credit.
 */
export interface IncrementCustomerCreditRequest {
  /**
   * L$ to add, or to remove where negative. Not 0. The balance may not pass the credit limit (1,000,000,000 unless set otherwise), nor fall below 0.
   */
  delta: number;
  /**
   * When the added credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires. Not with a negative `delta`.
   */
  expiresAt?: string;
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The body that is sent to ban a customer.
 */
export interface BanCustomerRequest {
  /**
   * Why, for the store’s own records: at most 1,000 characters. A second ban with a reason replaces it, one without keeps it; lifting the ban deletes it.
   */
  reason?: string;
}
/**
 * Whether a customer is banned.
 */
export interface CustomerBanStateResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * True if the store bans the customer after this request.
   */
  isBanned: boolean;
}
/**
 * One page of a list: names of customers, former ones too, by name.
 */
export interface CustomerNameListResponse {
  /**
   * Names of customers, former ones too, by name, at most `limit`.
   */
  data: CustomerNameResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A present or former name of a customer.
 */
export interface CustomerNameResponse {
  /**
   * The name that was found, a present or a former one.
   */
  name: string;
  /**
   * UUID of the avatar, in lower case.
   */
  residentUuid: string;
  /**
   * Current username of the avatar, in canonical form.
   */
  username: string;
}
/**
 * The body that is sent to limit a coupon in time and uses.
 */
export interface LimitCouponRequest {
  /**
   * The coupon can be applied before this time: an ISO 8601 date-time with an offset. Null: for ever.
   */
  expiration: string | null;
  /**
   * How often one customer may use the coupon. `0`: without limit.
   */
  usesPerCustomer: number;
}
/**
 * One page of a list: gift cards.
 */
export interface GiftCardListResponse {
  /**
   * Gift cards, at most `limit`.
   */
  data: GiftCardResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A gift card.
 */
export interface GiftCardResponse {
  /**
   * UUID of the gift card, in lower case.
   */
  id: string;
  /**
   * UUID of the owner, in lower case.
   */
  ownerUuid: string;
  /**
   * Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  ownerUsername: string;
  /**
   * Balance of the card in L$.
   */
  credit: number;
  /**
   * True while the card can be used.
   */
  active: boolean;
  /**
   * True once the card was redeemed. Redeeming sets it, and no PUT.
   */
  redeemed: boolean;
  /**
   * True if the owner may give the card away.
   */
  transfer: boolean;
  /**
   * UUID of the texture that the card shows inworld; null: none.
   */
  texture: string | null;
  /**
   * True if the card was bought. A granted card was not.
   */
  purchased: boolean;
}
/**
 * The body that is sent to replace a gift card.
 */
export interface UpdateGiftCardRequest {
  /**
   * The new balance of the card in L$. Left out: **0**.
   */
  credit?: number;
  /**
   * UUID of the texture that the card shows inworld. Left out or null: none.
   */
  texture?: string | null;
  /**
   * True if the owner may give the card away. Left out: false.
   */
  transfer?: boolean;
  /**
   * True if the card can be used. Left out: **true**, also where the card was disabled.
   */
  active?: boolean;
}
/**
 * The body that is sent to redeem a gift card for credit.
 */
export interface RedeemGiftCardRequest {
  /**
   * The resident who gets the credit, by username or avatar UUID: the owner, or anybody where the card has `transfer`.
   */
  identifier: string;
  /**
   * When this credit expires: an ISO 8601 date-time with an offset, in the future. Left out: it never expires.
   */
  expiresAt?: string;
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * A gift card that was redeemed, and the balances after it.
 */
export interface RedeemedGiftCardResponse {
  /**
   * The card: redeemed, with nothing left on it.
   */
  giftCard: GiftCardResponse;
  /**
   * Both balances of the resident after it.
   */
  credit: CustomerCreditResponse;
}
/**
 * The body that is sent to grant a gift card to a customer.
 */
export interface GrantGiftCardRequest {
  /**
   * Balance of the card in L$.
   */
  credit: number;
  /**
   * UUID of the texture that the card shows inworld. Left out or null: none.
   */
  texture?: string | null;
  /**
   * True if the owner may give the card away.
   */
  transfer?: boolean;
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The body that is sent to redeem a customer's own gift cards for credit.
 */
export interface RedeemOwnGiftCardsRequest {
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The gift cards that were redeemed together.
 */
export interface RedeemedCardsResponse {
  /**
   * The number of cards that were redeemed: at most 20.
   */
  cards: number;
  /**
   * L$ of credit that came of them.
   */
  amount: number;
  /**
   * Both balances of the customer after it.
   */
  credit: CustomerCreditResponse;
  /**
   * True if the customer has more cards that can be redeemed.
   */
  more: boolean;
}
/**
 * One page of a list: active products.
 */
export interface ProductListResponse {
  /**
   * Active products, at most `limit`.
   */
  data: ProductResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A product.
 */
export interface ProductResponse {
  /**
   * UUID of the product, in lower case.
   */
  id: string;
  /**
   * Name of the product.
   */
  name: string;
  /**
   * Price in L$, without the discount.
   */
  price: number;
  /**
   * Price in L$ now: with the discount, where one runs. Percentages round half up.
   */
  activePrice: number;
  /**
   * UUID of the picture’s texture; the nil UUID: none.
   */
  image: string;
  /**
   * True if bloggers may have the product.
   */
  bloggable: boolean;
  /**
   * True while the product is sold. An inactive one is not listed and not delivered.
   */
  active: boolean;
  /**
   * True if store credit cannot pay for the product.
   */
  blockCredits: boolean;
  /**
   * Name of the item in the dispenser’s contents that is given.
   */
  item: string;
  /**
   * True if only `availableAmount` copies are sold.
   */
  limited: boolean;
  /**
   * Copies still to be sold, where `limited` is true.
   */
  availableAmount: number;
  /**
   * The rights of the item’s next owner. A declaration: the item inworld decides.
   */
  permissions: ProductPermissions;
  /**
   * The discount of the product. None: value 0, type 0, dates null.
   */
  discount: ProductDiscount;
  /**
   * Text for a shop page; may have several lines.
   */
  description: string;
  /**
   * UUID of the product that is the demo of this one; null: none.
   */
  demoId: string | null;
  /**
   * Number of its listing on the outside marketplace; `0`: none. Only imports set it.
   */
  mpListing: number;
  /**
   * The residents who get a part of each sale. The rest goes to the store.
   */
  profitShares: ProfitShare[];
}
/**
 * The permissions that the next owner of an item has.
 */
export interface ProductPermissions {
  /**
   * The next owner may copy the item.
   */
  copy: boolean;
  /**
   * The next owner may modify the item.
   */
  modify: boolean;
  /**
   * The next owner may give the item away.
   */
  transfer: boolean;
}
/**
 * The discount of a product.
 */
export interface ProductDiscount {
  /**
   * Type 0: percent. Types 1 and 2: L$.
   */
  value: number;
  /**
   * DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.
   */
  type: DiscountType;
  /**
   * When the discount begins; null: it has begun.
   */
  startDate: string | null;
  /**
   * When the discount ends: it runs before this time; null: it has no end.
   */
  endDate: string | null;
}
/**
 * The share that an avatar has in each sale of a product.
 */
export interface ProfitShare {
  /**
   * UUID of the avatar, in lower case.
   */
  userUuid: string;
  /**
   * Part of the sale, in percent.
   */
  percent: number;
}
/**
 * The body that is sent to create a product, or to replace a product.
 */
export interface ProductUpsertRequest {
  /**
   * Name of the product: at most 255 characters. Surrounding blanks are trimmed.
   */
  name: string;
  /**
   * Price in L$, without the discount.
   */
  price: number;
  /**
   * UUID of the picture’s texture; the nil UUID: none.
   */
  image?: string;
  /**
   * True if the store shows the product. A filter of the list; not returned.
   */
  listed?: boolean;
  /**
   * True if bloggers may have the product.
   */
  bloggable?: boolean;
  /**
   * The rights of the item’s next owner. Left out: copy only.
   */
  permissions?: ProductPermissionsRequest;
  /**
   * The discount of the product. Left out: none.
   */
  discount?: ProductDiscountRequest;
  /**
   * Copies to be sold, where `limited` is true.
   */
  availableAmount?: number;
  /**
   * True if only `availableAmount` copies are sold.
   */
  limited?: boolean;
  /**
   * Name of the item in the dispenser’s contents: 1 to 63 printable ASCII characters without `|`. Left out: the product’s `name`, which then has to be such a name.
   */
  item?: string;
  /**
   * True if store credit cannot pay for the product.
   */
  blockCredits?: boolean;
  /**
   * Text for a shop page: at most 4,096 characters; tabs and line ends are allowed.
   */
  description?: string;
  /**
   * The residents who get a part of each sale: one row per user, at most 100 rows and 100 percent together. Left out: nobody.
   *
   * @maxItems 100
   */
  profitShares?: ProfitShareRequest[];
  /**
   * UUID of another product of the store that is the demo of this one. Left out or null: none.
   */
  demoId?: string | null;
  /**
   * True while the product is sold. An inactive one is not listed and not delivered.
   */
  active?: boolean;
}
/**
 * The permissions that the next owner of an item is to have.
 */
export interface ProductPermissionsRequest {
  /**
   * The next owner may copy the item.
   */
  copy?: boolean;
  /**
   * The next owner may modify the item.
   */
  modify?: boolean;
  /**
   * The next owner may give the item away.
   */
  transfer?: boolean;
}
/**
 * The discount that a product is to have.
 */
export interface ProductDiscountRequest {
  /**
   * Type 0: percent, from 0 to 100. Types 1 and 2: a whole number of L$.
   */
  value?: number;
  /**
   * DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.
   */
  type?: DiscountType;
  /**
   * When the discount begins: an ISO 8601 date-time with an offset. Left out or null: at once.
   */
  startDate?: string | null;
  /**
   * When the discount ends. Left out or null: never. Must be later than `startDate`.
   */
  endDate?: string | null;
}
/**
 * The share that an avatar is to have in each sale of a product.
 */
export interface ProfitShareRequest {
  /**
   * The user, by name. `username` or `userUuid` must be there; both, if they are the same resident.
   */
  username?: string;
  /**
   * The user, by avatar UUID.
   */
  userUuid?: string;
  /**
   * Part of the sale, in percent: over 0.
   */
  percent: number;
}
/**
 * The body that is sent to queue a product for delivery to a resident.
 */
export interface DeliverProductRequest {
  /**
   * The avatar who gets the item, by username or UUID.
   */
  recipientIdentifier: string;
  /**
   * A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.
   */
  message?: string;
}
/**
 * A delivery that was ordered.
 */
export interface ProductDeliveryResponse {
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * UUID of the recipient, in lower case.
   */
  recipientUuid: string;
  /**
   * Current username of the recipient, in canonical form.
   */
  recipientUsername: string;
  /**
   * Always true: the queue has the delivery. The item follows.
   */
  queued: boolean;
  /**
   * The note that goes with the item; empty: none.
   */
  message: string;
}
/**
 * One page of a list: owned products.
 */
export interface OwnedProductListResponse {
  /**
   * Owned products, at most `limit`.
   */
  data: OwnedProductResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A product that a customer owns.
 */
export interface OwnedProductResponse {
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * Name of the product; empty where the store has no such product any more.
   */
  name: string;
  /**
   * How many times the customer has bought it.
   */
  quantity: number;
  /**
   * When the customer bought it first.
   */
  boughtAt: string;
  /**
   * When the dispenser last gave it to the customer; null: never, as far as is known.
   */
  lastDeliveredAt: string | null;
}
/**
 * The body that is sent to deliver a product again to a customer who owns it.
 */
export interface RedeliverProductRequest {
  /**
   * A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.
   */
  message?: string;
}
/**
 * One page of a list: categories.
 */
export interface CategoryListResponse {
  /**
   * Categories, at most `limit`.
   */
  data: CategoryResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A category of products.
 */
export interface CategoryResponse {
  /**
   * UUID of the category, in lower case.
   */
  id: string;
  /**
   * Name of the category.
   */
  name: string;
  /**
   * Number of products in the category, inactive ones included.
   */
  productCount: number;
}
/**
 * The body that is sent to create a category.
 */
export interface CreateCategoryRequest {
  /**
   * Name of the category: at most 255 characters. Need not be unique. Surrounding blanks are trimmed.
   */
  name: string;
}
/**
 * The body that is sent to rename a category.
 */
export interface UpdateCategoryRequest {
  /**
   * Name of the category: at most 255 characters. Need not be unique. Surrounding blanks are trimmed.
   */
  name: string;
}
/**
 * The store, and the API key of the request.
 */
export interface StoreResponse {
  /**
   * Id of the store.
   */
  id: string;
  /**
   * Name of the store.
   */
  name: string;
  /**
   * True while the store sells. While it is closed, quotes and sales are refused, and nothing else.
   */
  open: boolean;
  /**
   * The API key of this request.
   */
  key: StoreKey;
}
/**
 * The API key of a request.
 */
export interface StoreKey {
  /**
   * Id of the API key: the 12 characters after `sis_live_` or `sis_test_`.
   */
  id: string;
  /**
   * Name of the key.
   */
  name: string;
  /**
   * The scopes that the key has.
   */
  scopes: string[];
  /**
   * When the key ends. Null: it does not.
   */
  expiresAt: string | null;
}
/**
 * The sums of a store or of a vendor, day by day.
 */
export interface DaysResponse {
  /**
   * The days on which something happened, oldest first. Those of a vendor have only what its sales come to: `sales`, `refunds`, `paid`, `refunded`, `shares` and `commissions`.
   */
  data: StoreDay[];
}
/**
 * The sums of one day.
 */
export interface StoreDay {
  /**
   * The day, in UTC.
   */
  day: string;
  /**
   * Sales that were completed.
   */
  sales: number;
  /**
   * Sales that were refunded.
   */
  refunds: number;
  /**
   * L$ that buyers paid, less what was given back at once.
   */
  paid: number;
  /**
   * L$ that were given back by refunds.
   */
  refunded: number;
  /**
   * L$ of the sales that go to others as shares of the profit, less those of the sales that were refunded: it may be below 0.
   */
  shares: number;
  /**
   * L$ of the sales that go to the owners of coupons, less those of the sales that were refunded. The store’s own is `paid` - `refunded` - `shares` - `commissions`.
   */
  commissions: number;
  /**
   * L$ of credit that were added, of both types, but not by refunds.
   */
  creditAdded?: number;
  /**
   * L$ of credit that were taken or set lower, but not by sales.
   */
  creditRemoved?: number;
  /**
   * L$ of credit that sales took, less what refunds gave back.
   */
  creditSpent?: number;
  /**
   * L$ of credit that expired.
   */
  creditExpired?: number;
  /**
   * Gift cards that were granted.
   */
  giftCardsGranted?: number;
  /**
   * Gift cards that were redeemed.
   */
  giftCardsRedeemed?: number;
  /**
   * Deliveries that reached the dispenser.
   */
  delivered?: number;
  /**
   * Deliveries that failed for good.
   */
  failed?: number;
  /**
   * Regular credit in L$ that all customers held at the end of the day.
   */
  credit?: number;
  /**
   * Restricted credit in L$ that all customers held at the end of the day.
   */
  restrictedCredit?: number;
}
/**
 * The body that is sent to close the store, or to open the store.
 */
export interface StoreStateRequest {
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
}
/**
 * The body that is sent to quote the price of a sale.
 */
export interface CreateQuoteRequest {
  /**
   * The product that is sold.
   */
  productId: string;
  /**
   * The avatar who pays, by username or UUID. A UUID that nobody can name is taken too.
   */
  buyerIdentifier: string;
  /**
   * The avatar who gets the product, by username or UUID. Left out: the buyer.
   */
  recipientIdentifier?: string;
  /**
   * True if the buyer’s store credit pays first. Left out: false.
   */
  useCredit?: boolean;
  /**
   * The object that sells, for the sums of its days. Null or left out: none. A quote does not fix it.
   */
  vendorUuid?: string | null;
  /**
   * True if the buyer wears the tag of the store’s group, as the vendor sees it. Left out or null: false. In a sale it counts without a valid quote only, since a quote fixes it.
   */
  inGroup?: boolean | null;
}
/**
 * The price of a sale for a buyer, as of now.
 */
export interface QuoteResponse {
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * UUID of the buyer, in lower case.
   */
  buyerUuid: string;
  /**
   * UUID of the recipient, in lower case.
   */
  recipientUuid: string;
  /**
   * The active price of the product in L$.
   */
  base: number;
  /**
   * The one percentage that is taken off the base.
   */
  discount: SaleDiscount;
  /**
   * The base less the discount, in L$, rounded half up.
   */
  total: number;
  /**
   * Regular store credit that pays, in L$.
   */
  credit: number;
  /**
   * Restricted store credit that pays, in L$. It pays only where buyer and recipient are the same avatar.
   */
  restrictedCredit: number;
  /**
   * L$ that are left to be paid inworld.
   */
  toPay: number;
  /**
   * Store credit in L$ that the sale gives to the buyer, by the rules of the store. A refund leaves it here.
   */
  bonus: number;
  /**
   * Why a sale would be refused now: `closed`, `banned`, `inactive` or `sold-out`. Null: it would not.
   */
  refusal: Refusal | null;
  /**
   * Send it with the sale: it fixes these prices for two minutes. Null where the sale would be refused.
   */
  quote: string | null;
  /**
   * When the quote ends: it counts before this time. Null without a quote.
   */
  expiresAt: string | null;
}
/**
 * A discount of a sale, and where it comes from.
 */
export interface SaleDiscount {
  /**
   * Whose percentage counts: that of a coupon applied for the customer, the customer’s own, or one of the store’s rules, for their spend (`tier`) or for the tag of its group.
   */
  source: 'none' | 'coupon' | 'customer' | 'tier' | 'group';
  /**
   * The percentage; 0 for `none`.
   */
  percent: number;
  /**
   * UUID of the coupon; null unless `source` is `coupon`.
   */
  couponId: string | null;
}
/**
 * The body that is sent to sell a product.
 */
export interface CreateSaleRequest {
  /**
   * The id of the sale: a UUID that the caller makes. The same request under it makes no second sale, however late it comes.
   */
  id: string;
  /**
   * The product that is sold.
   */
  productId: string;
  /**
   * The avatar who pays, by username or UUID. A UUID that nobody can name is taken too.
   */
  buyerIdentifier: string;
  /**
   * The avatar who gets the product, by username or UUID. Left out: the buyer.
   */
  recipientIdentifier?: string;
  /**
   * True if the buyer’s store credit pays first. Left out: false.
   */
  useCredit?: boolean;
  /**
   * The object that sells, for the sums of its days. Null or left out: none. A quote does not fix it.
   */
  vendorUuid?: string | null;
  /**
   * True if the buyer wears the tag of the store’s group, as the vendor sees it. Left out or null: false. In a sale it counts without a valid quote only, since a quote fixes it.
   */
  inGroup?: boolean | null;
  /**
   * L$ that the buyer has paid inworld.
   */
  paid: number;
  /**
   * The `quote` of a quote, exactly as received. Left out, or over: the prices of now.
   */
  quote?: string;
  /**
   * A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.
   */
  message?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * A sale.
 */
export interface SaleResponse {
  /**
   * UUID of the sale, in lower case.
   */
  id: string;
  /**
   * `completed`, `refused`, or `refunded` once it was completed.
   */
  state: SaleState;
  /**
   * Why it was refused. Null: it was not.
   */
  refusal: Refusal | null;
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * UUID of the buyer; null where nobody has the name.
   */
  buyerUuid: string | null;
  /**
   * UUID of the recipient; null where nobody has the name.
   */
  recipientUuid: string | null;
  /**
   * The active price of the product in L$.
   */
  base: number;
  /**
   * The one percentage that is taken off the base.
   */
  discount: SaleDiscount;
  /**
   * The base less the discount, in L$, rounded half up.
   */
  total: number;
  /**
   * Regular store credit that pays, in L$.
   */
  credit: number;
  /**
   * Restricted store credit that pays, in L$. It pays only where buyer and recipient are the same avatar.
   */
  restrictedCredit: number;
  /**
   * L$ that the caller said were paid.
   */
  paid: number;
  /**
   * L$ that the buyer gets back in all. Of a refunded sale all that was paid: now due is `refund` less `change`.
   */
  refund: number;
  /**
   * The part of `refund` that was due when the sale was answered. The caller gives it back inworld.
   */
  change: number;
  /**
   * How the caller gave the change back, as it has reported. Null: nobody has reported that.
   */
  changePaid: ChangePaid | null;
  /**
   * Store credit in L$ that the sale gives to the buyer, by the rules of the store. A refund leaves it here.
   */
  bonus: number;
  /**
   * UUID of its delivery; null for a refused sale.
   */
  deliveryId: string | null;
  /**
   * The parts of the kept L$ that are owed to others; the rest is the merchant’s. Empty for scripts and refused sales.
   */
  shares: SaleShare[];
  /**
   * When it was made.
   */
  at: string;
  /**
   * When it was refunded. Null: it was not.
   */
  refundedAt: string | null;
  /**
   * The reference of its refund; null: none.
   */
  refundReference: string | null;
  /**
   * True if its refund left what is to be given back to be paid out: then nobody gives it back by hand. False before a refund.
   */
  payOut: boolean;
  /**
   * The reference of the request; null: none.
   */
  reference: string | null;
  /**
   * The object that sold it, as the request told; null: none.
   */
  vendorUuid: string | null;
}
/**
 * How the change of a sale was given back.
 */
export interface ChangePaid {
  /**
   * UUID of the transfer, as the virtual world names it.
   */
  transactionId: string;
  /**
   * L$ that were given back.
   */
  amount: number;
  /**
   * When the service heard of it.
   */
  at: string;
}
/**
 * The share of an avatar in a sale.
 */
export interface SaleShare {
  /**
   * UUID of the avatar who is owed it, in lower case.
   */
  residentUuid: string;
  /**
   * The commission of the coupon’s owner, or a profit share of the product.
   */
  kind: 'commission' | 'share';
  /**
   * The percentage of the L$ that were paid and kept.
   */
  percent: number;
  /**
   * The amount in L$, rounded down.
   */
  amount: number;
}
/**
 * One page of a list: sales.
 */
export interface SaleListResponse {
  /**
   * Sales, at most `limit`.
   */
  data: SaleResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * The body that is sent to report that the change of a sale was paid.
 */
export interface ReportChangeRequest {
  /**
   * UUID of the transfer, as the virtual world names it.
   */
  transactionId: string;
  /**
   * L$ that were given back: at most the `change` of the sale.
   */
  amount: number;
}
/**
 * The body that is sent to refund a sale.
 */
export interface RefundSaleRequest {
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
  /**
   * True if the store owes the buyer what is still to be given back, as a payout. Left out: somebody gives it by hand.
   */
  payOut?: boolean;
}
/**
 * One page of a list: avatars that the store has owed or paid something, by UUID.
 */
export interface PayeeListResponse {
  /**
   * Avatars that the store has owed or paid something, by UUID, at most `limit`.
   */
  data: PayeeResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * An avatar that the store has owed or paid something.
 */
export interface PayeeResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  residentUuid: string;
  /**
   * Current username of the avatar, in canonical form; their UUID without one.
   */
  username: string;
  /**
   * L$ that the store owes them. Below 0 where a sale was refunded whose share was paid out before.
   */
  owed: number;
  /**
   * L$ of payouts that a cashier has claimed and not reported yet.
   */
  claimed: number;
  /**
   * L$ of payouts of which nobody knows whether they were paid.
   */
  unknown: number;
  /**
   * L$ that were paid.
   */
  paid: number;
}
/**
 * One page of a list: payouts, the newest first.
 */
export interface PayoutListResponse {
  /**
   * Payouts, the newest first, at most `limit`.
   */
  data: PayoutResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * L$ that the store pays to an avatar.
 */
export interface PayoutResponse {
  /**
   * UUID of the payout.
   */
  id: string;
  /**
   * UUID of the avatar who is paid, in lower case.
   */
  residentUuid: string;
  /**
   * Current username of the avatar, in canonical form; their UUID without one.
   */
  username: string;
  /**
   * The amount in L$.
   */
  amount: number;
  /**
   * `claimed`: a cashier is paying it. `unknown`: nobody knows whether it was paid. `paid` and `failed`: it has ended.
   */
  state: PayoutState;
  /**
   * UUID of the transfer, as the virtual world names it; null: unknown.
   */
  transactionId: string | null;
  /**
   * Why it was not paid, or may not have been; null: no error.
   */
  error: string | null;
  /**
   * The reference that a person gave it; null: none.
   */
  reference: string | null;
  /**
   * When it was claimed, or paid by hand.
   */
  createdAt: string;
  /**
   * When it was paid or has failed; null: it has not ended.
   */
  endedAt: string | null;
}
/**
 * The body that is sent to claim the next payout.
 */
export interface ClaimPayoutRequest {
  /**
   * Only a payee who would get so many L$ or more. Left out: 1.
   */
  minimum?: number;
  /**
   * The most L$ of the payout. Left out: no limit.
   */
  limit?: number;
  /**
   * Shares of sales of so many UTC days, today included, are left out, so that somebody sees an invented sale before its shares are paid. Left out: 2. 0: none.
   */
  hold?: number;
}
/**
 * The payout that a cashier is to pay now, if there is one.
 */
export interface ClaimPayoutResponse {
  /**
   * The payout to be made now. Null: nobody is to be paid.
   */
  payout: PayoutResponse | null;
}
/**
 * The body that is sent to report how a payout ended.
 */
export interface ReportPayoutRequest {
  /**
   * `failed` only where it is certain that no L$ have moved: they are owed again. `unknown` wherever there is a doubt.
   */
  result: 'paid' | 'failed' | 'unknown';
  /**
   * UUID of the transfer, as the virtual world names it.
   */
  transactionId?: string;
  /**
   * Why it was not paid, or may not have been: at most 100 characters.
   */
  error?: string;
}
/**
 * The body that is sent to settle a payout.
 */
export interface SettlePayoutRequest {
  /**
   * `paid`: the L$ have moved. `failed`: they have not, and are owed again.
   */
  result: 'paid' | 'failed';
  /**
   * UUID of the transfer, as the virtual world names it.
   */
  transactionId?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The body that is sent to note a payment by hand.
 */
export interface PayPayeeRequest {
  /**
   * L$ that were paid, from 1 to what is owed.
   */
  amount: number;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
/**
 * The body that is sent to register a vendor.
 */
export interface RegisterVendorRequest {
  /**
   * Name of the object: 1 to 63 characters.
   */
  name: string;
  /**
   * Name of the region that it is in: 1 to 63 characters.
   */
  region: string;
  /**
   * Where it stands in the region, for people: at most 40 characters.
   */
  position?: string;
  /**
   * Name and version of its script, for people: at most 40 characters.
   */
  script?: string;
  /**
   * The address that the region gave the script, under the rules of the dispenser’s; null or left out: it has none, and is told of no change.
   */
  url?: string | null;
  /**
   * The product that it is to sell. Counts at its first registration and, with `picked`, while it has none; an unknown one is ignored.
   */
  productId?: string;
  /**
   * True if its owner has picked `productId` at the object. Left out: false.
   */
  picked?: boolean;
  /**
   * The answer has `choices`: active products whose name holds this text, in any case, literally. At most 100 characters.
   */
  search?: string;
}
/**
 * An object inworld that sells.
 */
export interface VendorResponse {
  /**
   * UUID of the object, in lower case.
   */
  uuid: string;
  /**
   * Name of the object.
   */
  name: string;
  /**
   * Name of the region that it is in.
   */
  region: string;
  /**
   * Where it stands in the region; null: not told.
   */
  position: string | null;
  /**
   * Name and version of its script; null: not told.
   */
  script: string | null;
  /**
   * `lost`: it has not registered for 30 hours.
   */
  state: VendorState;
  /**
   * The product that it sells; null: none.
   */
  product: VendorProduct | null;
  /**
   * When it registered first.
   */
  registeredAt: string;
  /**
   * When it last registered, or up to an hour before that.
   */
  seenAt: string;
  /**
   * For `search` alone: up to 9 active products, by name.
   */
  choices?: VendorChoice[];
}
/**
 * A product as a vendor shows it.
 */
export interface VendorProduct {
  /**
   * UUID of the product.
   */
  id: string;
  /**
   * Name of the product.
   */
  name: string;
  /**
   * Price in L$, without the discount.
   */
  price: number;
  /**
   * Price in L$ now: with the discount, where one runs.
   */
  activePrice: number;
  /**
   * When `activePrice` next changes by itself; null: it does not.
   */
  changesAt: string | null;
  /**
   * UUID of the picture’s texture; the nil UUID: none.
   */
  image: string;
  /**
   * The rights of the item’s next owner.
   */
  permissions: ProductPermissions;
  /**
   * UUID of the product that is the demo of this one; null: none.
   */
  demoId: string | null;
  /**
   * True while the product is sold.
   */
  active: boolean;
  /**
   * True if no copy of a limited product is left.
   */
  soldOut: boolean;
}
/**
 * The product that a vendor sells.
 */
export interface VendorChoice {
  /**
   * UUID of the product.
   */
  id: string;
  /**
   * Name of the product.
   */
  name: string;
}
/**
 * One page of a list: vendors, by UUID.
 */
export interface VendorListResponse {
  /**
   * Vendors, by UUID, at most `limit`.
   */
  data: VendorResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * The body that is sent to set the product that a vendor sells.
 */
export interface SetVendorProductRequest {
  /**
   * UUID of the product that the vendor is to sell; null: none.
   */
  productId: string | null;
}
/**
 * One page of a list: deliveries, the newest first.
 */
export interface DeliveryListResponse {
  /**
   * Deliveries, the newest first, at most `limit`.
   */
  data: DeliveryResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * An item on its way to a resident.
 */
export interface DeliveryResponse {
  /**
   * UUID of the delivery, as the header `Delivery-Id` named it.
   */
  id: string;
  /**
   * `queued`: it will be tried. `waiting`: for the dispenser to register. `delivered` and `failed`: it has ended.
   */
  state: DeliveryState;
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * Name of the item in the dispenser’s contents, as it was when the delivery was ordered.
   */
  item: string;
  /**
   * UUID of the recipient, in lower case.
   */
  recipientUuid: string;
  /**
   * Username of the recipient when the delivery was ordered.
   */
  recipientUsername: string;
  /**
   * Number of attempts so far.
   */
  attempts: number;
  /**
   * Why the last attempt failed; null: none has failed, or it is delivered.
   */
  lastError: string | null;
  /**
   * When it was ordered.
   */
  createdAt: string;
  /**
   * When it was delivered or failed; null: it goes on.
   */
  endedAt: string | null;
  /**
   * UUID of the sale that it belongs to; null: of none.
   */
  saleId: string | null;
}
/**
 * The body that is sent to register the address of the store's inworld dispenser.
 */
export interface RegisterDispenserRequest {
  /**
   * Name of the box among those of the store: 1 to 63 letters, digits, `.`, `_` and `-`. Each name has an address and a secret of its own. A store has at most 10.
   */
  name?: string;
  /**
   * Which box is asked first: 0 to 9, the lowest first, then by name.
   */
  priority?: number;
  /**
   * The address that the region gave the script, at most 500 characters: `https`, on a host of the virtual world’s simulators.
   */
  url: string;
  /**
   * Name of the region that the dispenser is in, for the operator: at most 255 characters.
   */
  region?: string;
  /**
   * Names of all items in the dispenser, for the operator: the doctor says which products are not there. Empty if not all can be told. At most 1,000.
   *
   * @maxItems 1000
   */
  items?: string[];
}
/**
 * A box that has registered, and the secret of its messages.
 */
export interface DispenserSecretResponse {
  /**
   * Name of the box.
   */
  name: string;
  /**
   * Place of the box in the order in which the store’s boxes are asked: 0 is first.
   */
  priority: number;
  /**
   * The address that deliveries are now sent to.
   */
  url: string;
  /**
   * Name of the region.
   */
  region: string;
  /**
   * The key that requests to the dispenser are signed with. It stays while the same API key registers from the same host; otherwise the answer holds a new one. Keep it.
   */
  secret: string;
  /**
   * When this registration was made.
   */
  registeredAt: string;
  /**
   * A call to this address has found nobody since it was registered first: ask the region for another one.
   */
  unreachable: boolean;
}
/**
 * One page of a list: the boxes in the order in which they are asked.
 */
export interface DispenserListResponse {
  /**
   * The boxes in the order in which they are asked, at most `limit`.
   */
  data: DispenserResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A box of the store.
 */
export interface DispenserResponse {
  /**
   * Name of the box.
   */
  name: string;
  /**
   * Place of the box in the order in which the store’s boxes are asked: 0 is first.
   */
  priority: number;
  /**
   * Name of the region; null: it told none.
   */
  region: string | null;
  /**
   * `registered`: it is asked at its address. `lost`: nobody was there; it has none until it registers.
   */
  state: 'registered' | 'lost';
  /**
   * When it registered last.
   */
  registeredAt: string;
  /**
   * When its address was lost; null: it has one.
   */
  lostAt: string | null;
  /**
   * How the last call failed that found nobody at its address; null: none has since it has this address.
   */
  lastError: string | null;
}
/**
 * The body that is sent to tell the name of an avatar.
 */
export interface UpdateResidentRequest {
  /**
   * The avatar’s current name: `first`, `first.last` or `first last`.
   */
  username: string;
}
/**
 * An avatar, and all names that lead to them.
 */
export interface ResidentResponse {
  /**
   * UUID of the avatar.
   */
  uuid: string;
  /**
   * The current name in canonical form; the UUID where no name leads to the avatar in this store.
   */
  username: string;
  /**
   * All names that lead to the avatar in this store, the current one first.
   */
  names: string[];
  /**
   * Who told of the avatar: the operator, to all stores, or a key or dispenser of this store, to it alone.
   */
  source: 'operator' | 'store';
}
/**
 * One page of a list: events that the key may read, in the order in which they were noted.
 */
export interface EventListResponse {
  /**
   * Events that the key may read, in the order in which they were noted, at most `limit`.
   */
  data: EventResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * The credit of a customer has changed.
 */
export interface CreditChangedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'credit.changed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: ChangedCredit;
}
/**
 * A change of a customer’s credit, with the balances after it.
 */
export interface ChangedCredit {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * Regular store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  credit: number;
  /**
   * Restricted store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  restrictedCredit: number;
  /**
   * Number of the change in the history of the customer’s credit.
   */
  sequence: number;
}
/**
 * A gift card was granted.
 */
export interface GiftCardGrantedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'giftcard.granted';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: GrantedGiftCard;
}
/**
 * A gift card that was granted, and why.
 */
export interface GrantedGiftCard {
  /**
   * UUID of the gift card, in lower case.
   */
  id: string;
  /**
   * UUID of the owner, in lower case.
   */
  ownerUuid: string;
  /**
   * Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  ownerUsername: string;
  /**
   * Balance of the card in L$.
   */
  credit: number;
  /**
   * True while the card can be used.
   */
  active: boolean;
  /**
   * True once the card was redeemed. Redeeming sets it, and no PUT.
   */
  redeemed: boolean;
  /**
   * True if the owner may give the card away.
   */
  transfer: boolean;
  /**
   * UUID of the texture that the card shows inworld; null: none.
   */
  texture: string | null;
  /**
   * True if the card was bought. A granted card was not.
   */
  purchased: boolean;
  /**
   * Reason that the request gave; null: none.
   */
  reason: string | null;
  /**
   * Reference that the request gave; null: none.
   */
  reference: string | null;
}
/**
 * A gift card was sold.
 */
export interface GiftCardPurchasedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'giftcard.purchased';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: GiftCardResponse;
}
/**
 * A gift card was redeemed.
 */
export interface GiftCardRedeemedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'giftcard.redeemed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: GiftCardResponse;
}
/**
 * A gift card was disabled.
 */
export interface GiftCardDisabledEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'giftcard.disabled';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: GiftCardResponse;
}
/**
 * A product was sold.
 */
export interface SaleCompletedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'sale.completed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: SaleResponse;
}
/**
 * A sale was refused.
 */
export interface SaleRefusedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'sale.refused';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: SaleResponse;
}
/**
 * A sale was refunded.
 */
export interface SaleRefundedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'sale.refunded';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: SaleResponse;
}
/**
 * The dispenser gave an item.
 */
export interface DeliveryDeliveredEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'delivery.delivered';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: DeliveryResponse;
}
/**
 * A delivery has failed for good.
 */
export interface DeliveryFailedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'delivery.failed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: DeliveryResponse;
}
/**
 * A delivery waits for the dispenser to register.
 */
export interface DeliveryWaitingEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'delivery.waiting';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: DeliveryResponse;
}
/**
 * The dispenser has another address.
 */
export interface DispenserRegisteredEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'dispenser.registered';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: RegisteredDispenser;
}
/**
 * A box that has registered, as an event tells of it.
 */
export interface RegisteredDispenser {
  /**
   * Name of the box.
   */
  name: string;
  /**
   * Place of the box in the order in which the store’s boxes are asked: 0 is first.
   */
  priority: number;
  /**
   * The address that deliveries are now sent to.
   */
  url: string;
  /**
   * Name of the region.
   */
  region: string;
  /**
   * When this registration was made.
   */
  registeredAt: string;
}
/**
 * Nobody answers at the address of the dispenser.
 */
export interface DispenserLostEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'dispenser.lost';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: LostDispenser;
}
/**
 * A box at whose address nobody answers any more.
 */
export interface LostDispenser {
  /**
   * Name of the box.
   */
  name: string;
  /**
   * Place of the box in the order in which the store’s boxes are asked: 0 is first.
   */
  priority: number;
  /**
   * The address at which no dispenser answers any more.
   */
  url: string;
  /**
   * Name of the region.
   */
  region: string;
  /**
   * When this registration was made.
   */
  registeredAt: string;
  /**
   * When a delivery found nobody there.
   */
  lostAt: string | null;
  /**
   * How the last call failed.
   */
  lostReason: string | null;
}
/**
 * A coupon was applied to a customer.
 */
export interface CouponAppliedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'coupon.applied';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: CustomerCouponResponse;
}
/**
 * The store has banned a customer.
 */
export interface CustomerBannedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'customer.banned';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: CustomerBanStateResponse;
}
/**
 * The ban of a customer was lifted.
 */
export interface CustomerUnbannedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'customer.unbanned';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: CustomerBanStateResponse;
}
/**
 * A limited product has no copy left.
 */
export interface ProductSoldOutEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'product.sold_out';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: ProductResponse;
}
/**
 * A product was created or changed.
 */
export interface ProductChangedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'product.changed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: ProductResponse;
}
/**
 * A coupon was created or changed.
 */
export interface CouponChangedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'coupon.changed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: CouponResponse;
}
/**
 * A category was created or renamed.
 */
export interface CategoryChangedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'category.changed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: CategoryResponse;
}
/**
 * A category was deleted.
 */
export interface CategoryDeletedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'category.deleted';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: DeletedCategory;
}
/**
 * A category that is gone.
 */
export interface DeletedCategory {
  /**
   * UUID of the category, in lower case.
   */
  id: string;
  /**
   * Name of the category.
   */
  name: string;
}
/**
 * A key or an invitation was issued, or an invitation was accepted.
 */
export interface KeyIssuedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'key.issued';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: KeyResponse;
}
/**
 * An API key or an invitation, without its text.
 */
export interface KeyResponse {
  /**
   * Id of the key: the 12 characters after `sis_live_` or `sis_test_`.
   */
  id: string;
  /**
   * The person or the object that has the key.
   */
  name: string;
  /**
   * The preset with exactly these scopes. Null: there is none.
   */
  preset: KeyPreset | null;
  /**
   * What the key may do, in the fixed order of all scopes.
   */
  scopes: KeyScope[];
  /**
   * `invited`: nobody has accepted it yet. `rotated`: another key replaces it, and it works until it ends. An invitation whose issuer was revoked is `revoked`.
   */
  state: KeyState;
  /**
   * When it was issued.
   */
  createdAt: string;
  /**
   * When it ends. Null: it does not.
   */
  expiresAt: string | null;
  /**
   * When it was last used, exact to the hour. Null: never.
   */
  lastUsedAt: string | null;
  /**
   * Until when its invitation can or could be accepted. Null: it was none.
   */
  invitedUntil: string | null;
  /**
   * When it was revoked or, if it was not, when it expired. Null: neither.
   */
  endedAt: string | null;
  /**
   * The key that has issued it. Null: the operator has.
   */
  issuedBy: KeyIssuer | null;
  /**
   * Id of the key that it replaces after a rotation.
   */
  replaces: string | null;
}
/**
 * The key that has issued another one.
 */
export interface KeyIssuer {
  /**
   * Id of that key.
   */
  id: string;
  /**
   * Its present name.
   */
  name: string;
}
/**
 * A key was revoked, or has ended itself.
 */
export interface KeyEndedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'key.ended';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: KeyResponse;
}
/**
 * An avatar was paid what the store owed.
 */
export interface PayoutPaidEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'payout.paid';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: PayoutResponse;
}
/**
 * A payout was not paid: it is owed again.
 */
export interface PayoutFailedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'payout.failed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: PayoutResponse;
}
/**
 * Nobody knows whether a payout was paid.
 */
export interface PayoutUnknownEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'payout.unknown';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: PayoutResponse;
}
/**
 * A vendor has registered first, or after it was lost.
 */
export interface VendorRegisteredEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'vendor.registered';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: VendorResponse;
}
/**
 * A vendor has not registered for 30 hours.
 */
export interface VendorLostEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'vendor.lost';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: VendorResponse;
}
/**
 * The store was closed.
 */
export interface StoreClosedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'store.closed';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: StoreState;
}
/**
 * Whether the store sells, and why.
 */
export interface StoreState {
  /**
   * Id of the store.
   */
  id: string;
  /**
   * Name of the store.
   */
  name: string;
  /**
   * True while the store sells. While it is closed, quotes and sales are refused, and nothing else.
   */
  open: boolean;
}
/**
 * The store was opened.
 */
export interface StoreOpenedEvent {
  /**
   * UUID of the event. Repeats of it have the same one.
   */
  id: string;
  /**
   * Type of the event.
   */
  type: 'store.opened';
  /**
   * When the change was made.
   */
  at: string;
  /**
   * The answer of the API about the thing, as it was after the change.
   */
  data: StoreState;
}
/**
 * One page of a list: changes that the key may read, the newest first.
 */
export interface JournalListResponse {
  /**
   * Changes that the key may read, the newest first, at most `limit`.
   */
  data: JournalRowResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A change, with who made it.
 */
export interface JournalRowResponse {
  /**
   * UUID of the row. If the change is an event too, the event has the same id.
   */
  id: string;
  /**
   * When the change was made.
   */
  at: string;
  /**
   * What was done.
   */
  kind: JournalKind;
  /**
   * The thing that was changed.
   */
  subject: JournalSubject;
  /**
   * Who made the change.
   */
  by: JournalActor;
  /**
   * The `X-Request-Id` of the request that made the change. Null: it was no request.
   */
  requestId: string | null;
  /**
   * The fields that the change has changed, with their values before and after it.
   */
  changes: JournalChange[];
}
/**
 * A thing that was changed.
 */
export interface JournalSubject {
  /**
   * What was changed.
   */
  type: JournalSubjectType;
  /**
   * Its id: a UUID, the id of a key, or the name of a dispenser. Null for the rules, the store and an import.
   */
  id: string | null;
  /**
   * What it was called then. Null: it has no name.
   */
  name: string | null;
}
/**
 * Who made a change.
 */
export interface JournalActor {
  /**
   * `key`: an API key. `customer`: the avatar, on their own page. `operator`: whoever runs the service. `unknown`: the write names nobody.
   */
  type: 'key' | 'customer' | 'operator' | 'service' | 'unknown';
  /**
   * Id of the key, or the UUID of the customer. Null: neither.
   */
  id: string | null;
  /**
   * Present name of the key, or of the customer.
   */
  name: string | null;
}
/**
 * A field that was changed.
 */
export interface JournalChange {
  /**
   * Name of the field.
   */
  field: string;
  /**
   * As the API answers the field. A text ends after 200 characters, with `…`; an array after 20 members.
   */
  before: string | number | boolean | unknown[] | object | null;
  /**
   * As the API answers the field. A text ends after 200 characters, with `…`; an array after 20 members.
   */
  after: string | number | boolean | unknown[] | object | null;
  /**
   * True for a field that is never told: then `before` and `after` are null.
   */
  hidden: boolean;
}
/**
 * The body that is sent to create a webhook.
 */
export interface CreateWebhookRequest {
  /**
   * Where events are sent: `https` on port 443 of a public host, at most 500 characters.
   */
  url: string;
  /**
   * The types of events that are sent: one or more, each once.
   *
   * @minItems 1
   * @maxItems 30
   */
  events: EventType[];
  /**
   * A text for people: at most 200 characters. Left out: empty.
   */
  description?: string;
  /**
   * `standard`: as Standard Webhooks have it, signed. `discord`: a message for a Discord channel.
   */
  format?: WebhookFormat;
}
/**
 * A webhook, and the secret of its signatures.
 */
export interface WebhookSecretResponse {
  /**
   * UUID of the webhook, in lower case.
   */
  id: string;
  /**
   * Where events are sent.
   */
  url: string;
  /**
   * The types of events that are sent.
   */
  events: EventType[];
  /**
   * A text for people.
   */
  description: string;
  /**
   * `standard` or `discord`.
   */
  format: WebhookFormat;
  /**
   * `disabled`: nothing is sent. An answer 410 and five days of failure disable it as well.
   */
  state: WebhookState;
  /**
   * The key of its signatures: `whsec_` and the Base64 of 32 bytes. Keep it: no other answer has it.
   */
  secret: string;
}
/**
 * One page of a list: webhooks, in the order of their creation.
 */
export interface WebhookListResponse {
  /**
   * Webhooks, in the order of their creation, at most `limit`.
   */
  data: WebhookResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A webhook.
 */
export interface WebhookResponse {
  /**
   * UUID of the webhook, in lower case.
   */
  id: string;
  /**
   * Where events are sent.
   */
  url: string;
  /**
   * The types of events that are sent.
   */
  events: EventType[];
  /**
   * A text for people.
   */
  description: string;
  /**
   * `standard` or `discord`.
   */
  format: WebhookFormat;
  /**
   * `disabled`: nothing is sent. An answer 410 and five days of failure disable it as well.
   */
  state: WebhookState;
}
/**
 * The body that is sent to replace a webhook.
 */
export interface UpdateWebhookRequest {
  /**
   * Where events are sent: `https` on port 443 of a public host, at most 500 characters.
   */
  url: string;
  /**
   * The types of events that are sent: one or more, each once.
   *
   * @minItems 1
   * @maxItems 30
   */
  events: EventType[];
  /**
   * A text for people: at most 200 characters. Left out: empty.
   */
  description?: string;
  /**
   * `standard`: as Standard Webhooks have it, signed. `discord`: a message for a Discord channel.
   */
  format?: WebhookFormat;
  /**
   * `active` enables it again. Left out: stays as it is.
   */
  state?: WebhookState;
}
/**
 * The event that a test sends to a webhook.
 */
export interface TestedWebhookResponse {
  /**
   * UUID of the event `webhook.ping` that is sent.
   */
  eventId: string;
}
/**
 * One page of a list: deliveries of events, the newest first.
 */
export interface WebhookDeliveryListResponse {
  /**
   * Deliveries of events, the newest first, at most `limit`.
   */
  data: WebhookDeliveryResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * An event on its way to a webhook.
 */
export interface WebhookDeliveryResponse {
  /**
   * UUID of the delivery: that of its event.
   */
  id: string;
  /**
   * UUID of the event, which the header `webhook-id` has.
   */
  eventId: string;
  /**
   * Type of the event.
   */
  type: SentEventType;
  /**
   * `pending`: it will be tried again. `delivered` and `failed`: it has ended.
   */
  state: WebhookDeliveryState;
  /**
   * Number of attempts so far.
   */
  attempts: number;
  /**
   * Status of the last answer; null: there was none.
   */
  status: number | null;
  /**
   * Why the last attempt failed, with the beginning of the answer; null: none has failed, or it is delivered.
   */
  lastError: string | null;
  /**
   * When it is tried next; null: it has ended.
   */
  nextAt: string | null;
}
/**
 * The body that is sent to issue an API key, or invite a person.
 */
export interface IssueKeyRequest {
  /**
   * The person or the object that has the key, 1 to 255 characters. Names need not differ.
   */
  name: string;
  /**
   * What the key is for, which gives it its scopes. Either this or `scopes`.
   */
  preset?: 'vendor' | 'terminal' | 'dispenser' | 'cashier' | 'shop' | 'support' | 'manager' | 'designer' | 'all';
  /**
   * What the key may do: one or more scopes, each once. Either this or `preset`.
   *
   * @minItems 1
   * @maxItems 35
   */
  scopes?: (
    | 'coupons:read'
    | 'coupons:write'
    | 'coupons:apply'
    | 'customers:read'
    | 'customers:write'
    | 'credits:read'
    | 'credits:write'
    | 'giftcards:read'
    | 'giftcards:write'
    | 'products:read'
    | 'products:write'
    | 'products:deliver'
    | 'categories:read'
    | 'categories:write'
    | 'store:write'
    | 'residents:write'
    | 'dispenser:register'
    | 'deliveries:read'
    | 'giftcards:redeem'
    | 'products:redeliver'
    | 'sales:read'
    | 'sales:write'
    | 'sales:refund'
    | 'events:read'
    | 'webhooks:write'
    | 'payouts:read'
    | 'payouts:pay'
    | 'payouts:settle'
    | 'vendors:read'
    | 'vendors:register'
    | 'vendors:write'
    | 'keys:read'
    | 'keys:write'
    | 'journal:read'
    | 'pages:open'
  )[];
  /**
   * When the key ends, in the future. A key with `keys:write` must end within 366 days.
   */
  expiresAt?: string;
  /**
   * Makes an invitation, which can be accepted for this many hours, 1 to 168.
   */
  inviteHours?: number;
}
/**
 * A key or an invitation that was just made, with its text.
 */
export interface KeySecretResponse {
  /**
   * Id of the key: the 12 characters after `sis_live_` or `sis_test_`.
   */
  id: string;
  /**
   * The person or the object that has the key.
   */
  name: string;
  /**
   * The preset with exactly these scopes. Null: there is none.
   */
  preset: KeyPreset | null;
  /**
   * What the key may do, in the fixed order of all scopes.
   */
  scopes: KeyScope[];
  /**
   * `invited`: nobody has accepted it yet. `rotated`: another key replaces it, and it works until it ends. An invitation whose issuer was revoked is `revoked`.
   */
  state: KeyState;
  /**
   * When it was issued.
   */
  createdAt: string;
  /**
   * When it ends. Null: it does not.
   */
  expiresAt: string | null;
  /**
   * When it was last used, exact to the hour. Null: never.
   */
  lastUsedAt: string | null;
  /**
   * Until when its invitation can or could be accepted. Null: it was none.
   */
  invitedUntil: string | null;
  /**
   * When it was revoked or, if it was not, when it expired. Null: neither.
   */
  endedAt: string | null;
  /**
   * The key that has issued it. Null: the operator has.
   */
  issuedBy: KeyIssuer | null;
  /**
   * Id of the key that it replaces after a rotation.
   */
  replaces: string | null;
  /**
   * The key itself: no other answer has it. Null for an invitation.
   */
  key: string | null;
  /**
   * The code of an invitation: no other answer has it. Null for a key.
   */
  code: string | null;
}
/**
 * One page of a list: aPI keys, in the order of their ids.
 */
export interface KeyListResponse {
  /**
   * API keys, in the order of their ids, at most `limit`.
   */
  data: KeyResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * The body that is sent to rename an API key.
 */
export interface RenameKeyRequest {
  /**
   * The person or the object that has the key, 1 to 255 characters. Names need not differ.
   */
  name: string;
}
/**
 * The body that is sent to replace an API key by a new one.
 */
export interface RotateKeyRequest {
  /**
   * How many hours the old key still works, 0 to 168. It ends earlier where its own end is earlier.
   */
  overlapHours?: number;
  /**
   * When the new key ends, in the future. Left out: it lives as long as the old one was to live.
   */
  expiresAt?: string;
}
/**
 * What an invitation offers.
 */
export interface InvitationResponse {
  /**
   * The store that the key is for.
   */
  store: InvitingStore;
  /**
   * The person or the object that has the key.
   */
  name: string;
  /**
   * The preset with exactly these scopes. Null: there is none.
   */
  preset: KeyPreset | null;
  /**
   * What the key may do, in the fixed order of all scopes.
   */
  scopes: KeyScope[];
  /**
   * When it ends. Null: it does not.
   */
  expiresAt: string | null;
  /**
   * Until when the invitation can be accepted.
   */
  invitedUntil: string;
}
/**
 * The store whose key an invitation makes.
 */
export interface InvitingStore {
  /**
   * Id of the store.
   */
  id: string;
  /**
   * Name of the store.
   */
  name: string;
}
/**
 * The code of a page.
 */
export interface OpenPageResponse {
  /**
   * The code that begins the page, once. No other answer has it. The page’s address ends with `/me#code=` and the code.
   */
  code: string;
  /**
   * Until when the code begins the page: 10 minutes.
   */
  expiresAt: string;
}
/**
 * The token of a page that was begun, and the avatar whose page it is.
 */
export interface BeginPageResponse {
  /**
   * The token of the page, sent as `X-API-Key`. No other answer has it.
   */
  token: string;
  /**
   * When the page ends: 60 minutes after it began. Nothing prolongs it.
   */
  expiresAt: string;
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
}
/**
 * What the store holds for the customer whose page it is.
 */
export interface MeResponse {
  /**
   * UUID of the avatar, in lower case.
   */
  uuid: string;
  /**
   * Current username in canonical form: `ada.lovelace`, or `ada` without a last name.
   */
  username: string;
  /**
   * The store whose page it is.
   */
  store: StoreOfPage;
  /**
   * Regular store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  credit: number;
  /**
   * Restricted store credit in L$, as it is stored: unlotted credit and open lots together.
   */
  restrictedCredit: number;
  /**
   * Discount of this customer, in whole percent.
   */
  discount: number;
  /**
   * True if the customer is subscribed to the news kiosk.
   */
  newsSubscriber: boolean;
  /**
   * The coupons that count for the customer now, at most 50.
   */
  coupons: OwnCouponResponse[];
  /**
   * When the page ends.
   */
  expiresAt: string;
}
/**
 * The store, as its customers see it.
 */
export interface StoreOfPage {
  /**
   * Name of the store.
   */
  name: string;
  /**
   * True while the store sells.
   */
  open: boolean;
}
/**
 * A coupon that counts for the customer now.
 */
export interface OwnCouponResponse {
  /**
   * Code of the coupon, as it was written.
   */
  code: string;
  /**
   * Discount that the coupon gives, in percent.
   */
  discount: number;
  /**
   * `store`: it counts for all products.
   */
  scope: CouponScope;
  /**
   * The product that it counts for. Null: all, or one that is no more.
   */
  product: ProductName | null;
  /**
   * When it lapses.
   */
  expiresAt: string;
}
/**
 * A product, by id and name.
 */
export interface ProductName {
  /**
   * UUID of the product, in lower case.
   */
  id: string;
  /**
   * Name of the product.
   */
  name: string;
}
/**
 * The body that is sent to switch the own subscription to news.
 */
export interface UpdateMeRequest {
  /**
   * True if the customer is subscribed to the news kiosk.
   */
  newsSubscriber: boolean;
}
/**
 * One page of a list: open credit lots.
 */
export interface OwnLotListResponse {
  /**
   * Open credit lots, at most `limit`.
   */
  data: OwnLotResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * Own credit that ends.
 */
export interface OwnLotResponse {
  /**
   * The type of credit.
   */
  type: CreditType;
  /**
   * L$ that were added.
   */
  amount: number;
  /**
   * L$ that are left.
   */
  remaining: number;
  /**
   * When it was added.
   */
  createdAt: string;
  /**
   * When it expires.
   */
  expiresAt: string;
}
/**
 * One page of a list: changes of credit.
 */
export interface OwnChangeListResponse {
  /**
   * Changes of credit, at most `limit`.
   */
  data: OwnChangeResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A change of the own credit.
 */
export interface OwnChangeResponse {
  /**
   * The number of the change among those of the customer's credit, from 1 on.
   */
  sequence: number;
  /**
   * When it was made.
   */
  at: string;
  /**
   * The type of credit.
   */
  type: CreditType;
  /**
   * The kind of change.
   */
  kind: CreditChangeKind;
  /**
   * L$ by which the change itself raised the balance; negative where it lowered it.
   */
  amount: number;
  /**
   * L$ that came due in the same change, and left the balance beside `amount`. 0 or more.
   */
  expired: number;
  /**
   * The regular balance after it.
   */
  credit: number;
  /**
   * The restricted balance after it.
   */
  restrictedCredit: number;
  /**
   * The parts that lots and permanent credit have in it.
   */
  lots: OwnLotPart[];
  /**
   * The sale that it belongs to. Null: none.
   */
  saleId: string | null;
  /**
   * The product of that sale. Null: it is of no sale, or the product is no more.
   */
  product: ProductName | null;
}
/**
 * The part of credit with one end in a change.
 */
export interface OwnLotPart {
  /**
   * L$ that were added; negative for those that left.
   */
  amount: number;
  /**
   * When they expire. Null: permanent credit.
   */
  expiresAt: string | null;
}
/**
 * One page of a list: owned products.
 */
export interface OwnProductListResponse {
  /**
   * Owned products, at most `limit`.
   */
  data: OwnProductResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * A product that the customer owns.
 */
export interface OwnProductResponse {
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * Name of the product; empty where the store has no such product any more.
   */
  name: string;
  /**
   * How many times the customer has bought it.
   */
  quantity: number;
  /**
   * When the customer bought it first.
   */
  boughtAt: string;
  /**
   * When the dispenser last gave it to the customer; null: never, as far as is known.
   */
  lastDeliveredAt: string | null;
  /**
   * True if it can be sent to the customer again, since copies of it may be made.
   */
  canRedeliver: boolean;
}
/**
 * One page of a list: gift cards.
 */
export interface OwnCardListResponse {
  /**
   * Gift cards, at most `limit`.
   */
  data: OwnCardResponse[];
  /**
   * Where this page stands in the list.
   */
  pagination: Pagination;
}
/**
 * An own gift card that can be redeemed.
 */
export interface OwnCardResponse {
  /**
   * Names the card in this avatar’s requests to redeem it, and nowhere else. It may differ each time.
   */
  card: string;
  /**
   * Balance of the card in L$.
   */
  credit: number;
  /**
   * True if the owner may give the card away.
   */
  transfer: boolean;
  /**
   * UUID of the texture that the card shows inworld; null: none.
   */
  texture: string | null;
  /**
   * True if the card was bought. A granted card was not.
   */
  purchased: boolean;
}
/**
 * Whether a product is on its way to its owner again.
 */
export interface RedeliverOwnResponse {
  /**
   * UUID of the product, in lower case.
   */
  productId: string;
  /**
   * Always true: the queue has the delivery. The item follows.
   */
  queued: boolean;
}
/**
 * The body that is sent to redeem own gift cards for own credit.
 */
export interface RedeemOwnCardRequest {
  /**
   * The `card` of one of the own cards, as it was answered. Left out: up to 20 of them.
   */
  card?: string;
}
/**
 * The rules by which a store gives discounts and bonuses.
 */
export interface StoreRulesResponse {
  /**
   * The percentage for buyers who wear the tag of the group; 0: none.
   */
  groupDiscount: number;
  /**
   * The tiers, by what must have been spent.
   */
  tiers: Tier[];
  /**
   * The credit that a sale gives to its buyer.
   */
  bonus: Bonus;
}
/**
 * A discount for what a buyer spent in the last year.
 */
export interface Tier {
  /**
   * L$ of spend in the last year from which the tier counts.
   */
  from: number;
  /**
   * The percentage that is taken off.
   */
  percent: number;
}
/**
 * The credit that a sale gives to its buyer.
 */
export interface Bonus {
  /**
   * The percentage of the L$ paid and kept; 0: no bonus.
   */
  percent: number;
  /**
   * The same for buyers who wear the tag of the group.
   */
  groupPercent: number;
  /**
   * The type of credit.
   */
  type: CreditType;
  /**
   * Days after which a bonus expires; null: it never does.
   */
  expiresInDays: number | null;
}
/**
 * The body that is sent to replace the rules of the store.
 */
export interface UpdateStoreRulesRequest {
  /**
   * The percentage that is taken off for buyers who wear the tag of the group.
   */
  groupDiscount?: number;
  /**
   * Percentages for what a buyer spent in the last year, at most 10: the highest tier reached counts.
   *
   * @maxItems 10
   */
  tiers?: TierRequest[];
  /**
   * Credit that a sale gives to its buyer. Left out: none.
   */
  bonus?: BonusRequest;
}
/**
 * A discount that the store is to give for what a buyer spent in the last year.
 */
export interface TierRequest {
  /**
   * L$ of spend in the last year from which the tier counts: 1 or more, each once.
   */
  from: number;
  /**
   * The percentage that is taken off: more than 0, at most 4 decimals.
   */
  percent: number;
}
/**
 * The credit that a sale is to give to its buyer.
 */
export interface BonusRequest {
  /**
   * The percentage of the L$ paid and kept that the buyer gets back as credit, rounded down.
   */
  percent?: number;
  /**
   * The same for buyers who wear the tag of the group: for them the larger of both counts.
   */
  groupPercent?: number;
  /**
   * The type of credit that a bonus is.
   */
  type?: CreditType;
  /**
   * Days from the sale on after which a bonus expires. Left out or null: it never does.
   */
  expiresInDays?: number | null;
}
/**
 * The gift card that each sale of a product makes.
 */
export interface ProductGiftCardResponse {
  /**
   * Credit in L$ of the gift card that each sale of the product makes; 0: it makes none.
   */
  credit: number;
  /**
   * UUID of the texture that the card shows inworld; null: none.
   */
  texture: string | null;
}
/**
 * The body that is sent to have a product sell gift cards.
 */
export interface UpdateProductGiftCardRequest {
  /**
   * Credit in L$ of the gift card that each sale of the product makes; 0: it makes none.
   */
  credit: number;
  /**
   * UUID of the texture that the card shows inworld. Left out or null: none.
   */
  texture?: string | null;
}
