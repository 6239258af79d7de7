import * as z from 'zod';
import { route } from './route.ts';
import { itemName, noPath, noQuery, text } from './wire.ts';

const urlWords = 'must be the address of a script in the virtual world (https, at most 500 characters)';

export const putDispenser = route({
  id: 'dispenser/put-dispenser',
  summary: "Register the address of the store's inworld dispenser",
  method: 'PUT',
  path: '/v1/dispenser',
  scope: 'products:deliver',
  status: 200,
  problems: [400],
  params: noPath,
  query: noQuery,
  body: z.object({
    url: z.string({ error: urlWords }).trim().max(500, { error: urlWords }),
    region: text({ min: 0, max: 255 }).default(''),
    items: z
      .array(itemName(), { error: 'must be an array of item names' })
      .max(1000, { error: 'must hold at most 1000 names' })
      .default([]),
  }),
  // The names of the items are not answered: a script reads at most 16 KiB of an answer.
  response: z.object({
    url: z.string(),
    region: z.string(),
    secret: z.string(),
    registeredAt: z.string(),
  }),
  reads: ['DELIVERY'],
  writes: ['DISPENSER'],
  queue: true,
  extension: true,
});
