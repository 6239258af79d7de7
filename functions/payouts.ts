import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/payouts.ts';
import { handler as claimPayout } from './payouts/claim-payout.ts';
import { handler as getPayout } from './payouts/get-payout.ts';
import { handler as listPayees } from './payouts/list-payees.ts';
import { handler as listPayouts } from './payouts/list-payouts.ts';
import { handler as payPayee } from './payouts/pay-payee.ts';
import { handler as reportPayout } from './payouts/report-payout.ts';
import { handler as settlePayout } from './payouts/settle-payout.ts';

export const handler = serveTogether(
  [rows.listPayees, listPayees],
  [rows.payPayee, payPayee],
  [rows.listPayouts, listPayouts],
  [rows.claimPayout, claimPayout],
  [rows.getPayout, getPayout],
  [rows.reportPayout, reportPayout],
  [rows.settlePayout, settlePayout],
);
