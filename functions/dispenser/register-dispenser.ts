import { register } from '../../lib/delivery/register.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { registerDispenser as row } from '../../lib/routes/dispenser.ts';

export const handler = endpoint(row, ({ store, keyId, body }) => register(store, { ...body, keyId }));
