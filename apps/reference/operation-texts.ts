import type { OperationText } from './operation-text.ts';
import { categoryTexts } from './operations/categories.ts';
import { couponTexts } from './operations/coupons.ts';
import { customerTexts } from './operations/customers.ts';
import { deliveryTexts } from './operations/deliveries.ts';
import { dispenserTexts } from './operations/dispenser.ts';
import { eventTexts } from './operations/events.ts';
import { findingTexts } from './operations/finding.ts';
import { giftCardTexts } from './operations/gift-cards.ts';
import { keyTexts } from './operations/keys.ts';
import { meTexts } from './operations/me.ts';
import { payoutTexts } from './operations/payouts.ts';
import { productTexts } from './operations/products.ts';
import { residentTexts } from './operations/residents.ts';
import { ruleTexts } from './operations/rules.ts';
import { salesTexts } from './operations/sales.ts';
import { storeTexts } from './operations/store.ts';
import { vendorTexts } from './operations/vendors.ts';
import { webhookTexts } from './operations/webhooks.ts';

/** By the rows' ids. */
export const operationTexts: Record<string, OperationText> = {
  ...couponTexts,
  ...customerTexts,
  ...findingTexts,
  ...giftCardTexts,
  ...productTexts,
  ...categoryTexts,
  ...storeTexts,
  ...salesTexts,
  ...payoutTexts,
  ...vendorTexts,
  ...deliveryTexts,
  ...dispenserTexts,
  ...residentTexts,
  ...eventTexts,
  ...webhookTexts,
  ...keyTexts,
  ...meTexts,
  // They change what later sales cost.
  ...ruleTexts,
};
