import * as z from 'zod';
import { route } from './route.ts';
import {
  answerText,
  answerTextOrNull,
  identifier,
  listOf,
  maxLength,
  pageQuery,
  time,
  timeOrNull,
  uuid,
} from './wire.ts';

/** `queued`: a worker will try it. `waiting`: it waits for a dispenser to register. The other two are final. */
export const deliveryStates = ['queued', 'waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const DeliveryResponse = z
  .object({
    id: uuid().describe('UUID of the delivery, as the header `Delivery-Id` named it.'),
    state: z
      .enum(deliveryStates)
      .describe(
        '`queued`: it will be tried. `waiting`: for the dispenser to register. `delivered` and `failed`: it has ended.',
      ),
    productId: uuid().describe('UUID of the product, in lower case.'),
    item: answerText(maxLength.item).describe(
      'Name of the item in the dispenser’s contents, as it was when the delivery was ordered.',
    ),
    recipientUuid: uuid().describe('UUID of the recipient, in lower case.'),
    recipientUsername: answerText(maxLength.username).describe(
      'Username of the recipient when the delivery was ordered.',
    ),
    attempts: z.int().describe('Number of attempts so far.'),
    lastError: answerTextOrNull(maxLength.failure).describe(
      'Why the last attempt failed; null: none has failed, or it is delivered.',
    ),
    createdAt: time().describe('When it was ordered.'),
    endedAt: timeOrNull().describe('When it was delivered or failed; null: it goes on.'),
    saleId: uuid().nullable().describe('UUID of the sale that it belongs to; null: of none.'),
  })
  .meta({ id: 'DeliveryResponse' });

const filters = {
  state: z
    .enum(deliveryStates, { error: 'must be queued, waiting, delivered or failed' })
    .optional()
    .describe('Only deliveries in this state.'),
  recipient: identifier()
    .optional()
    .describe('Only deliveries to this avatar, by username or UUID. An unknown one gives an empty list.'),
};

export type DeliveryFilter = z.output<z.ZodObject<typeof filters>>;
export type DeliveryAnswer = z.output<typeof DeliveryResponse>;

export const listDeliveries = route('GET /v1/deliveries', {
  id: 'deliveries/list-deliveries',
  summary: 'List deliveries',
  scope: 'deliveries:read',
  query: z.object({ ...pageQuery, ...filters }),
  response: listOf('DeliveryListResponse', 'Deliveries, the newest first', DeliveryResponse),
  reads: ['DELIVERY'],
  resolves: true,
  extension: true,
});

export const getDelivery = route('GET /v1/deliveries/{id}', {
  id: 'deliveries/get-delivery',
  summary: 'Read a delivery',
  scope: 'deliveries:read',
  response: DeliveryResponse,
  reads: ['DELIVERY'],
  extension: true,
});

export const retryDelivery = route('POST /v1/deliveries/{id}/actions/retry', {
  id: 'deliveries/retry-delivery',
  summary: 'Try a delivery again',
  scope: 'products:deliver',
  response: DeliveryResponse,
  reads: ['SALE'],
  writes: ['DELIVERY'],
  queue: true,
  extension: true,
});
