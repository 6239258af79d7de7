// Written by `npm run openapi` from docs/openapi.json. Change lib/routes/ or apps/reference/, not this file.

import type { Answered, CallOptions, Listed } from './answer.ts';
import type {
  AppliedCouponResponse,
  ApplyCouponRequest,
  BanCustomerRequest,
  BeginPageResponse,
  CategoryListResponse,
  CategoryResponse,
  ClaimPayoutRequest,
  ClaimPayoutResponse,
  CouponListResponse,
  CouponResponse,
  CreateCategoryRequest,
  CreateCouponRequest,
  CreateQuoteRequest,
  CreateSaleRequest,
  CreateWebhookRequest,
  CreditChangeListResponse,
  CreditLotListResponse,
  CustomerBanStateResponse,
  CustomerCouponListResponse,
  CustomerCreditResponse,
  CustomerListResponse,
  CustomerNameListResponse,
  CustomerResponse,
  CustomerSpendResponse,
  DaysResponse,
  DeliverProductRequest,
  DeliveryListResponse,
  DeliveryResponse,
  DispenserListResponse,
  DispenserSecretResponse,
  Endpoints,
  EventListResponse,
  GiftCardListResponse,
  GiftCardResponse,
  GrantGiftCardRequest,
  IncrementCustomerCreditRequest,
  InvitationResponse,
  IssueKeyRequest,
  JournalListResponse,
  KeyListResponse,
  KeyResponse,
  KeySecretResponse,
  LimitCouponRequest,
  MeResponse,
  OpenPageResponse,
  OwnCardListResponse,
  OwnChangeListResponse,
  OwnedProductListResponse,
  OwnLotListResponse,
  OwnProductListResponse,
  PayeeListResponse,
  PayoutListResponse,
  PayoutResponse,
  PayPayeeRequest,
  ProductDeliveryResponse,
  ProductGiftCardResponse,
  ProductListResponse,
  ProductResponse,
  ProductUpsertRequest,
  QuoteResponse,
  RedeemedCardsResponse,
  RedeemedGiftCardResponse,
  RedeemGiftCardRequest,
  RedeemOwnCardRequest,
  RedeemOwnGiftCardsRequest,
  RedeliverOwnResponse,
  RedeliverProductRequest,
  RefundSaleRequest,
  RegisterDispenserRequest,
  RegisterVendorRequest,
  RenameKeyRequest,
  ReportChangeRequest,
  ReportPayoutRequest,
  ResidentResponse,
  RevokeCouponRequest,
  RevokedCouponResponse,
  RotateKeyRequest,
  SaleListResponse,
  SaleResponse,
  SetCustomerCreditRequest,
  SettlePayoutRequest,
  SetVendorProductRequest,
  StoreResponse,
  StoreRulesResponse,
  StoreStateRequest,
  TestedWebhookResponse,
  UndoCreditChangeRequest,
  UndoCreditChangeResponse,
  UpdateCategoryRequest,
  UpdateCouponRequest,
  UpdateCustomerRequest,
  UpdateGiftCardRequest,
  UpdateMeRequest,
  UpdateProductGiftCardRequest,
  UpdateResidentRequest,
  UpdateStoreRulesRequest,
  UpdateWebhookRequest,
  VendorListResponse,
  VendorResponse,
  WebhookDeliveryListResponse,
  WebhookListResponse,
  WebhookResponse,
  WebhookSecretResponse,
} from './types.ts';

