import { type CreditChangeResponse, type CustomerResponse, StoreProblem } from '../../client/client.ts';
import { incrementPath } from '../api.ts';
import { money } from '../format.ts';
import type { Session } from '../session.ts';
import { planWords } from '../words/plan.ts';
import { idFrom, type PlannedRow, readEach, refusedRow, refuseTwins } from './plan.ts';
import { type ImportRow, pastFault } from './rows.ts';

const t = planWords;

type CreditType = CreditChangeResponse['type'];

/** Credit that one customer would get. */
export interface GiftRow extends PlannedRow {
  uuid?: string;
  type: CreditType;
  amount: number;
  expiresAt: string | undefined;
}

/** A run: its name, which the history of each customer keeps, and its reason. */
export interface Giving {
  reference: string;
  reason: string;
}

/** A customer in a file: what they hold, and what the run has given them already. */
export interface Holder {
  customer: Pick<CustomerResponse, 'uuid' | 'username' | 'credit' | 'restrictedCredit'>;
  /** Amounts by `placeOf`. */
  given: ReadonlyMap<string, number>;
  /** False if the history lacks changes, so that nobody can tell what was given. */
  isWhole: boolean;
}

/** A run gives a customer credit with the same type and end only once. */
const placeOf = (type: CreditType, expiresAt: string | null | undefined): string => `${type} ${expiresAt ?? ''}`;

/** The increments of a run among the changes of a customer's credit. */
export const givenIn = (changes: readonly CreditChangeResponse[], reference: string): Map<string, number> => {
  const given = new Map<string, number>();
  for (const { kind, type, amount, reference: own, lots } of changes) {
    if (kind !== 'increment' || own !== reference || amount <= 0) continue;
    const added = lots.find((part) => part.amount > 0);
    given.set(placeOf(type, added?.expiresAt), amount);
  }
  return given;
};

const readHolder = async ({ client }: Session, identifier: string, reference: string): Promise<Holder | undefined> => {
  const path = { identifier };
  try {
    const customer = await client.get('/v1/customers/{identifier}', { path });
    const changes: CreditChangeResponse[] = [];
    const history = '/v1/customers/{identifier}/credit/history';
    for await (const change of client.rows(history, { path, query: { limit: 200 } })) changes.push(change);
    const { credit = 0, restrictedCredit = 0 } = changes[0] ?? {};
    const isWhole = credit === customer.credit && restrictedCredit === customer.restrictedCredit;
    return { customer, given: givenIn(changes, reference), isWhole };
  } catch (error) {
    if (error instanceof StoreProblem && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
};

/** The customers in a file, by the text that names them. Everybody who is known is included. */
export const readHolders = async (
  session: Session,
  rows: readonly ImportRow[],
  reference: string,
  onDone: (done: number, all: number) => void,
): Promise<Map<string, Holder>> => {
  const names = new Set(rows.flatMap(({ values, faults }) => (faults.length > 0 ? [] : [String(values.resident)])));
  const all = [...names];
  const read = async (name: string) => [name, await readHolder(session, name, reference)] as const;
  const found = await readEach(all, read, (done) => onDone(done, all.length));
  return new Map(found.flatMap(([name, holder]) => (holder ? [[name, holder] as const] : [])));
};

const planGift = (row: ImportRow, holders: ReadonlyMap<string, Holder>, now: number): GiftRow => {
  const { line, values, faults } = row;
  const { resident, amount = 0, type = 'regular', expiresAt } = values as Partial<GiftRow> & { resident?: string };
  const gift = { amount, type, expiresAt };
  const refused = (name: unknown, why: string): GiftRow => ({ ...refusedRow(row, name, why), ...gift });
  if (faults.length > 0) return refused(resident, faults.join(' '));
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now)
    return refused(resident, pastFault('expiresAt', expiresAt));
  const holder = holders.get(String(resident));
  if (!holder) return refused(resident, t.faults.nobody);
  const { uuid, username, credit, restrictedCredit } = holder.customer;
  if (!holder.isWhole) return refused(username, t.faults.behind);
  const before = holder.given.get(placeOf(type, expiresAt));
  const balance = type === 'regular' ? credit : restrictedCredit;
  const facts = { line, name: username, uuid, ...gift };
  if (before === amount) return { ...facts, outcome: 'same', changes: [], why: t.given };
  if (before !== undefined) return refused(username, t.faults.gaveOther(before));
  return {
    ...facts,
    outcome: 'create',
    changes: [{ field: type, from: money(balance), to: money(balance + amount) }],
  };
};

/** Says what each row would give. */
export const planCredit = (
  rows: readonly ImportRow[],
  holders: ReadonlyMap<string, Holder>,
  now: number,
): (GiftRow | PlannedRow)[] =>
  refuseTwins(
    rows.map((row) => planGift(row, holders, now)),
    ({ uuid, type, expiresAt }) => `${uuid} ${placeOf(type, expiresAt)}`,
  );

/** The body of a gift. */
const bodyOf = ({ amount, expiresAt }: GiftRow, { reference, reason }: Giving) => ({
  delta: amount,
  ...(expiresAt !== undefined && { expiresAt }),
  reason,
  reference,
});

/**
 * Gives credit once. For a day the service recognises a repeat by its key. After that, the customer's history tells the
 * plan that it was given.
 */
export const writeGift = async ({ client, store }: Session, gift: GiftRow, giving: Giving): Promise<undefined> => {
  const { uuid = '', type, expiresAt } = gift;
  const about = JSON.stringify([giving.reference, uuid, placeOf(type, expiresAt)]);
  await client.post(incrementPath(type), {
    path: { identifier: uuid },
    body: bodyOf(gift, giving),
    idempotencyKey: await idFrom(store.id, 'gift', about),
  });
  return undefined;
};
