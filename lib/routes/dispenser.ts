import * as z from 'zod';
import { route } from './route.ts';
import { answerText, itemName, maxLength, text, time } from './wire.ts';

const urlWords = 'must be the address of a script in the virtual world (https, at most 500 characters)';

const PutDispenserRequest = z
  .object({
    url: z
      .string({ error: urlWords })
      .trim()
      .refine((url) => [...url].length <= maxLength.url, { error: urlWords })
      .meta({ maxLength: maxLength.url })
      .describe(
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
  .meta({ id: 'PutDispenserRequest' });

/** Without the names of the items: a script reads at most 16 KiB of an answer. */
export const DispenserResponse = z
  .object({
    url: answerText(maxLength.url).describe('The address that deliveries are now sent to.'),
    region: answerText(maxLength.region).describe('Name of the region.'),
    secret: answerText(64).describe(
      'The key that requests to the dispenser are signed with. It stays while the same API key registers from the same host; ' +
        'otherwise the answer holds a new one. Keep it.',
    ),
    registeredAt: time().describe('When this registration was made.'),
  })
  .meta({ id: 'DispenserResponse' });

export const putDispenser = route('PUT /v1/dispenser', {
  id: 'dispenser/put-dispenser',
  summary: "Register the address of the store's inworld dispenser",
  scope: 'dispenser:register',
  problems: [400],
  body: PutDispenserRequest,
  response: DispenserResponse,
  reads: ['DELIVERY'],
  writes: ['DISPENSER'],
  queue: true,
  extension: true,
});
