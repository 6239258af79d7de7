import type { OperationText } from '../operation-text.ts';

const failed = '00000008-dede-4ede-8ede-000000000002';

export const deliveryTexts: Record<string, OperationText> = {
  'deliveries/list-deliveries': {
    description:
      '**An extension of this service, beyond the contract.** Deliveries, the newest first. A delivery is listed from its first ' +
      'attempt on, usually within two seconds of its order. Filters combine with AND.',
    parameters: { limit: 1, state: 'failed', recipient: 'Vera Vendor' },
  },
  'deliveries/get-delivery': {
    description:
      '**An extension of this service, beyond the contract.** One delivery, by the id that the header `Delivery-Id` named. 404 ' +
      'until its first attempt.',
    parameters: { id: failed },
  },
  'deliveries/retry-delivery': {
    description:
      '**An extension of this service, beyond the contract.** Tries a delivery again that is waiting or has failed, for another ' +
      '14 days. 400 in any other state. After a 503 nothing has changed, though the queue may try it once: send the request again.',
    parameters: { id: failed },
  },
};
