import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { handler } from '../../functions/resident-lookup.ts';
import { lookUpAccess } from '../../infra/permissions.ts';
import type { LookUp } from '../../lib/avatars/resident-lookup.ts';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { startLambda } from '../../local/gateway/lambda.ts';
import { avatarOf } from '../../local/grid/grid.ts';
import { asFunction } from './access.ts';
import { atEnd } from './at-end.ts';
import { serve } from './deliveries.ts';

/** Serves the look-up function under its role, as Lambda does, for this test file. */
export const startTestLookUps = async (): Promise<void> => {
  process.env.DISPENSER_LOOPBACK = 'allowed';
  const lambda = await startLambda({
    'resident-lookup': (lookUp: LookUp) => asFunction('resident-lookup', lookUpAccess, () => handler(lookUp)),
  });
  process.env.RESIDENT_LOOKUP_URL = `${lambda.endpoint}/2015-03-31/functions/resident-lookup/invocations`;
  atEnd(lambda.stop);
};

export type Respond = (name: string, response: ServerResponse) => void;

/** The answer of a dispenser of the made-up grid. */
export const ofGrid: Respond = (name, response) => {
  const avatar = avatarOf(name.includes('-') ? { uuid: name } : { username: name });
  response.end(avatar ? `${avatar.uuid} ${avatar.username}` : '-');
};

/** Answers every look-up with this text. */
export const saying =
  (text: string, status = 200): Respond =>
  (_, response) =>
    response.writeHead(status).end(text);

/** Registers a dispenser that answers look-ups by `respond`, and keeps the names that it was asked for. */
export const placeDispenser = async (store: string, respond: Respond = ofGrid, name = 'main') => {
  const asked: string[] = [];
  const place = { respond, secret: '' };
  const url = await serve(async (request, response) => {
    const [signature, ...lines] = (await buffer(request)).toString('utf8').split('\n');
    const signed = createHmac('sha256', place.secret).update(lines.join('\n')).digest('base64');
    const [protocol, , , wanted = ''] = lines;
    if (signed !== signature || protocol !== 'SIS1-RESOLVE') return void response.writeHead(401).end();
    asked.push(wanted);
    place.respond(wanted, response);
  });
  const register = async (): Promise<void> => {
    const registered = await registerDispenser(store, { name, url, region: 'Ahern', items: [], keyId: 'test' });
    place.secret = registered.secret;
  };
  await register();
  return {
    asked,
    register,
    /** Answers otherwise from now on. */
    answer: (next: Respond): void => {
      place.respond = next;
    },
  };
};
