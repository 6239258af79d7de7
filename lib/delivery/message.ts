import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { SentEventType } from '../routes/webhooks.ts';
import { isLater } from '../shape.ts';
import { ttlAttribute } from '../table/schema.ts';

/** A delivery order. The message carries all of it, so that no record has to exist before the message. */
const Order = z.object({
  kind: z.literal('deliver'),
  store: z.string().min(1),
  id: z.guid(),
  productId: z.guid(),
  recipientUuid: z.guid(),
  recipientUsername: z.string(),
  item: z.string().min(1),
  message: z.string(),
  /** When it was ordered. */
  createdAt: z.iso.datetime(),
  /** The sale that it belongs to, if any. */
  saleId: z.guid().optional(),
});

/** A store's dispenser has an address, so the store's waiting deliveries must be put on the queue again. */
const HandOver = z.object({ kind: z.literal('hand-over'), store: z.string().min(1) });

/** An event must be sent to a webhook. */
const EventMessage = z.object({
  kind: z.literal('event'),
  store: z.string().min(1),
  webhook: z.guid(),
  event: z.guid(),
  type: z.string().min(1) as unknown as z.ZodType<SentEventType>,
  notedAt: z.iso.datetime(),
});

/**
 * The vendors of a product must be told of a change that was made at `at` or before. `after` skips the vendors up to
 * this UUID.
 */
const ProductChange = z.object({
  kind: z.literal('product-changed'),
  store: z.string().min(1),
  product: z.guid(),
  at: z.iso.datetime(),
  after: z.guid().optional(),
});

/** A vendor must be told of a change in what it shows, made at `at` or before. */
const VendorChange = z.object({
  kind: z.literal('vendor-changed'),
  store: z.string().min(1),
  vendor: z.guid(),
  at: z.iso.datetime(),
});

const QueueMessage = z.discriminatedUnion('kind', [Order, HandOver, EventMessage, ProductChange, VendorChange]);

export type Order = z.output<typeof Order>;
export type DeliveryMessage = z.output<typeof Order | typeof HandOver>;
export type ProductChange = z.output<typeof ProductChange>;
export type VendorChange = z.output<typeof VendorChange>;
export type QueueMessage = z.output<typeof QueueMessage>;

/** JSON in ASCII, since SQS and its local replacement do not accept every character. */
export const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const encodeMessage = (message: QueueMessage): string => asciiJson(message);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** True for a message that only a later version of the service can read. */
export const isLaterMessage = (text: string): boolean => isLater(parsed(text));

/**
 * Reads a message, with the fields that a later version added; undefined for a message that is not ours, or that only a
 * later version can read.
 */
export const decodeMessage = (text: string): QueueMessage | undefined => {
  const value = parsed(text);
  const { data } = QueueMessage.safeParse(value);
  return data && !isLater(value) ? { ...(value as object), ...data } : undefined;
};

const ofTheTable = ['pk', 'sk', 'flags', 'ranked', 'rank', 'dues', 'due', 'stamp', 'earlierStamp', ttlAttribute];

/**
 * The order from which an item was made: all attributes except the item's own. So it has fields that a later version
 * added.
 */
export const orderIn = (item: object, own: readonly string[]): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !own.includes(name) && !ofTheTable.includes(name)));

/** The first line of every request to a dispenser after its signature: the protocol and its version. */
const protocol = 'SIS1';

interface DispenserRequest extends Pick<Order, 'id' | 'recipientUuid' | 'item' | 'message'> {
  /** Milliseconds since 1970: when the request is made, and when the delivery ends. */
  at: number;
  expiresAt: number;
}

const seconds = (millis: number): string => String(Math.floor(millis / 1000));

/** Signs lines: the first line of the body is the Base64 HMAC-SHA256 of all that follows it. */
const signedBody = (lines: string[], secret: string): string => {
  const text = lines.join('\n');
  return `${createHmac('sha256', secret).update(text).digest('base64')}\n${text}`;
};

/**
 * The body of a request to a dispenser. It consists of lines; the last one, the note, may itself contain line ends. It
 * is not JSON: nothing is escaped in plain lines, so the longest note fits into the 2,048 bytes that a script is given.
 */
export const dispenserBody = (
  { id, recipientUuid, item, message, at, expiresAt }: DispenserRequest,
  secret: string,
): string => signedBody([protocol, seconds(at), id, recipientUuid, seconds(expiresAt), item, message], secret);

interface ResolveRequest {
  id: string;
  /** Milliseconds since 1970: when the request is made. */
  at: number;
  /** A canonical name, or an avatar's UUID. */
  name: string;
}

/** The body of a request that asks a dispenser which avatar has a name or UUID. */
export const resolveBody = ({ id, at, name }: ResolveRequest, secret: string): string =>
  signedBody([`${protocol}-RESOLVE`, seconds(at), id, name], secret);
