import { redeliver } from '../delivery/order.ts';
import { answerOnce } from '../table/idempotency.ts';

/** A product that a run delivers again to its owners. */
export interface SendingRun {
  store: string;
  /** The name of the run, which a repeat of it has too. */
  name: string;
  productId: string;
  /** The note that each delivery brings, at most 1,023 bytes. */
  message: string;
}

/**
 * Orders the delivery to an owner, at most once a day, however often the run asks. A repeat answers the id of the same
 * delivery. Throws what `redeliver` throws.
 */
export const sendAgainOnce = async ({ store, name, productId, message }: SendingRun, uuid: string): Promise<string> => {
  const idempotencyKey = `${name} ${productId} ${uuid}`;
  const { answer } = await answerOnce(
    {
      store,
      keyId: 'operator',
      idempotencyKey,
      request: idempotencyKey,
      answerOf: (result) => ({ statusCode: 200, headers: {}, body: String(result) }),
    },
    async () => (await redeliver(store, { uuid }, productId, message)).deliveryId,
  );
  return answer.body;
};
