import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A dispenser and a receiver of events on loopback, which count how often they get each thing. */
export const startReceivers = async () => {
  const gifts = new Map<string, number>();
  /** The ids of deliveries, by their notes. */
  const byNote = new Map<string, string>();
  const events = new Map<string, number>();
  const count = (counts: Map<string, number>, id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/events') count(events, String(request.headers['webhook-id']));
    else {
      const [, protocol, , id = '', , , , ...note] = body.split('\n');
      if (protocol === 'SIS1-RESOLVE') return void response.end('-');
      count(gifts, id);
      byNote.set(note.join('\n'), id);
    }
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    dispenserUrl: `${url}/dispenser`,
    webhookUrl: `${url}/events`,
    gifts,
    byNote,
    events,
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;
