import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { now, timestamp } from '../lib/clock.ts';
import { parseIdentifier } from '../lib/identifier.ts';
import { avatarOf } from './grid.ts';

/** A dispenser on loopback with exactly the protocol of `inworld/dispenser.lsl`, which can misbehave on request. */

/** An item in an avatar's hands. `attempts` counts the requests for it, retries included. */
export interface Gift {
  deliveryId: string;
  recipient: string;
  item: string;
  message: string;
  time: string;
  attempts: number;
}

export const Behaviour = z.object({
  mode: z.enum(['normal', 'slow', 'lost', 'error', 'garbage', 'forgetful']).default('normal'),
  /** For `slow`: how long each answer takes. */
  millis: z.number().int().min(0).max(120_000).default(2000),
});
export type Behaviour = z.input<typeof Behaviour>;

const maxAgeSeconds = 300;
const maxBodyBytes = 2048;

const isSigned = (signature: string, text: string, secret: string): boolean =>
  createHmac('sha256', secret).update(text).digest('base64') === signature;

/** Starts a dispenser. `register` gives the service its address and answers the secret, like the script's PUT. */
export const startDispenser = async (register: (url: string) => Promise<string>) => {
  // The avatars' items, a second gift of one delivery included, apart from the script's own memory.
  const gifts: Gift[] = [];
  const memory = new Map<string, Gift>();
  let behaviour: z.output<typeof Behaviour> = Behaviour.parse({});
  let path = `/cap/${randomUUID()}`;
  let secret = '';
  let registeredAt = 0;

  /** The avatar of the made-up grid whom a name or UUID belongs to. */
  const resolve = (name: string): string => {
    const identifier = parseIdentifier(name);
    const avatar = identifier && avatarOf(identifier);
    return avatar ? `${avatar.uuid} ${avatar.username}` : '-';
  };

  const give = (body: string): { status: number; text: string } => {
    const [signature = '', protocol, at, deliveryId = '', recipient = '', expires, item = '', ...note] =
      body.split('\n');
    if (secret === '') return { status: 503, text: 'not ready' };
    if (!isSigned(signature, body.slice(signature.length + 1), secret)) return { status: 401, text: 'bad signature' };
    if (protocol !== 'SIS1' && protocol !== 'SIS1-RESOLVE') return { status: 400, text: 'unknown protocol' };
    const seconds = now() / 1000;
    if (Math.abs(seconds - Number(at)) > maxAgeSeconds) return { status: 408, text: 'too old' };
    // Where a delivery has its recipient, this request has the name.
    if (protocol === 'SIS1-RESOLVE') return { status: 200, text: resolve(recipient) };
    const known = memory.get(deliveryId);
    if (known) known.attempts += 1;
    if (known) return { status: 200, text: `known ${deliveryId}` };
    if (seconds > Number(expires)) return { status: 422, text: 'expired' };
    const message = note.join('\n');
    const gift = { deliveryId, recipient, item, message, time: timestamp(now()), attempts: 1 };
    gifts.push(gift);
    memory.set(deliveryId, gift);
    return { status: 200, text: `given ${deliveryId}` };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { mode, millis } = behaviour;
    // The virtual world cuts off longer bodies.
    const body = (await buffer(request)).subarray(0, maxBodyBytes).toString('utf8');
    const send = (status: number, text: string): void => {
      response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
    };
    if (mode !== 'lost' && request.method !== 'POST') return send(405, 'POST only');
    if (mode === 'lost' || request.url !== path) return send(404, 'cap not found');
    if (mode === 'error') return send(500, 'script error');
    if (mode === 'garbage') return void request.socket.end('\u0000 this is not HTTP\r\n\r\n');
    if (mode === 'slow') await sleep(millis);
    const { status, text } = give(body);
    // The hardest case for the service: the avatar has the item, but no answer says so.
    if (mode !== 'forgetful') send(status, text);
    // The secret may be another one by now. The script asks for it at most once a minute, too.
    if (status === 401 && now() - registeredAt >= 60_000) await registerAgain();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const registerAgain = async (): Promise<void> => {
    registeredAt = now();
    secret = await register(`http://127.0.0.1:${port}${path}`);
  };

  return {
    registerAgain,
    /** The gifts, newest first. */
    inbox: (): Gift[] => gifts.toReversed(),
    behaviour: (): Required<Behaviour> => behaviour,
    /** It returns from `lost` with a new address, as after a restart of its region. */
    behave: async (next: Behaviour): Promise<void> => {
      const wasLost = behaviour.mode === 'lost';
      behaviour = Behaviour.parse(next);
      if (!wasLost || behaviour.mode === 'lost') return;
      path = `/cap/${randomUUID()}`;
      await registerAgain();
    },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
};

export type LocalDispenser = Awaited<ReturnType<typeof startDispenser>>;
