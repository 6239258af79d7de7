import { createHash } from 'node:crypto';
import type { SaleRequest } from '../routes/sales.ts';

type CountedFields = Record<Exclude<keyof SaleRequest, 'id'>, unknown>;

/**
 * The same for every repeat of a request for a sale, for ever: the fields that count stand here one by one, in this
 * order. A field that is added to the request comes last, and is undefined here where it has its default: so a sale
 * that an earlier version made still answers its repeats, which its caller would else pay back.
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