/** The methods of the client, by resource. */
export interface Resources {
  coupons: {
    /** List the coupons whose commission goes to an avatar. */
    listOwnerCoupons(
      identifier: string,
      query?: Endpoints['GET /v1/coupons/owner/{identifier}']['query'],
      options?: CallOptions,
    ): Listed<CouponListResponse>;
    /** List coupons. */
    list(query?: Endpoints['GET /v1/coupons']['query'], options?: CallOptions): Listed<CouponListResponse>;
    /** Create a coupon. */
    create(body: CreateCouponRequest, options?: CallOptions): Answered<CouponResponse>;
    /** Read a coupon. */
    get(id: string, options?: CallOptions): Answered<CouponResponse>;
    /** Replace a coupon. */
    update(id: string, body: UpdateCouponRequest, options?: CallOptions): Answered<CouponResponse>;
    /** Apply a coupon to a customer. */
    apply(identifier: string, body: ApplyCouponRequest, options?: CallOptions): Answered<AppliedCouponResponse>;
    /** Revoke a customer's coupon. */
    revoke(identifier: string, body: RevokeCouponRequest, options?: CallOptions): Answered<RevokedCouponResponse>;
    /** List a customer's applied coupons. */
    listCustomerCoupons(
      identifier: string,
      query?: Endpoints['GET /v1/customers/{identifier}/coupons']['query'],
      options?: CallOptions,
    ): Listed<CustomerCouponListResponse>;
    /** Limit a coupon in time and uses. */
    limit(id: string, body: LimitCouponRequest, options?: CallOptions): Answered<CouponResponse>;
  };
  customers: {
    /** List customers. */
    list(query?: Endpoints['GET /v1/customers']['query'], options?: CallOptions): Listed<CustomerListResponse>;
    /** Read a customer. */
    get(identifier: string, options?: CallOptions): Answered<CustomerResponse>;
    /** Update a customer. */
    update(identifier: string, body: UpdateCustomerRequest, options?: CallOptions): Answered<CustomerResponse>;
    /** Read a customer's store credit. */
    getCredit(identifier: string, options?: CallOptions): Answered<CustomerCreditResponse>;
    /** List a customer's credit lots. */
    listCreditLots(
      identifier: string,
      query?: Endpoints['GET /v1/customers/{identifier}/credit/lots']['query'],
      options?: CallOptions,
    ): Listed<CreditLotListResponse>;
    /** List the changes of a customer's credit. */
    listCreditHistory(
      identifier: string,
      query?: Endpoints['GET /v1/customers/{identifier}/credit/history']['query'],
      options?: CallOptions,
    ): Listed<CreditChangeListResponse>;
    /** Read a customer's spend. */
    getSpend(identifier: string, options?: CallOptions): Answered<CustomerSpendResponse>;
    /** Undo a change of a customer's credit. */
    undoCreditChange(
      identifier: string,
      body: UndoCreditChangeRequest,
      options?: CallOptions,
    ): Answered<UndoCreditChangeResponse>;
    /** Set a customer's credit. */
    setCredit(
      identifier: string,
      body: SetCustomerCreditRequest,
      options?: CallOptions,
    ): Answered<CustomerCreditResponse>;
    /** Set a customer's restricted credit. */
    setRestrictedCredit(
      identifier: string,
      body: SetCustomerCreditRequest,
      options?: CallOptions,
    ): Answered<CustomerCreditResponse>;
    /** Add to or take from a customer's credit. */
    incrementCredit(
      identifier: string,
      body: IncrementCustomerCreditRequest,
      options?: CallOptions,
    ): Answered<CustomerCreditResponse>;
    /** Add to or take from a customer's restricted credit. */
    incrementRestrictedCredit(
      identifier: string,
      body: IncrementCustomerCreditRequest,
      options?: CallOptions,
    ): Answered<CustomerCreditResponse>;
    /** Ban a customer. */
    ban(identifier: string, body?: BanCustomerRequest, options?: CallOptions): Answered<CustomerBanStateResponse>;
    /** Lift the ban of a customer. */
    unban(identifier: string, options?: CallOptions): Answered<CustomerBanStateResponse>;
    /** Find customers by the beginning of a name. */
    listNames(query: Endpoints['GET /v1/names']['query'], options?: CallOptions): Listed<CustomerNameListResponse>;
    /** Tell the name of an avatar. */
    updateResident(uuid: string, body: UpdateResidentRequest, options?: CallOptions): Answered<ResidentResponse>;
    /** Open a customer's page. */
    openPage(identifier: string, options?: CallOptions): Answered<OpenPageResponse>;
  };
  giftCards: {
    /** List a customer's gift cards. */
    list(
      identifier: string,
      query?: Endpoints['GET /v1/customers/{identifier}/giftcards']['query'],
      options?: CallOptions,
    ): Listed<GiftCardListResponse>;
    /** Read a gift card. */
    get(id: string, options?: CallOptions): Answered<GiftCardResponse>;
    /** Replace a gift card. */
    update(id: string, body: UpdateGiftCardRequest, options?: CallOptions): Answered<GiftCardResponse>;
    /** Disable a gift card. */
    disable(id: string, options?: CallOptions): Answered<GiftCardResponse>;
    /** Redeem a gift card for credit. */
    redeem(id: string, body: RedeemGiftCardRequest, options?: CallOptions): Answered<RedeemedGiftCardResponse>;
    /** Grant a gift card to a customer. */
    grant(identifier: string, body: GrantGiftCardRequest, options?: CallOptions): Answered<GiftCardResponse>;
    /** Redeem a customer's own gift cards for credit. */
    redeemOwnCards(
      identifier: string,
      body?: RedeemOwnGiftCardsRequest,
      options?: CallOptions,
    ): Answered<RedeemedCardsResponse>;
  };
  products: {
    /** List active products. */
    list(query?: Endpoints['GET /v1/products']['query'], options?: CallOptions): Listed<ProductListResponse>;
    /** Create a product. */
    create(body: ProductUpsertRequest, options?: CallOptions): Answered<ProductResponse>;
    /** Read a product. */
    get(id: string, options?: CallOptions): Answered<ProductResponse>;
    /** Replace a product. */
    update(id: string, body: ProductUpsertRequest, options?: CallOptions): Answered<ProductResponse>;
    /** Queue a product for delivery to a resident. */
    deliver(id: string, body: DeliverProductRequest, options?: CallOptions): Answered<ProductDeliveryResponse>;
    /** List the products that a customer owns. */
    listOwnedProducts(
      identifier: string,
      query?: Endpoints['GET /v1/customers/{identifier}/products']['query'],
      options?: CallOptions,
    ): Listed<OwnedProductListResponse>;
    /** Deliver a product again to a customer who owns it. */
    redeliver(
      identifier: string,
      productId: string,
      body?: RedeliverProductRequest,
      options?: CallOptions,
    ): Answered<ProductDeliveryResponse>;
    /** Read the gift card that a product sells. */
    getGiftCard(id: string, options?: CallOptions): Answered<ProductGiftCardResponse>;
    /** Have a product sell gift cards. */
    updateGiftCard(
      id: string,
      body: UpdateProductGiftCardRequest,
      options?: CallOptions,
    ): Answered<ProductGiftCardResponse>;
  };
  categories: {
    /** List categories. */
    list(query?: Endpoints['GET /v1/categories']['query'], options?: CallOptions): Listed<CategoryListResponse>;
    /** Create a category. */
    create(body: CreateCategoryRequest, options?: CallOptions): Answered<CategoryResponse>;
    /** Read a category. */
    get(id: string, options?: CallOptions): Answered<CategoryResponse>;
    /** Rename a category. */
    update(id: string, body: UpdateCategoryRequest, options?: CallOptions): Answered<CategoryResponse>;
    /** Delete a category. */
    delete(id: string, options?: CallOptions): Answered<undefined>;
    /** Add a product to a category. */
    addProduct(id: string, productId: string, options?: CallOptions): Answered<undefined>;
    /** Remove a product from a category. */
    removeProduct(id: string, productId: string, options?: CallOptions): Answered<undefined>;
  };
  store: {
    /** Read the store and the key of the request. */
    get(options?: CallOptions): Answered<StoreResponse>;
    /** Read a store's days. */
    getDays(query?: Endpoints['GET /v1/store/days']['query'], options?: CallOptions): Answered<DaysResponse>;
    /** Close the store. */
    close(body?: StoreStateRequest, options?: CallOptions): Answered<StoreResponse>;
    /** Open the store. */
    open(body?: StoreStateRequest, options?: CallOptions): Answered<StoreResponse>;
  };
  keys: {
    /** End the key of the request. */
    end(options?: CallOptions): Answered<undefined>;
    /** Issue an API key, or invite a person. */
    issue(body: IssueKeyRequest, options?: CallOptions): Answered<KeySecretResponse>;
    /** List the API keys of the store. */
    list(query?: Endpoints['GET /v1/keys']['query'], options?: CallOptions): Listed<KeyListResponse>;
    /** Read an API key. */
    get(keyId: string, options?: CallOptions): Answered<KeyResponse>;
    /** Rename an API key. */
    rename(keyId: string, body: RenameKeyRequest, options?: CallOptions): Answered<KeyResponse>;
    /** Replace an API key by a new one. */
    rotate(keyId: string, body?: RotateKeyRequest, options?: CallOptions): Answered<KeySecretResponse>;
    /** Revoke an API key or an invitation. */
    revoke(keyId: string, options?: CallOptions): Answered<KeyResponse>;
    /** Read the invitation whose code asks. */
    getInvitation(options?: CallOptions): Answered<InvitationResponse>;
    /** Accept the invitation whose code asks. */
    acceptInvitation(options?: CallOptions): Answered<KeySecretResponse>;
  };
  sales: {
    /** Quote the price of a sale. */
    createQuote(body: CreateQuoteRequest, options?: CallOptions): Answered<QuoteResponse>;
    /** Sell a product. */
    create(body: CreateSaleRequest, options?: CallOptions): Answered<SaleResponse>;
    /** List sales. */
    list(query?: Endpoints['GET /v1/sales']['query'], options?: CallOptions): Listed<SaleListResponse>;
    /** Report that the change of a sale was paid. */
    reportChange(id: string, body: ReportChangeRequest, options?: CallOptions): Answered<SaleResponse>;
    /** Refund a sale. */
    refund(id: string, body?: RefundSaleRequest, options?: CallOptions): Answered<SaleResponse>;
    /** Read a sale. */
    get(id: string, options?: CallOptions): Answered<SaleResponse>;
  };
  payouts: {
    /** List payees. */
    listPayees(query?: Endpoints['GET /v1/payees']['query'], options?: CallOptions): Listed<PayeeListResponse>;
    /** List payouts. */
    list(query?: Endpoints['GET /v1/payouts']['query'], options?: CallOptions): Listed<PayoutListResponse>;
    /** Read a payout. */
    get(id: string, options?: CallOptions): Answered<PayoutResponse>;
    /** Claim the next payout. */
    claim(body?: ClaimPayoutRequest, options?: CallOptions): Answered<ClaimPayoutResponse>;
    /** Report how a payout ended. */
    report(id: string, body: ReportPayoutRequest, options?: CallOptions): Answered<PayoutResponse>;
    /** Settle a payout. */
    settle(id: string, body: SettlePayoutRequest, options?: CallOptions): Answered<PayoutResponse>;
    /** Note a payment by hand. */
    payPayee(identifier: string, body: PayPayeeRequest, options?: CallOptions): Answered<PayoutResponse>;
  };
  vendors: {
    /** Register a vendor. */
    register(uuid: string, body: RegisterVendorRequest, options?: CallOptions): Answered<VendorResponse>;
    /** Read a vendor. */
    get(uuid: string, options?: CallOptions): Answered<VendorResponse>;
    /** Delete a vendor. */
    delete(uuid: string, options?: CallOptions): Answered<undefined>;
    /** List vendors. */
    list(query?: Endpoints['GET /v1/vendors']['query'], options?: CallOptions): Listed<VendorListResponse>;
    /** Set the product that a vendor sells. */
    setProduct(uuid: string, body: SetVendorProductRequest, options?: CallOptions): Answered<VendorResponse>;
  };
  deliveries: {
    /** List deliveries. */
    list(query?: Endpoints['GET /v1/deliveries']['query'], options?: CallOptions): Listed<DeliveryListResponse>;
    /** Read a delivery. */
    get(id: string, options?: CallOptions): Answered<DeliveryResponse>;
    /** Try a delivery again. */
    retry(id: string, options?: CallOptions): Answered<DeliveryResponse>;
  };
  dispenser: {
    /** Register the address of the store's inworld dispenser. */
    register(body: RegisterDispenserRequest, options?: CallOptions): Answered<DispenserSecretResponse>;
    /** List the store's inworld dispensers. */
    listDispensers(
      query?: Endpoints['GET /v1/dispensers']['query'],
      options?: CallOptions,
    ): Listed<DispenserListResponse>;
  };
  events: {
    /** List events. */
    list(query?: Endpoints['GET /v1/events']['query'], options?: CallOptions): Listed<EventListResponse>;
  };
  journal: {
    /** List changes, with who made them. */
    list(query?: Endpoints['GET /v1/journal']['query'], options?: CallOptions): Listed<JournalListResponse>;
  };
  webhooks: {
    /** Create a webhook. */
    create(body: CreateWebhookRequest, options?: CallOptions): Answered<WebhookSecretResponse>;
    /** List webhooks. */
    list(query?: Endpoints['GET /v1/webhooks']['query'], options?: CallOptions): Listed<WebhookListResponse>;
    /** Read a webhook. */
    get(id: string, options?: CallOptions): Answered<WebhookResponse>;
    /** Replace a webhook. */
    update(id: string, body: UpdateWebhookRequest, options?: CallOptions): Answered<WebhookResponse>;
    /** Delete a webhook. */
    delete(id: string, options?: CallOptions): Answered<undefined>;
    /** Give a webhook another secret. */
    rotateSecret(id: string, options?: CallOptions): Answered<WebhookSecretResponse>;
    /** Send a test event to a webhook. */
    test(id: string, options?: CallOptions): Answered<TestedWebhookResponse>;
    /** List the deliveries of a webhook. */
    listDeliveries(
      id: string,
      query?: Endpoints['GET /v1/webhooks/{id}/deliveries']['query'],
      options?: CallOptions,
    ): Listed<WebhookDeliveryListResponse>;
  };
  me: {
    /** Begin the page whose code asks. */
    beginPage(options?: CallOptions): Answered<BeginPageResponse>;
    /** Read what the store holds for the customer. */
    get(options?: CallOptions): Answered<MeResponse>;
    /** Switch the own subscription to news. */
    update(body: UpdateMeRequest, options?: CallOptions): Answered<MeResponse>;
    /** List the customer's own credit that ends. */
    listOwnLots(
      query?: Endpoints['GET /v1/me/credit/lots']['query'],
      options?: CallOptions,
    ): Listed<OwnLotListResponse>;
    /** List the changes of the customer's own credit. */
    listOwnHistory(
      query?: Endpoints['GET /v1/me/credit/history']['query'],
      options?: CallOptions,
    ): Listed<OwnChangeListResponse>;
    /** List what the customer has bought. */
    listOwnProducts(
      query?: Endpoints['GET /v1/me/products']['query'],
      options?: CallOptions,
    ): Listed<OwnProductListResponse>;
    /** List the own gift cards that can be redeemed. */
    listOwnCards(
      query?: Endpoints['GET /v1/me/giftcards']['query'],
      options?: CallOptions,
    ): Listed<OwnCardListResponse>;
    /** Have an own product sent again. */
    redeliverOwn(productId: string, options?: CallOptions): Answered<RedeliverOwnResponse>;
    /** Redeem own gift cards for own credit. */
    redeemOwn(body?: RedeemOwnCardRequest, options?: CallOptions): Answered<RedeemedCardsResponse>;
    /** End the page whose token asks. */
    endPage(options?: CallOptions): Answered<undefined>;
  };
  rules: {
    /** Read the rules of the store. */
    get(options?: CallOptions): Answered<StoreRulesResponse>;
    /** Replace the rules of the store. */
    update(body: UpdateStoreRulesRequest, options?: CallOptions): Answered<StoreRulesResponse>;
  };
}

