import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { now, timestamp } from '../../lib/clock.ts';
import { parseIdentifier } from '../../lib/identifier.ts';
import { avatarOf } from '../grid/grid.ts';
import { realClock } from '../grid/world/clock.ts';
import { allPermissions } from '../grid/world/land.ts';
import { createWorld } from '../grid/world/world.ts';

/** Runs the shipped dispenser script in a made-up region on loopback. It can misbehave on request. */

/** An item that an avatar got. `attempts` counts the requests for it, including retries. */
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
  /** The time that each answer takes in the mode `slow`. */
  millis: z.number().int().min(0).max(120_000).default(2000),
});
export type Behaviour = z.input<typeof Behaviour>;

const source = readFileSync(new URL('../../apps/inworld/dispenser.lsl', import.meta.url), 'utf8');
const electionSeconds = 5;
const owner = '67726964-0000-4000-8000-999999999999';

/** An avatar of the made-up grid. */
const avatar = (name: string) => {
  const identifier = parseIdentifier(name);
  return identifier && avatarOf(identifier);
};

/** Callers of `next` wait together until the next `end`. */
const createTurn = () => {
  let turn: PromiseWithResolvers<void> | undefined;
  return {
    next: (): Promise<void> => {
      turn ??= Promise.withResolvers();
      return turn.promise;
    },
    end: (error?: unknown): void => {
      const ended = turn;
      turn = undefined;
      if (error === undefined) ended?.resolve();
      else ended?.reject(error);
    },
  };
};

/** The gifts of the dispenser, its behaviour, and its address. */
interface DispenserState {
  gifts: Gift[];
  behaviour: z.output<typeof Behaviour>;
  /** The delivery that the script is handling: only one, since nothing makes the script wait here. */
  deliveryId: string;
  grant?: () => void;
  isPlaced: boolean;
  registration: ReturnType<typeof createTurn>;
}

type World = ReturnType<typeof createWorld>;

/** Makes the region of the dispenser. `register` tells the service the dispenser's address. */
const createRegion = (state: DispenserState, origin: string, register: (url: string) => Promise<string>): World =>
  createWorld({
    // Before it begins, the box listens for another box in its region. Here there is none.
    clock: { ...realClock, after: (seconds, run) => realClock.after(seconds <= electionSeconds ? 0 : seconds, run) },
    // Forced delays would make a demo and a load test wait for seconds per item.
    delays: false,
    nameOf: (uuid) => avatar(uuid)?.username,
    uuidOf: (name) => avatar(name)?.uuid,
    // The real grid never answers for a UUID that belongs to nobody. The caller here would wait for ever.
    lookUp: (kind, of, tell) => tell((kind === 'key' ? avatar(of)?.uuid : (avatar(of)?.username ?? '???')) ?? ''),
    grantUrl: (give) => {
      state.grant = () => give(`${origin}/sim.agni.local/cap/${randomUUID()}`);
      if (state.isPlaced) state.grant();
    },
    send: async ({ method, url, body }, respond) => {
      const isRegistration = method === 'PUT' && url.endsWith('/v1/dispenser');
      try {
        const secret = isRegistration ? await register(JSON.parse(body).url) : '';
        respond({ status: 200, type: 'application/json', body: JSON.stringify({ secret }) });
        state.registration.end();
      } catch (error) {
        respond(undefined);
        state.registration.end(error);
      }
    },
    onGive: (recipient, { name: item }) => {
      const { deliveryId } = state;
      state.gifts.push({ deliveryId, recipient, item, message: '', time: timestamp(now()), attempts: 1 });
    },
    onMessage: (_, text) => {
      const gift = state.gifts.at(-1);
      if (gift) gift.message += text;
    },
  });

const rezBox = (world: World) =>
  world.rez({
    owner,
    name: 'dispenser',
    script: source,
    notecards: { dispenser: ['service = https://service.local', 'key = sis_test_stand-in'] },
    items: [],
    // The box has every item that a product may name.
    contents: (name) => ({ name, type: 6, permissions: allPermissions, id: randomUUID() }),
  });

/** Passes a delivery to the script, or misbehaves. */
const answering =
  (state: DispenserState, world: () => World, origin: () => string) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { mode, millis } = state.behaviour;
    const body = (await buffer(request)).toString('utf8');
    const send = (status: number, text: string): void => {
      response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
    };
    if (mode === 'lost') return send(404, 'cap not found');
    if (mode === 'error') return send(500, 'script error');
    if (mode === 'garbage') return void request.socket.end('\u0000 this is not HTTP\r\n\r\n');
    if (mode === 'slow') await sleep(millis);
    const [, , , id = ''] = body.split('\n');
    state.deliveryId = id;
    world().receive(origin() + request.url, request.method ?? '', body, (status, text) => {
      const known = text === `known ${id}` ? state.gifts.find((gift) => gift.deliveryId === id) : undefined;
      if (known) known.attempts += 1;
      // The hardest case for the service: the avatar has the item, but no answer comes.
      if (mode !== 'forgetful') send(status, text);
    });
  };

/** Starts a dispenser. `register` tells the service its address and answers the secret, like the script's PUT. */
export const startDispenser = async (register: (url: string) => Promise<string>) => {
  const registration = createTurn();
  const state: DispenserState = {
    gifts: [],
    behaviour: Behaviour.parse({}),
    deliveryId: '',
    isPlaced: false,
    registration,
  };
  const answer = answering(
    state,
    () => world,
    () => origin,
  );
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = createRegion(state, origin, register);
  const box = rezBox(world);

  return {
    /** Makes the script register: the first time by giving it an address, later by a touch of its owner. */
    registerAgain: (): Promise<void> => {
      const done = registration.next();
      if (state.isPlaced) box.touch(owner);
      else {
        state.isPlaced = true;
        state.grant?.();
      }
      return done;
    },
    /** The gifts, newest first. */
    inbox: (): Gift[] => state.gifts.toReversed(),
    behaviour: (): Required<Behaviour> => state.behaviour,
    /** Changes the behaviour. After `lost`, the region restarts, and the script registers its new address. */
    behave: async (next: Behaviour): Promise<void> => {
      const wasLost = state.behaviour.mode === 'lost';
      state.behaviour = Behaviour.parse(next);
      if (!wasLost || state.behaviour.mode === 'lost') return;
      const done = registration.next();
      world.restart();
      await done;
    },
    stop: async (): Promise<void> => {
      box.take();
      server.close();
      server.closeAllConnections();
    },
  };
};

export type LocalDispenser = Awaited<ReturnType<typeof startDispenser>>;
