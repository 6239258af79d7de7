import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import type { Payee } from '../../lib/payout/payees.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import type { PayoutState } from '../../lib/routes/payouts.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { GiftCardItem } from '../../lib/store/gift-cards.ts';
import type { Outcome, Request } from './client.ts';
import type { Commit, Machine, Process } from './machine.ts';
import type { State } from './world.ts';

/** An operation of a schedule, and the change that it makes. */

/** A change that the service made, as its items tell of it. */
export type Effect =
  | { kind: 'sale'; item: SaleItem; at: string }
  | { kind: 'refund'; item: SaleItem; at: string }
  /** The cards that were redeemed at once. */
  | { kind: 'redeem'; item: GiftCardItem; cards: string[]; at: string }
  | { kind: 'import' | 'credit' | 'expire'; item: CreditItem; at: string }
  /** `giveUp`: nobody has reported it in time. */
  | { kind: 'payout' | 'giveUp'; item: PayoutItem; from: PayoutState | undefined; at: string }
  /** The store owes one avatar more, by debts of these sales. */
  | { kind: 'count'; debts: [sale: string, cause: string, payee: string][]; amount: number; at: string }
  | { kind: 'erase'; uuid: string; pseudonym: string; at: string };

/** The change of a payout, of the debts of an account, or of its avatar. */
const payoutEffectOf = ({ written }: Commit): Effect | undefined => {
  const of = (kind: string) => written.filter(({ key }) => key.pk.endsWith(kind));
  for (const { before, after } of of('#PAYOUT')) {
    const [item, from] = [after as unknown as PayoutItem, before?.state as PayoutState | undefined];
    if (item.state === from) continue;
    const isGivenUp = from === 'claimed' && item.state === 'unknown' && item.reported === undefined;
    // A report's time is that of the change of its payee.
    const at = item.endedAt ?? item.createdAt;
    return { kind: isGivenUp ? 'giveUp' : 'payout', item, from, at };
  }
  const accounts = of('#PAYEE').map(({ key, before, after }) => ({
    ...{ uuid: key.sk, before: before as Payee | undefined, after: after as Payee | undefined },
  }));
  const [gone, come] = [accounts.find(({ after }) => !after), accounts.find(({ after }) => after?.isPseudonym)];
  if (gone && come) return { kind: 'erase', uuid: gone.uuid, pseudonym: come.uuid, at: '' };
  for (const { uuid, before, after } of accounts) {
    const marks = (after?.counting ?? []).filter((mark) => !before?.counting?.includes(mark));
    const debts = marks.map((mark) => [...mark.split(' '), uuid] as [string, string, string]);
    const amount = (after?.owed ?? 0) - (before?.owed ?? 0);
    if (debts.length > 0 || amount !== 0) return { kind: 'count', debts, amount, at: '' };
  }
  return undefined;
};

const cardsRedeemed = (written: Commit['written']): string[] =>
  written.flatMap(({ key, before, after }) => (after?.redeemedAt !== before?.redeemedAt ? key.sk : []));

/** The change of credit, cards or sales that a commit made; undefined for one that only keeps house. */
export const effectOf = (commit: Commit): Effect | undefined => {
  const { written } = commit;
  let found: Effect | undefined;
  for (const { key, before, after } of written) {
    const kind = key.pk.split('#', 2)[1];
    if (kind === 'SALE' && key.pk.endsWith('#SALE')) {
      const item = after as unknown as SaleItem;
      if (!before) return { kind: 'sale', item, at: item.at };
      if (item.state === 'refunded' && before.state !== 'refunded')
        return { kind: 'refund', item, at: item.refundedAt ?? '' };
    }
    if (kind === 'GIFTCARD') {
      const item = after as unknown as GiftCardItem;
      if (item.redeemedAt !== before?.redeemedAt)
        return { kind: 'redeem', item, cards: cardsRedeemed(written), at: item.redeemedAt ?? '' };
    }
    const item = after as unknown as CreditItem;
    if (kind === 'CUSTOMER' && item.creditVersion !== before?.creditVersion) {
      const { kind: change, at } = lastChangeOf(item) ?? { kind: 'set', at: '' };
      found = { kind: change === 'expire' ? 'expire' : change === 'import' ? 'import' : 'credit', item, at };
    }
  }
  return found ?? payoutEffectOf(commit);
};

/** The facts about an operation when all is over. */
export interface Seen {
  outcome: Outcome;
  /** The one change that it made, if any. */
  effect: Effect | undefined;
  /** Its place in the schedule when it began. */
  start: number;
}

export interface Operation {
  name: string;
  text: string;
  run: (machine: Machine, processes: readonly Process[]) => Promise<Outcome>;
  /** Goes on, once all is at rest, with what a person repeats until it has ended. */
  finish?: (machine: Machine) => Promise<void>;
  /** The state after it, on a copy of the one before; undefined where the model does otherwise. */
  apply?: (state: State, seen: Seen) => State | undefined;
}

export const copyOf = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Record<string, unknown> = {};
  for (const name in value) copy[name] = copyOf(value[name]);
  return copy as T;
};

export const millisOf = (at: string): number => Date.parse(at);

export type Sending = Pick<Request, 'isRepeatable' | 'idempotencyKey'>;

/** Half of all requests have an Idempotency-Key. */
export const sendingOf = (machine: Machine, name: string): Sending => {
  const idempotencyKey = machine.random.chance(0.5) ? `key of ${name}` : undefined;
  return { idempotencyKey, isRepeatable: idempotencyKey !== undefined };
};
