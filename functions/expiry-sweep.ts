import type { Context } from 'aws-lambda';
import { type SweepReport, sweep } from '../lib/credit/sweep.ts';
import { sendDue } from '../lib/events/due.ts';
import { queueEvents } from '../lib/events/send.ts';
import { logSink } from '../lib/log.ts';
import { sendUnsent } from '../lib/sale/unsent.ts';
import { metered, newMeter } from '../lib/table/meter.ts';

/** The time that the sweep leaves for changes that are under way when it stops. */
const reserveMillis = 10_000;

/**
 * Orders the deliveries of sales that nothing has ordered, puts events on the queue whose next attempt is due, follows renames, and closes the credit lots that have come due; runs
 * every minute, and ends before its own timeout.
 */
export const handler = async (_event: unknown, context: Context): Promise<SweepReport> => {
  const meter = newMeter();
  const mayGoOn = (): boolean => context.getRemainingTimeInMillis() > reserveMillis;
  const report = await metered(meter, async () => {
    await sendUnsent(mayGoOn);
    await sendDue((orders) => queueEvents(orders, 'slow'), mayGoOn);
    return sweep(`sweep ${context.awsRequestId}`, mayGoOn);
  });
  const { calls, units } = meter;
  logSink.write({ level: report.failed > 0 ? 'ERROR' : 'INFO', sweep: report, calls, units });
  return report;
};
