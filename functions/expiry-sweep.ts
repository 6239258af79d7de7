import type { Context } from 'aws-lambda';
import { type SweepReport, sweep } from '../lib/credit/sweep.ts';
import { sendDue } from '../lib/events/due.ts';
import { queueEvents } from '../lib/events/send.ts';
import { logSink } from '../lib/log.ts';
import { giveUpClaims } from '../lib/payout/sweep.ts';
import { sendUnsent } from '../lib/sale/sweep.ts';
import { metered, newMeter } from '../lib/table/meter.ts';
import { loseVendors } from '../lib/vendor/sweep.ts';

/** The time that the sweep leaves for changes that are under way when it stops. */
const reserveMillis = 10_000;

const orderUnsent = async (hasTime: () => boolean): Promise<void> => {
  const { failed } = await sendUnsent(hasTime);
  if (failed > 0) throw new Error(`Sales whose delivery could not be ordered: ${failed}.`);
};

const giveUp = async (hasTime: () => boolean): Promise<void> => {
  const failed = await giveUpClaims(hasTime);
  if (failed > 0) throw new Error(`Claimed payouts that could not be given up: ${failed}.`);
};

const lose = async (hasTime: () => boolean): Promise<void> => {
  const failed = await loseVendors(hasTime);
  if (failed > 0) throw new Error(`Vendors that could not be looked at: ${failed}.`);
};

/**
 * Runs every minute: orders the deliveries of sales that nothing has ordered, queues events whose next attempt is due,
 * follows renames, gives up payouts that nobody reports, notes which vendors are lost, and closes credit lots that are
 * due. It ends before its own timeout. If a part fails, even for one customer or one sale, it does the rest and then
 * throws, which sets the alarm off.
 */
export const handler = async (_event: unknown, context: Context): Promise<SweepReport> => {
  const meter = newMeter();
  const hasTime = (): boolean => context.getRemainingTimeInMillis() > reserveMillis;
  const others = [
    () => orderUnsent(hasTime),
    () => giveUp(hasTime),
    () => lose(hasTime),
    () => sendDue((orders) => queueEvents(orders, 'slow'), hasTime),
  ];
  const by = `sweep ${context.awsRequestId}`;
  const { report, errors } = await metered(meter, () => sweep(by, hasTime, others));
  for (const error of errors)
    logSink.write({ level: 'ERROR', sweep: by, stack: error instanceof Error ? error.stack : String(error) });
  const { calls, units } = meter;
  const level = report.failed > 0 || errors.length > 0 ? 'ERROR' : 'INFO';
  logSink.write({ level, sweep: report, calls, units });
  if (errors.length > 0) throw errors[0];
  if (report.failed > 0) throw new Error(`Customers or residents who could not be swept: ${report.failed}.`);
  return report;
};
