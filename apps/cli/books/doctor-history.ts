import { setTimeout as sleep } from 'node:timers/promises';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { now } from '../../../lib/clock.ts';
import { type HistoryItem, historyKey } from '../../../lib/credit/history.ts';
import { type CreditItem, lastChangeOf } from '../../../lib/credit/state.ts';
import type { Source } from '../../../lib/lists/source.ts';
import { historyAhead } from '../../../lib/operator/audit-history.ts';
import type { Store } from '../../../lib/store/stores.ts';
import { getMany } from '../../../lib/table/table.ts';
import { counted } from '../terminal/output.ts';
import { type Finding, failIf, inWords, warnIf } from './finding.ts';

/** Checks how far the history of credit is behind the changes. */

/** Reading this many customers takes some seconds. */
const maxCustomers = 20_000;
const stride = 1000;

/** History normally shows a change within a second. */
const lateMillis = 60_000;
const stuckMillis = 10 * 60_000;
const lostMillis = 24 * 3_600_000;

/** The time of a customer's newest change, and the key of its row; empty without a change. */
const newestOf = (store: string, item: CreditItem) => {
  const change = lastChangeOf(item);
  const type = change?.types.at(-1)?.type;
  if (!change || !type) return [];
  return [{ at: change.at, ...historyKey(store, item.sk, type, item.creditVersion ?? 0) }];
};

const latest = (times: readonly string[]): string | undefined => times.toSorted().at(-1);

/** Compares the newest change of each customer with the rows of history. */
const lookAt = async (store: string) => {
  const customers: Source<CreditItem> = listCustomerItems(store);
  const seen = {
    customers: 0,
    older: 0,
    ahead: 0,
    changes: [] as string[],
    rows: [] as string[],
    missing: [] as string[],
  };
  let from: { position: string; inclusive: boolean } | undefined;
  while (seen.customers < maxCustomers) {
    const items = await customers({ descending: false, limit: stride, ...(from && { from }) });
    const newest = items.flatMap((item) => newestOf(store, item));
    const rows = await getMany<HistoryItem>(newest, { consistent: true });
    const recorded = rows.filter(({ kind }) => kind !== undefined);
    const there = new Set(recorded.map(({ pk, sk }) => `${pk} ${sk}`));
    seen.customers += items.length;
    seen.older += items.filter(
      (item) => !item.lastChange && (item.credit ?? 0) + (item.restrictedCredit ?? 0) > 0,
    ).length;
    seen.ahead += (await historyAhead(store, items)).length;
    seen.changes.push(latest(newest.map(({ at }) => at)) ?? '');
    seen.rows.push(latest(recorded.map(({ at = '' }) => at)) ?? '');
    seen.missing.push(...newest.filter(({ pk, sk }) => !there.has(`${pk} ${sk}`)).map(({ at }) => at));
    const last = items.at(-1);
    if (items.length < stride || !last) break;
    from = { position: last.sk, inclusive: false };
  }
  return { ...seen, change: latest(seen.changes), row: latest(seen.rows) };
};

const ago = (at: string | undefined): string => (at ? `${inWords(now() - Date.parse(at))} ago` : 'none');

/** The age in milliseconds of the oldest change that is missing in its customer's history. */
const lateness = ({ missing }: Awaited<ReturnType<typeof lookAt>>): number =>
  missing.reduce((longest, at) => Math.max(longest, now() - Date.parse(at)), 0);

/**
 * While history is late, looks again for at most `patienceMillis`. A local service that has just started has not read
 * the stream of its demo data yet, and some of these data are dated back.
 */
const lookPatiently = async (id: string, patienceMillis: number) => {
  const end = performance.now() + patienceMillis;
  let seen = await lookAt(id);
  while (lateness(seen) > lateMillis && performance.now() < end) {
    await sleep(250);
    seen = await lookAt(id);
  }
  return seen;
};

export const checkHistory = async ({ id, name }: Store, patienceMillis = 0): Promise<Finding[]> => {
  const check = `history of ${name}`;
  const seen = await lookPatiently(id, patienceMillis);
  const { customers, older, ahead, change, row, missing } = seen;
  const some = customers >= maxCustomers ? `, of the first ${counted(customers, 'customer')}` : '';
  const reaches = `the newest change was ${ago(change)}, the newest row is of ${ago(row)}${some}`;
  const oldest = missing.toSorted()[0];
  const late = lateness(seen);
  const behind = `${counted(missing.length, 'customer lacks', 'customers lack')} the newest change, the oldest of ${ago(oldest)}; ${reaches}`;
  const consumer = 'See why the stream’s consumer stands still: docs/operate/recover.md, "The history of credit".';
  const backfill = `Fill what is lost: store credit backfill --store ${id}`;
  const isLost = late > lostMillis;
  const found =
    late > stuckMillis
      ? failIf(check, [behind, isLost ? backfill : consumer])
      : warnIf(check, late > lateMillis && [behind, consumer], change ? reaches : 'no credit has changed yet');
  const opening = `${counted(older, 'customer')} had credit before history began`;
  const beyond = `history of ${counted(ahead, 'customer')} has changes beyond their last, as after a restore`;
  return [
    found,
    ...(older > 0 ? [warnIf(check, [opening, `Open their history: store credit backfill --store ${id}`])] : []),
    ...(ahead > 0
      ? [failIf(check, [beyond, `Fix it before their credit changes: store credit backfill --store ${id}`])]
      : []),
  ];
};
