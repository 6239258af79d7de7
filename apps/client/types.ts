// Written by `npm run openapi` from docs/openapi.json. Change lib/routes/ or apps/reference/, not this file.

export type EventResponse =
  | CreditChangedEvent
  | GiftcardGrantedEvent
  | GiftcardPurchasedEvent
  | GiftcardRedeemedEvent
  | GiftcardDisabledEvent
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
  | PayoutPaidEvent
  | PayoutFailedEvent
  | PayoutUnknownEvent
  | VendorRegisteredEvent
  | VendorLostEvent
  | StoreClosedEvent
  | StoreOpenedEvent;

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
      type?: 'regular' | 'restricted';
      /**
       * Only open lots, or those that ended this way.
       */
      state?: 'open' | 'drained' | 'expired' | 'superseded';
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
      type?: 'regular' | 'restricted';
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
    body?: RedeemOwnCardsRequest;
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
      state?: 'completed' | 'refused' | 'refunded';
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
      state?: 'claimed' | 'unknown' | 'paid' | 'failed';
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
      state?: 'active' | 'lost';
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
      state?: 'queued' | 'waiting' | 'delivered' | 'failed';
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
    body: PutDispenserRequest;
    answer: DispenserResponse;
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
    body: PutResidentRequest;
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
      type?:
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
        | 'payout.paid'
        | 'payout.failed'
        | 'payout.unknown'
        | 'vendor.registered'
        | 'vendor.lost'
        | 'store.closed'
        | 'store.opened';
      /**
       * Begins behind the event with this id, which the store must still have. Not beside a cursor.
       */
      after?: string;
    };
    answer: EventListResponse;
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
      state?: 'pending' | 'delivered' | 'failed';
    };
    answer: WebhookDeliveryListResponse;
  };
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
    body: StoreRulesRequest;
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
    body: ProductGiftCardRequest;
    answer: ProductGiftCardResponse;
  };
}
export interface CouponListResponse {
  /**
   * Coupons, at most `limit`.
   */
  data: CouponResponse[];
  pagination: Pagination;
}
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
  scope: 'store' | 'product';
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
export interface RevokedCouponResponse {
  /**
   * True if there was such an application. It is gone in either case.
   */
  revoked: boolean;
}
export interface CustomerCouponListResponse {
  /**
   * Applied coupons, at most `limit`.
   */
  data: CustomerCouponResponse[];
  pagination: Pagination;
}
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
  scope: 'store' | 'product';
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
export interface CustomerListResponse {
  /**
   * Customers, at most `limit`.
   */
  data: CustomerResponse[];
  pagination: Pagination;
}
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
export interface CreditLotListResponse {
  /**
   * Credit lots, at most `limit`.
   */
  data: CreditLotResponse[];
  pagination: Pagination;
}
export interface CreditLotResponse {
  /**
   * UUID of the lot, in lower case.
   */
  id: string;
  /**
   * The type of credit.
   */
  type: 'regular' | 'restricted';
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
  state: 'open' | 'drained' | 'expired' | 'superseded';
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
export interface CreditChangeListResponse {
  /**
   * Changes of credit, at most `limit`.
   */
  data: CreditChangeResponse[];
  pagination: Pagination;
}
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
  type: 'regular' | 'restricted';
  /**
   * The kind of change. `bonus`: a sale gave it, or its refund took back what was left. `undo`: it took back what was left of an earlier change, and gave back what that had taken. `opening`: the balance when history began. `unrecorded`: history had failed for more than a day, and the balances alone are known.
   */
  kind:
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
  lots: {
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
  }[];
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
  undone: {
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
  } | null;
}
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
  credit: CustomerCreditResponse;
}
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
export interface BanCustomerRequest {
  /**
   * Why, for the store’s own records: at most 1,000 characters. A second ban with a reason replaces it, one without keeps it; lifting the ban deletes it.
   */
  reason?: string;
}
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
export interface CustomerNameListResponse {
  /**
   * Names of customers, former ones too, by name, at most `limit`.
   */
  data: CustomerNameResponse[];
  pagination: Pagination;
}
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
export interface GiftCardListResponse {
  /**
   * Gift cards, at most `limit`.
   */
  data: GiftCardResponse[];
  pagination: Pagination;
}
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
export interface RedeemedGiftCardResponse {
  giftCard: GiftCardResponse;
  credit: CustomerCreditResponse;
}
export interface GrantGiftCardRequest {
  /**
   * Balance of the card in L$.
   */
  credit: number;
  /**
   * UUID of the texture that the card shows inworld; null: none.
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
export interface RedeemOwnCardsRequest {
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
  /**
   * A number or name from the store’s own records, such as a ticket: at most 100 characters.
   */
  reference?: string;
}
export interface RedeemedCardsResponse {
  /**
   * The number of cards that were redeemed: at most 20.
   */
  cards: number;
  /**
   * L$ of credit that came of them.
   */
  amount: number;
  credit: CustomerCreditResponse;
  /**
   * True if the customer has more cards that can be redeemed.
   */
  more: boolean;
}
export interface ProductListResponse {
  /**
   * Active products, at most `limit`.
   */
  data: ProductResponse[];
  pagination: Pagination;
}
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
  permissions: ProductPermissions;
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
export interface ProductDiscount {
  /**
   * Type 0: percent. Types 1 and 2: L$.
   */
  value: number;
  /**
   * DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.
   */
  type: 0 | 1 | 2;
  /**
   * When the discount begins; null: it has begun.
   */
  startDate: string | null;
  /**
   * When the discount ends: it runs before this time; null: it has no end.
   */
  endDate: string | null;
}
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
  permissions?: ProductPermissionsRequest;
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
   * UUID of another product of the store that is the demo of this one; null: none.
   */
  demoId?: string | null;
  /**
   * True while the product is sold. An inactive one is not listed and not delivered.
   */
  active?: boolean;
}
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
export interface ProductDiscountRequest {
  /**
   * Type 0: percent, from 0 to 100. Types 1 and 2: a whole number of L$.
   */
  value?: number;
  /**
   * DiscountType. `0`: percent off. `1`: flat amount off. `2`: the price is replaced by `value`.
   */
  type?: 0 | 1 | 2;
  /**
   * When the discount begins: an ISO 8601 date-time with an offset; null: at once.
   */
  startDate?: string | null;
  /**
   * When the discount ends; null: never. Must be later than `startDate`.
   */
  endDate?: string | null;
}
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
export interface OwnedProductListResponse {
  /**
   * Owned products, at most `limit`.
   */
  data: OwnedProductResponse[];
  pagination: Pagination;
}
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
export interface RedeliverProductRequest {
  /**
   * A note that is sent to the recipient with the item: at most 1,023 **bytes** of UTF-8; tabs and line ends are allowed.
   */
  message?: string;
}
export interface CategoryListResponse {
  /**
   * Categories, at most `limit`.
   */
  data: CategoryResponse[];
  pagination: Pagination;
}
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
export interface CreateCategoryRequest {
  /**
   * Name of the category: at most 255 characters. Need not be unique. Surrounding blanks are trimmed.
   */
  name: string;
}
export interface UpdateCategoryRequest {
  /**
   * Name of the category: at most 255 characters. Need not be unique. Surrounding blanks are trimmed.
   */
  name: string;
}
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
  key: {
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
  };
}
export interface DaysResponse {
  /**
   * The days on which something happened, oldest first. Those of a vendor have only what its sales come to: `sales`, `refunds`, `paid` and `refunded`.
   */
  data: {
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
  }[];
}
export interface StoreStateRequest {
  /**
   * Why, for the store’s own records: at most 200 characters.
   */
  reason?: string;
}
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
  refusal:
    | (
        | 'unknown-resident'
        | 'unknown-product'
        | 'quote'
        | 'closed'
        | 'banned'
        | 'inactive'
        | 'sold-out'
        | 'credit-changed'
        | 'coupon-used'
        | 'underpaid'
      )
    | null;
  /**
   * Send it with the sale: it fixes these prices for two minutes. Null where the sale would be refused.
   */
  quote: string | null;
  /**
   * When the quote ends: it counts before this time. Null without a quote.
   */
  expiresAt: string | null;
}
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
export interface SaleResponse {
  /**
   * UUID of the sale, in lower case.
   */
  id: string;
  /**
   * `completed`, `refused`, or `refunded` once it was completed.
   */
  state: 'completed' | 'refused' | 'refunded';
  /**
   * Why it was refused. Null: it was not.
   */
  refusal:
    | (
        | 'unknown-resident'
        | 'unknown-product'
        | 'quote'
        | 'closed'
        | 'banned'
        | 'inactive'
        | 'sold-out'
        | 'credit-changed'
        | 'coupon-used'
        | 'underpaid'
      )
    | null;
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
export interface SaleListResponse {
  /**
   * Sales, at most `limit`.
   */
  data: SaleResponse[];
  pagination: Pagination;
}
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
export interface PayeeListResponse {
  /**
   * Avatars that the store has owed or paid something, by UUID, at most `limit`.
   */
  data: PayeeResponse[];
  pagination: Pagination;
}
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
export interface PayoutListResponse {
  /**
   * Payouts, the newest first, at most `limit`.
   */
  data: PayoutResponse[];
  pagination: Pagination;
}
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
  state: 'claimed' | 'unknown' | 'paid' | 'failed';
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
export interface ClaimPayoutResponse {
  /**
   * The payout to be made now. Null: nobody is to be paid.
   */
  payout: PayoutResponse | null;
}
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
  state: 'active' | 'lost';
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
export interface VendorListResponse {
  /**
   * Vendors, by UUID, at most `limit`.
   */
  data: VendorResponse[];
  pagination: Pagination;
}
export interface SetVendorProductRequest {
  /**
   * UUID of the product that the vendor is to sell; null: none.
   */
  productId: string | null;
}
export interface DeliveryListResponse {
  /**
   * Deliveries, the newest first, at most `limit`.
   */
  data: DeliveryResponse[];
  pagination: Pagination;
}
export interface DeliveryResponse {
  /**
   * UUID of the delivery, as the header `Delivery-Id` named it.
   */
  id: string;
  /**
   * `queued`: it will be tried. `waiting`: for the dispenser to register. `delivered` and `failed`: it has ended.
   */
  state: 'queued' | 'waiting' | 'delivered' | 'failed';
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
export interface PutDispenserRequest {
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
export interface DispenserListResponse {
  /**
   * The boxes in the order in which they are asked, at most `limit`.
   */
  data: DispenserRow[];
  pagination: Pagination;
}
export interface DispenserRow {
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
export interface PutResidentRequest {
  /**
   * The avatar’s current name: `first`, `first.last` or `first last`.
   */
  username: string;
}
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
export interface EventListResponse {
  /**
   * Events that the key may read, in the order in which they were noted, at most `limit`.
   */
  data: EventResponse[];
  pagination: Pagination;
}
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
  data: ChangedCredit;
}
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
export interface GiftcardGrantedEvent {
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
  data: GrantedGiftCard;
}
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
export interface GiftcardPurchasedEvent {
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
  data: GiftCardResponse;
}
export interface GiftcardRedeemedEvent {
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
  data: GiftCardResponse;
}
export interface GiftcardDisabledEvent {
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
  data: GiftCardResponse;
}
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
  data: SaleResponse;
}
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
  data: SaleResponse;
}
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
  data: SaleResponse;
}
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
  data: DeliveryResponse;
}
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
  data: DeliveryResponse;
}
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
  data: DeliveryResponse;
}
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
  data: RegisteredDispenser;
}
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
  data: LostDispenser;
}
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
  data: CustomerCouponResponse;
}
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
  data: CustomerBanStateResponse;
}
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
  data: CustomerBanStateResponse;
}
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
  data: ProductResponse;
}
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
  data: PayoutResponse;
}
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
  data: PayoutResponse;
}
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
  data: PayoutResponse;
}
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
  data: VendorResponse;
}
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
  data: VendorResponse;
}
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
  data: StoreState;
}
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
  data: StoreState;
}
export interface CreateWebhookRequest {
  /**
   * Where events are sent: `https` on port 443 of a public host, at most 500 characters.
   */
  url: string;
  /**
   * The types of events that are sent: one or more, each once.
   *
   * @minItems 1
   * @maxItems 24
   */
  events: (
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
    | 'payout.paid'
    | 'payout.failed'
    | 'payout.unknown'
    | 'vendor.registered'
    | 'vendor.lost'
    | 'store.closed'
    | 'store.opened'
  )[];
  /**
   * A text for people: at most 200 characters. Left out: empty.
   */
  description?: string;
  /**
   * `standard`: as Standard Webhooks have it, signed. `discord`: a message for a Discord channel.
   */
  format?: 'standard' | 'discord';
}
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
  events: (
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
    | 'payout.paid'
    | 'payout.failed'
    | 'payout.unknown'
    | 'vendor.registered'
    | 'vendor.lost'
    | 'store.closed'
    | 'store.opened'
  )[];
  /**
   * A text for people.
   */
  description: string;
  /**
   * `standard` or `discord`.
   */
  format: 'standard' | 'discord';
  /**
   * `disabled`: nothing is sent. An answer 410 and five days of failure disable it as well.
   */
  state: 'active' | 'disabled';
  /**
   * The key of its signatures: `whsec_` and the Base64 of 32 bytes. Keep it: no other answer has it.
   */
  secret: string;
}
export interface WebhookListResponse {
  /**
   * Webhooks, in the order of their creation, at most `limit`.
   */
  data: WebhookResponse[];
  pagination: Pagination;
}
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
  events: (
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
    | 'payout.paid'
    | 'payout.failed'
    | 'payout.unknown'
    | 'vendor.registered'
    | 'vendor.lost'
    | 'store.closed'
    | 'store.opened'
  )[];
  /**
   * A text for people.
   */
  description: string;
  /**
   * `standard` or `discord`.
   */
  format: 'standard' | 'discord';
  /**
   * `disabled`: nothing is sent. An answer 410 and five days of failure disable it as well.
   */
  state: 'active' | 'disabled';
}
export interface UpdateWebhookRequest {
  /**
   * Where events are sent: `https` on port 443 of a public host, at most 500 characters.
   */
  url: string;
  /**
   * The types of events that are sent: one or more, each once.
   *
   * @minItems 1
   * @maxItems 24
   */
  events: (
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
    | 'payout.paid'
    | 'payout.failed'
    | 'payout.unknown'
    | 'vendor.registered'
    | 'vendor.lost'
    | 'store.closed'
    | 'store.opened'
  )[];
  /**
   * A text for people: at most 200 characters. Left out: empty.
   */
  description?: string;
  /**
   * `standard`: as Standard Webhooks have it, signed. `discord`: a message for a Discord channel.
   */
  format?: 'standard' | 'discord';
  /**
   * `active` enables it again. Left out: stays as it is.
   */
  state?: 'active' | 'disabled';
}
export interface TestedWebhookResponse {
  /**
   * UUID of the event `webhook.ping` that is sent.
   */
  eventId: string;
}
export interface WebhookDeliveryListResponse {
  /**
   * Deliveries of events, the newest first, at most `limit`.
   */
  data: WebhookDeliveryResponse[];
  pagination: Pagination;
}
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
  type:
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
    | 'payout.paid'
    | 'payout.failed'
    | 'payout.unknown'
    | 'vendor.registered'
    | 'vendor.lost'
    | 'store.closed'
    | 'store.opened'
    | 'webhook.ping';
  /**
   * `pending`: it will be tried again. `delivered` and `failed`: it has ended.
   */
  state: 'pending' | 'delivered' | 'failed';
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
export interface StoreRulesResponse {
  /**
   * The percentage for buyers who wear the tag of the group; 0: none.
   */
  groupDiscount: number;
  /**
   * The tiers, by what must have been spent.
   */
  tiers: {
    /**
     * L$ of spend in the last year from which the tier counts.
     */
    from: number;
    /**
     * The percentage that is taken off.
     */
    percent: number;
  }[];
  /**
   * The credit that a sale gives to its buyer.
   */
  bonus: {
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
    type: 'restricted' | 'regular';
    /**
     * Days after which a bonus expires; null: it never does.
     */
    expiresInDays: number | null;
  };
}
export interface StoreRulesRequest {
  /**
   * The percentage that is taken off for buyers who wear the tag of the group.
   */
  groupDiscount?: number;
  /**
   * Percentages for what a buyer spent in the last year, at most 10: the highest tier reached counts.
   *
   * @maxItems 10
   */
  tiers?: {
    /**
     * L$ of spend in the last year from which the tier counts: 1 or more, each once.
     */
    from: number;
    /**
     * The percentage that is taken off: more than 0, at most 4 decimals.
     */
    percent: number;
  }[];
  /**
   * Credit that a sale gives to its buyer. Left out: none.
   */
  bonus?: {
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
    type?: 'restricted' | 'regular';
    /**
     * Days from the sale on after which a bonus expires; null: it never does.
     */
    expiresInDays?: number | null;
  };
}
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
export interface ProductGiftCardRequest {
  /**
   * Credit in L$ of the gift card that each sale of the product makes; 0: it makes none.
   */
  credit: number;
  /**
   * UUID of the texture that the card shows inworld. Left out or null: none.
   */
  texture?: string | null;
}
