import * as z from 'zod';
import { nilUuid } from '../../../lib/identifier.ts';
import { uuid } from '../../../lib/routes/wire.ts';
import { residents as importer } from '../../plans/residents.ts';
import { username } from '../columns.ts';
import type { Kind } from '../kinds.ts';
import { listResidentsOf } from '../residents-of.ts';

const avatar = uuid().refine((value) => value !== nilUuid, { error: 'must be the UUID of an avatar' });

const names = z
  .array(username(), { error: 'must be usernames' })
  .max(50, { error: 'must be at most 50 usernames' })
  .default([]);

export const residents: Kind = {
  name: 'residents',
  summary: 'avatars by UUID, with their current and former names; shared by all stores of the deployment',
  columns: [
    { name: 'uuid', form: 'text', check: avatar, help: "the avatar's UUID" },
    { name: 'username', form: 'text', check: username(), help: 'the current name, such as ada.lovelace or bob' },
    { name: 'formerNames', form: 'list', check: names, help: 'names that the avatar had before; they still find it' },
  ],
  unique: ({ uuid: id, username: name, formerNames = [] }) => ({
    uuid: [id as string],
    'username or formerNames': [...new Set([name as string, ...(formerNames as string[])])],
  }),
  importer: () => importer,
  rows: async function* rows(store) {
    for await (const { uuid: id, username: name, names: all } of listResidentsOf(store))
      yield { uuid: id, username: name, formerNames: all.filter((each) => each !== name).sort() };
  },
};
