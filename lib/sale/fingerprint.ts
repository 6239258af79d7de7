import { createHash } from 'node:crypto';
import type { SaleRequest } from '../routes/sales.ts';

type CountedFields = Record<Exclude<keyof SaleRequest, 'id'>, unknown>;

/**
 * A request's fingerprint: the same for every repeat of it, for ever. It is made from these fields, in this order. A
 * new field of the request comes last, and is undefined here if it has its default. So a sale that an earlier version
 * made still answers its repeats. Otherwise the caller would give the L$ back.
 */
export const fingerprintOf = (request: SaleRequest): string => {
  const counted = {
    productId: request.productId,
    buyerIdentifier: request.buyerIdentifier,
    recipientIdentifier: request.recipientIdentifier,
    useCredit: request.useCredit,
    paid: request.paid,
    quote: request.quote,
    message: request.message,
    reference: request.reference,
    vendorUuid: request.vendorUuid,
    inGroup: request.inGroup || undefined,
  } satisfies CountedFields;
  return createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22);
};
