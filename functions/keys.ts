import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/keys.ts';
import { handler as getKey } from './keys/get-key.ts';
import { handler as issueKey } from './keys/issue-key.ts';
import { handler as listKeys } from './keys/list-keys.ts';
import { handler as renameKey } from './keys/rename-key.ts';
import { handler as revokeKey } from './keys/revoke-key.ts';
import { handler as rotateKey } from './keys/rotate-key.ts';

export const handler = serveTogether(
  [rows.listKeys, listKeys],
  [rows.getKey, getKey],
  [rows.issueKey, issueKey],
  [rows.renameKey, renameKey],
  [rows.rotateKey, rotateKey],
  [rows.revokeKey, revokeKey],
);
