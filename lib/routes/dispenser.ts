import * as z from 'zod';
import { trimmed } from '../normalise.ts';
import { route } from './route.ts';
import {
  answerText,
  answerTextOrNull,
  integer,
  itemName,
  listOf,
  maxLength,
  pageQuery,
  text,
  time,
  timeOrNull,
} from './wire.ts';

const urlWords = 'must be the address of a script in the virtual world (https, at most 500 characters)';

export const scriptUrl = () =>
  z
    .string({ error: urlWords })
    .overwrite(trimmed)
    .refine((url) => [...url].length <= maxLength.url, { error: urlWords })
    .meta({ maxLength: maxLength.url });

const nameWords = 'must be 1 to 63 letters, digits, ".", "_" and "-"';

export const boxName = () => z.string({ error: nameWords }).regex(/^[\w.-]{1,63}$/, { error: nameWords });

const nameText = answerText(maxLength.item).describe('Name of the box.');
const priorityText = z
  .int()
  .describe('Place of the box in the order in which the store’s boxes are asked: 0 is first.');

const RegisterDispenserRequest = z
  .object({
    name: boxName()
      .default('main')
      .meta({ maxLength: maxLength.item })
      .describe(
        'Name of the box among those of the store: 1 to 63 letters, digits, `.`, `_` and `-`. Each name has an address ' +
          'and a secret of its own. A store has at most 10.',
      ),
    priority: integer(0, 9).default(0).describe('Which box is asked first: 0 to 9, the lowest first, then by name.'),
    url: scriptUrl().describe(
      'The address that the region gave the script, at most 500 characters: `https`, on a host of the virtual world’s simulators.',
    ),
    region: text({ min: 0, max: maxLength.region })
      .default('')
      .describe('Name of the region that the dispenser is in, for the operator: at most 255 characters.'),
    items: z
      .array(itemName(), { error: 'must be an array of item names' })
      .max(1000, { error: 'must hold at most 1000 names' })
      .default([])
      .describe(
        'Names of all items in the dispenser, for the operator: the doctor says which products are not there. Empty if not all ' +
          'can be told. At most 1,000.',
      ),
  })
  .meta({ id: 'RegisterDispenserRequest' });

/** It leaves out the names of the items, since a script reads at most 16 KiB of an answer. */
export const DispenserSecretResponse = z
  .object({
    name: nameText,
    priority: priorityText,
    url: answerText(maxLength.url).describe('The address that deliveries are now sent to.'),
    region: answerText(maxLength.region).describe('Name of the region.'),
    secret: answerText(64).describe(
      'The key that requests to the dispenser are signed with. It stays while the same API key registers from the same host; ' +
        'otherwise the answer holds a new one. Keep it.',
    ),
    registeredAt: time().describe('When this registration was made.'),
    unreachable: z
      .boolean()
      .describe(
        'A call to this address has found nobody since it was registered first: ask the region for another one.',
      ),
  })
  .meta({ id: 'DispenserSecretResponse' });

const DispenserResponse = z
  .object({
    name: nameText,
    priority: priorityText,
    region: answerTextOrNull(maxLength.region).describe('Name of the region; null: it told none.'),
    state: z
      .enum(['registered', 'lost'])
      .describe('`registered`: it is asked at its address. `lost`: nobody was there; it has none until it registers.'),
    registeredAt: time().describe('When it registered last.'),
    lostAt: timeOrNull().describe('When its address was lost; null: it has one.'),
    lastError: answerTextOrNull(maxLength.failure).describe(
      'How the last call failed that found nobody at its address; null: none has since it has this address.',
    ),
  })
  .meta({ id: 'DispenserResponse' });

export type DispenserResponse = z.output<typeof DispenserResponse>;

const common = { extension: true, servedBy: 'dispenser' } as const;

export const registerDispenser = route('PUT /v1/dispenser', {
  id: 'dispenser/register-dispenser',
  summary: "Register the address of the store's inworld dispenser",
  scope: 'dispenser:register',
  problems: [400],
  body: RegisterDispenserRequest,
  response: DispenserSecretResponse,
  reads: ['DELIVERY'],
  writes: ['DISPENSER', 'COUNT'],
  queue: true,
  ...common,
});

export const listDispensers = route('GET /v1/dispensers', {
  id: 'dispenser/list-dispensers',
  summary: "List the store's inworld dispensers",
  scope: 'deliveries:read',
  query: z.object(pageQuery),
  response: listOf('DispenserListResponse', 'The boxes in the order in which they are asked', DispenserResponse),
  reads: ['DISPENSER'],
  ...common,
});
