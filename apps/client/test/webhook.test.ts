import { Webhook } from 'standardwebhooks';
import { expect, expectTypeOf, test } from 'vitest';
import { signatureOf } from '../../../lib/events/signature.ts';
import type { EventType as KnownType } from '../../../lib/routes/events.ts';
import type { SentEventType } from '../../../lib/routes/webhooks.ts';
import {
  type EventData,
  type EventType,
  type SaleResponse,
  type StoreEvent,
  verifyWebhook,
  type WebhookMessage,
  WebhookRefused,
} from '../client.ts';

const secrets = ['a', 'b'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`) as [
  string,
  string,
];
const [secret, other] = secrets;
const body = '{"type":"store.closed","timestamp":"2027-03-01T00:00:00.000Z","data":{"name":"Café 🎁"}}';

const messageAt = (seconds: number, signing: readonly string[] = [secret]) => ({
  body,
  headers: {
    'webhook-id': 'e1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf({ id: 'e1', seconds, body }, signing),
  },
});
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

test('the package standardwebhooks and verifyWebhook accept what the service signs, with either of two secrets', async () => {
  const both = messageAt(nowSeconds(), secrets);

  for (const one of secrets) {
    expect(new Webhook(one).verify(body, both.headers)).toEqual(JSON.parse(body));
    expect(await verifyWebhook({ secret: one, ...both })).toEqual(JSON.parse(body));
    expect(await verifyWebhook({ secret: one, body, headers: new Headers(both.headers) })).toEqual(JSON.parse(body));
  }
});

test('verifyWebhook refuses another secret, another body, id or time, an old message and one without a signature', async () => {
  const message = messageAt(nowSeconds());
  const { headers } = message;
  const refused = [
    { ...message, secret: other },
    { ...message, secret, body: body.replace('closed', 'opened') },
    { body, secret, headers: { ...headers, 'webhook-id': 'e2' } },
    { body, secret, headers: { ...headers, 'webhook-timestamp': String(nowSeconds() + 1) } },
    { ...messageAt(nowSeconds() - 301), secret },
    { ...messageAt(nowSeconds() + 310), secret },
    { body, secret, headers: { ...headers, 'webhook-signature': 'v1,%%% v2,AAAA' } },
    { body, secret, headers: {} },
    { body, secret, headers: { ...headers, 'webhook-timestamp': 'soon' } },
  ];

  for (const one of refused) await expect(verifyWebhook(one)).rejects.toThrow(WebhookRefused);
});

test('verifyWebhook says that a secret which is empty or no Base64 is none', async () => {
  for (const none of ['', 'whsec_', 'whsec_%%%'])
    await expect(verifyWebhook({ secret: none, ...messageAt(nowSeconds()) })).rejects.toThrow(/^secret must be whsec_/);
});

test('the type of an event or message tells the type of its data', async () => {
  const message = await verifyWebhook({ secret, ...messageAt(nowSeconds()) });

  expect(message.type === 'store.closed' && message.data.name).toBe('Café 🎁');
  // @ts-expect-error A message of any type need not have a refund.
  expect(message.data.refund).toBeUndefined();
  // @ts-expect-error There is no such type.
  expect(message.type === 'sale.lost').toBe(false);
  expectTypeOf<EventType>().toEqualTypeOf<KnownType>();
  expectTypeOf<StoreEvent['type']>().toEqualTypeOf<EventType>();
  expectTypeOf<WebhookMessage['type']>().toEqualTypeOf<SentEventType>();
  expectTypeOf<EventData<'sale.completed'>>().toEqualTypeOf<SaleResponse>();
});
