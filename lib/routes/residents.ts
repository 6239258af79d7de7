import * as z from 'zod';
import { route } from './route.ts';
import { answerText, maxLength, username, uuid } from './wire.ts';

const UpdateResidentRequest = z
  .object({ username: username().describe('The avatar’s current name: `first`, `first.last` or `first last`.') })
  .meta({ id: 'UpdateResidentRequest' });

const ResidentResponse = z
  .object({
    uuid: uuid().describe('UUID of the avatar.'),
    username: answerText(maxLength.username).describe(
      'The current name in canonical form; the UUID where no name leads to the avatar in this store.',
    ),
    names: z
      .array(answerText(maxLength.username))
      .describe('All names that lead to the avatar in this store, the current one first.'),
    source: z
      .enum(['operator', 'store'])
      .describe(
        'Who told of the avatar: the operator, to all stores, or a key or dispenser of this store, to it alone.',
      ),
  })
  .meta({ id: 'ResidentResponse' });

export const updateResident = route('PUT /v1/residents/{uuid}', {
  id: 'residents/update-resident',
  summary: 'Tell the name of an avatar',
  scope: 'residents:write',
  problems: [400],
  body: UpdateResidentRequest,
  response: ResidentResponse,
  resolves: true,
  writes: ['STORE_RESIDENT', 'STORE_NAME'],
  extension: true,
});