/**
 * For each method, the request that it makes, and the argument after the values of the path: `body`, `query`, or
 * `list` for the query of a list.
 */
export const operations = {
  coupons: {
    listOwnerCoupons: 'GET /v1/coupons/owner/{identifier} list',
    list: 'GET /v1/coupons list',
    create: 'POST /v1/coupons body',
    get: 'GET /v1/coupons/{id}',
    update: 'PUT /v1/coupons/{id} body',
    apply: 'POST /v1/customers/{identifier}/actions/apply-coupon body',
    revoke: 'POST /v1/customers/{identifier}/actions/revoke-coupon body',
    listCustomerCoupons: 'GET /v1/customers/{identifier}/coupons list',
    limit: 'PUT /v1/coupons/{id}/limits body',
  },
  customers: {
    list: 'GET /v1/customers list',
    get: 'GET /v1/customers/{identifier}',
    update: 'PUT /v1/customers/{identifier} body',
    getCredit: 'GET /v1/customers/{identifier}/credit',
    listCreditLots: 'GET /v1/customers/{identifier}/credit/lots list',
    listCreditHistory: 'GET /v1/customers/{identifier}/credit/history list',
    getSpend: 'GET /v1/customers/{identifier}/spend',
    undoCreditChange: 'POST /v1/customers/{identifier}/actions/undo-credit-change body',
    setCredit: 'POST /v1/customers/{identifier}/actions/set-credit body',
    setRestrictedCredit: 'POST /v1/customers/{identifier}/actions/set-restricted-credit body',
    incrementCredit: 'POST /v1/customers/{identifier}/actions/increment-credit body',
    incrementRestrictedCredit: 'POST /v1/customers/{identifier}/actions/increment-restricted-credit body',
    ban: 'POST /v1/customers/{identifier}/actions/ban body',
    unban: 'POST /v1/customers/{identifier}/actions/unban',
    listNames: 'GET /v1/names list',
    updateResident: 'PUT /v1/residents/{uuid} body',
    openPage: 'POST /v1/customers/{identifier}/actions/open-page',
  },
  giftCards: {
    list: 'GET /v1/customers/{identifier}/giftcards list',
    get: 'GET /v1/giftcards/{id}',
    update: 'PUT /v1/giftcards/{id} body',
    disable: 'POST /v1/giftcards/{id}/actions/disable',
    redeem: 'POST /v1/giftcards/{id}/actions/redeem body',
    grant: 'POST /v1/customers/{identifier}/actions/grant-gift-card body',
    redeemOwnCards: 'POST /v1/customers/{identifier}/giftcards/actions/redeem body',
  },
  products: {
    list: 'GET /v1/products list',
    create: 'POST /v1/products body',
    get: 'GET /v1/products/{id}',
    update: 'PUT /v1/products/{id} body',
    deliver: 'POST /v1/products/{id}/actions/deliver body',
    listOwnedProducts: 'GET /v1/customers/{identifier}/products list',
    redeliver: 'POST /v1/customers/{identifier}/products/{productId}/actions/redeliver body',
    getGiftCard: 'GET /v1/products/{id}/giftcard',
    updateGiftCard: 'PUT /v1/products/{id}/giftcard body',
  },
  categories: {
    list: 'GET /v1/categories list',
    create: 'POST /v1/categories body',
    get: 'GET /v1/categories/{id}',
    update: 'PUT /v1/categories/{id} body',
    delete: 'DELETE /v1/categories/{id}',
    addProduct: 'POST /v1/categories/{id}/products/{productId}',
    removeProduct: 'DELETE /v1/categories/{id}/products/{productId}',
  },
  store: {
    get: 'GET /v1/store',
    getDays: 'GET /v1/store/days query',
    close: 'POST /v1/store/actions/close body',
    open: 'POST /v1/store/actions/open body',
  },
  keys: {
    end: 'POST /v1/store/key/actions/end',
    issue: 'POST /v1/keys body',
    list: 'GET /v1/keys list',
    get: 'GET /v1/keys/{keyId}',
    rename: 'PUT /v1/keys/{keyId} body',
    rotate: 'POST /v1/keys/{keyId}/actions/rotate body',
    revoke: 'POST /v1/keys/{keyId}/actions/revoke',
    getInvitation: 'GET /v1/store/key/invitation',
    acceptInvitation: 'POST /v1/store/key/actions/accept',
  },
  sales: {
    createQuote: 'POST /v1/quotes body',
    create: 'POST /v1/sales body',
    list: 'GET /v1/sales list',
    reportChange: 'POST /v1/sales/{id}/actions/change-paid body',
    refund: 'POST /v1/sales/{id}/actions/refund body',
    get: 'GET /v1/sales/{id}',
  },
  payouts: {
    listPayees: 'GET /v1/payees list',
    list: 'GET /v1/payouts list',
    get: 'GET /v1/payouts/{id}',
    claim: 'POST /v1/payouts/actions/claim body',
    report: 'POST /v1/payouts/{id}/actions/report body',
    settle: 'POST /v1/payouts/{id}/actions/settle body',
    payPayee: 'POST /v1/payees/{identifier}/actions/pay body',
  },
  vendors: {
    register: 'PUT /v1/vendors/{uuid} body',
    get: 'GET /v1/vendors/{uuid}',
    delete: 'DELETE /v1/vendors/{uuid}',
    list: 'GET /v1/vendors list',
    setProduct: 'PUT /v1/vendors/{uuid}/product body',
  },
  deliveries: {
    list: 'GET /v1/deliveries list',
    get: 'GET /v1/deliveries/{id}',
    retry: 'POST /v1/deliveries/{id}/actions/retry',
  },
  dispenser: {
    register: 'PUT /v1/dispenser body',
    listDispensers: 'GET /v1/dispensers list',
  },
  events: {
    list: 'GET /v1/events list',
  },
  journal: {
    list: 'GET /v1/journal list',
  },
  webhooks: {
    create: 'POST /v1/webhooks body',
    list: 'GET /v1/webhooks list',
    get: 'GET /v1/webhooks/{id}',
    update: 'PUT /v1/webhooks/{id} body',
    delete: 'DELETE /v1/webhooks/{id}',
    rotateSecret: 'POST /v1/webhooks/{id}/actions/rotate-secret',
    test: 'POST /v1/webhooks/{id}/actions/test',
    listDeliveries: 'GET /v1/webhooks/{id}/deliveries list',
  },
  me: {
    beginPage: 'POST /v1/me/actions/begin',
    get: 'GET /v1/me',
    update: 'PUT /v1/me body',
    listOwnLots: 'GET /v1/me/credit/lots list',
    listOwnHistory: 'GET /v1/me/credit/history list',
    listOwnProducts: 'GET /v1/me/products list',
    listOwnCards: 'GET /v1/me/giftcards list',
    redeliverOwn: 'POST /v1/me/products/{productId}/actions/redeliver',
    redeemOwn: 'POST /v1/me/giftcards/actions/redeem body',
    endPage: 'POST /v1/me/actions/end',
  },
  rules: {
    get: 'GET /v1/store/rules',
    update: 'PUT /v1/store/rules body',
  },
};
