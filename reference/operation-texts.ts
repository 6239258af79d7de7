import { categoryTexts } from './operations/categories.ts';
import { couponTexts } from './operations/coupons.ts';
import { customerTexts } from './operations/customers.ts';
import { deliveryTexts } from './operations/deliveries.ts';
import { dispenserTexts } from './operations/dispenser.ts';
import { eventTexts } from './operations/events.ts';
import { giftCardTexts } from './operations/gift-cards.ts';
import { productTexts } from './operations/products.ts';
import { residentTexts } from './operations/residents.ts';
import { salesTexts } from './operations/sales.ts';
import { storeTexts } from './operations/store.ts';
import { webhookTexts } from './operations/webhooks.ts';

/**
 * Describes an operation for integrators, with one example of it. The examples work on the demo data as it is at first.
 */
export interface OperationText {
  description: string;
  /** Values of path and query parameters, by name. */
  parameters?: Record<string, unknown>;
  request?: unknown;
  /** A body that is refused with 400 at the same path. */
  refused?: unknown;
}

/** By the rows' ids. */
export const operationTexts: Record<string, OperationText> = {
  ...couponTexts,
  ...customerTexts,
  ...giftCardTexts,
  ...productTexts,
  ...categoryTexts,
  ...storeTexts,
  ...salesTexts,
  ...deliveryTexts,
  ...dispenserTexts,
  ...residentTexts,
  ...eventTexts,
  ...webhookTexts,
};
