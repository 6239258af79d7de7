import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/me.ts';
import { handler as beginPage } from './me-acts/begin-page.ts';
import { handler as endPage } from './me-acts/end-page.ts';
import { handler as redeemOwn } from './me-acts/redeem-own.ts';
import { handler as redeliverOwn } from './me-acts/redeliver-own.ts';
import { handler as updateMe } from './me-acts/update-me.ts';

export const handler = serveTogether(
  [rows.beginPage, beginPage],
  [rows.endPage, endPage],
  [rows.updateMe, updateMe],
  [rows.redeliverOwn, redeliverOwn],
  [rows.redeemOwn, redeemOwn],
);
