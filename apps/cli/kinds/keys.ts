import * as z from 'zod';
import { now, timestamp } from '../../../lib/clock.ts';
import { listKeys } from '../../../lib/store/issued-keys.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';

const text = z.string();

/** The keys that work now. */
async function* liveKeys(store: string): AsyncGenerator<Values> {
  for (const { name, scopes, status, createdAt, expiresAt, rotatedTo } of await listKeys(store))
    if (status === 'active' && rotatedTo === undefined && (expiresAt === undefined || timestamp(now()) < expiresAt))
      yield { name, scopes, createdAt, expiresAt };
}

/** Names and scopes of API keys. The table does not hold the text of a key. */
export const keys: Kind = {
  file: {
    name: 'keys',
    summary: 'names and scopes of API keys, without the keys; exported only: issue each again',
    columns: columns({
      name: ['text', text, 'the name of the key'],
      scopes: ['list', z.array(text), 'its scopes'],
      createdAt: ['text', text, 'when it was issued'],
      expiresAt: ['text', text.optional(), 'when it ends, if it does'],
    }),
    rows: liveKeys,
  },
};
