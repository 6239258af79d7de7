/**
 * The attributes that the journal watches, by the kind of their item. Each write of one of them notes its author. The
 * bundle of every function has this list, so it stands alone.
 */
export const watched = {
  PRODUCT: [
    ...([
      'name',
      'price',
      'image',
      'listed',
      'bloggable',
      'permissions',
      'discount',
      'availableAmount',
      'limited',
    ] as const),
    ...(['item', 'blockCredits', 'description', 'profitShares', 'demoId', 'active', 'giftCard'] as const),
  ],
  COUPON: ['code', 'discount', 'ownerProfit', 'active', 'bloggersSync', 'expiration', 'usesPerCustomer'],
  CATEGORY: ['name', 'member'],
  CUSTOMER: ['discount', 'newsSubscriber', 'isBanned'],
  GIFTCARD: ['credit', 'active', 'transfer', 'texture', 'redeemed'],
  SALE: ['refundedAt'],
  PAYOUT: ['state'],
  VENDOR: ['productId'],
  DISPENSER: ['region', 'priority', 'url'],
  WEBHOOK: ['events', 'description', 'format', 'state', 'url', 'secret'],
  STORE: ['open', 'rules'],
  KEY: ['name', 'scopes', 'expiresAt', 'status', 'rotatedTo'],
} as const satisfies Record<string, readonly string[]>;

/** The kinds of things that somebody can delete, which the journal tells. */
export const deletable: readonly string[] = ['CATEGORY', 'VENDOR', 'DISPENSER', 'WEBHOOK'];

export const actorTypes = ['key', 'customer', 'operator', 'service', 'unknown'] as const;
export type ActorType = (typeof actorTypes)[number];
