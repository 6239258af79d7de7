import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The types of the events that the receiver subscribes to. */
export const subscribed = [
  'credit.changed',
  'giftcard.redeemed',
  'sale.completed',
  'sale.refunded',
  'delivery.delivered',
];

/** A receiver of events on loopback. It notes the ids of the events that it gets. */
export const startReceiver = async () => {
  const events = new Set<string>();
  const server = createServer((request, response) => {
    events.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    events,
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
