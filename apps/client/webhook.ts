import type { EventResponse, EventType } from './types.ts';

/** An event as `GET /v1/events` lists it. Its `type` tells which `data` it has. */
export type StoreEvent = EventResponse;

/** The data of an event of a type: `EventData<'sale.completed'>`. */
export type EventData<T extends EventType> = Extract<StoreEvent, { type: T }>['data'];

type MessageOf<T extends EventType> = T extends EventType
  ? {
      type: T;
      timestamp: string;
      /** Made by `store trigger`: it did not really happen. */
      sample?: true;
      data: EventData<T>;
    }
  : never;

/**
 * The body of a webhook's message: an event, or the test that `actions/test` sends. Its `type` tells which `data` it
 * has.
 */
export type WebhookMessage =
  | MessageOf<EventType>
  | { type: 'webhook.ping'; timestamp: string; data: { webhookId: string } };

/** The message is not from the service, or too old. */
export class WebhookRefused extends Error {}

export interface VerifyOptions {
  /** The secret of the webhook: `whsec_` and Base64. */
  secret: string;
  /** The headers, as `fetch` or Node.js have them. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body exactly as it was received. Parsed and written again it may differ. */
  body: string;
  /** How old a message may be, or how far ahead its clock. 300 by default. */
  toleranceSeconds?: number;
}

const headerOf = (headers: VerifyOptions['headers'], name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new WebhookRefused(`The header ${name} is missing.`);
  return value;
};

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

/**
 * Checks the signature and the time of a message, and returns its parsed body. Throws `WebhookRefused` for a message
 * that is not from the service, and a TypeError for a secret without a key. The header `webhook-id` names the event: a
 * repeated message has the same one.
 */
export const verifyWebhook = async ({
  secret,
  headers,
  body,
  toleranceSeconds = 300,
}: VerifyOptions): Promise<WebhookMessage> => {
  const [id, seconds] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) <= toleranceSeconds))
    throw new WebhookRefused('The message is too old, or its time is wrong.');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0) throw new TypeError('secret must be whsec_ and Base64, as the webhook has it.');
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  for (const signature of signatures)
    if (
      signature.startsWith('v1,') &&
      (await crypto.subtle.verify('HMAC', key, decodeBase64(signature.slice(3)), signed))
    )
      return JSON.parse(body);
  throw new WebhookRefused('No signature is that of the secret.');
};
