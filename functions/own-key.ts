import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/keys.ts';
import { endKey as endKeyRow } from '../lib/routes/store.ts';
import { handler as acceptInvitation } from './own-key/accept-invitation.ts';
import { handler as endKey } from './own-key/end-key.ts';
import { handler as getInvitation } from './own-key/get-invitation.ts';

export const handler = serveTogether(
  [endKeyRow, endKey],
  [rows.getInvitation, getInvitation],
  [rows.acceptInvitation, acceptInvitation],
);
