import { timestamp } from '../../../lib/clock.ts';
import type { HistoryItem } from '../../../lib/credit/history.ts';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { recordedChanges } from '../../../lib/operator/audit-history.ts';
import { type CreditChange, listCreditHistory } from '../../../lib/routes/credit.ts';
import { getCustomer } from '../../../lib/routes/customers.ts';
import {
  addBonus,
  balanceOf,
  change,
  emptyHolding,
  expire,
  giveBack,
  type Holding,
  inLots,
  type ModelBonus,
  type TakenParts,
  takeBonusBack,
  takeCredit,
} from '../../../test/support/model/credit.ts';
import type { AskedChange, Book, Interval, SeenCredit } from '../book.ts';
import { type Service, send, walk } from '../client.ts';
import { onceEach } from '../faults.ts';
import type { Table } from '../table.ts';

/**
 * Credit: history has each acknowledged change once, in an order that the clients saw, and the rules lead from each row
 * to the next. Everything that clients read, and each reason of a refusal, was true at some moment while they asked.
 */

type Row = Pick<CreditChange, 'sequence' | 'at' | 'type' | 'kind' | 'amount' | 'expired' | 'credit'> &
  Pick<CreditChange, 'restrictedCredit' | 'reference' | 'saleId' | 'giftCardId'> & {
    lots: readonly { amount: number; expiresAt: string | null }[];
  };

/** A customer's history from its first row on, and the balances. */
export interface CreditBooks {
  rows: readonly Row[];
  credit: number;
  restrictedCredit: number;
}

export type CreditOfCustomers = ReadonlyMap<string, CreditBooks>;

/** The credit of every customer in a table. */
export const creditInTable = (table: Table): CreditOfCustomers => {
  const history = Map.groupBy(table.of('HISTORY') as HistoryItem[], ({ pk }) => pk.split('#')[2] ?? '');
  return new Map(
    table.of('CUSTOMER').map(({ sk, credit = 0, restrictedCredit = 0 }) => {
      const changes = recordedChanges(history.get(sk) ?? []);
      const rows = changes.map(({ reference = null, saleId = null, giftCardId = null, ...row }) => ({
        ...{ ...row, reference, saleId, giftCardId },
      }));
      return [sk, { rows, credit, restrictedCredit }];
    }),
  );
};

/** The credit of some customers according to the API. */
export const creditOverHttp = async (service: Service, uuids: Iterable<string>): Promise<CreditOfCustomers> => {
  const found = new Map<string, CreditBooks>();
  for (const identifier of uuids) {
    const { body } = await send(service, getCustomer, { params: { identifier } });
    const rows: Row[] = await walk(service, listCreditHistory, { params: { identifier }, query: { limit: 1000 } });
    const { credit, restrictedCredit } = body;
    found.set(identifier, { rows: rows.toReversed(), credit, restrictedCredit });
  }
  return found;
};

/** The name by which a row and the requested change find each other. */
const keyOf = ({ kind, type, amount, reference, saleId, giftCardId }: Row): string => {
  const name = kind === 'bonus' && amount < 0 ? 'bonus back' : kind;
  return saleId !== null ? `${name} ${type} ${saleId}` : (giftCardId ?? reference ?? kind);
};

/** The changes that the book's sales make. A refund takes back what is left of a bonus, which may be nothing. */
const changesOfSales = ({ sales }: Book): AskedChange[] =>
  [...sales].flatMap(([id, { answer, asked, refund, bonus }]) => {
    const { state, buyerUuid: uuid } = answer;
    if (state === 'refused' || uuid === null) return [];
    type Change = Pick<AskedChange, 'type' | 'command'>;
    const changeOf = (name: string, { type, command }: Change, interval: Interval): AskedChange => ({
      ...{ ...interval, uuid, type, command, key: `${name} ${type} ${id}` },
      outcome: command.kind === 'bonusBack' ? 'unknown' : 'done',
    });
    const ofType = (type: CreditType): AskedChange[] => {
      const amount = type === 'regular' ? answer.credit : answer.restrictedCredit;
      if (amount === 0) return [];
      const taken = changeOf('sale', { type, command: { kind: 'take', amount } }, asked);
      return refund ? [taken, changeOf('refund', { type, command: { kind: 'giveBack', amount } }, refund)] : [taken];
    };
    const ofBonus = (): AskedChange[] => {
      if (!bonus) return [];
      const { type } = bonus;
      const given = changeOf('bonus', { type, command: { kind: 'bonus', bonus } }, asked);
      return refund
        ? [given, changeOf('bonus back', { type, command: { kind: 'bonusBack', bonus } }, refund)]
        : [given];
    };
    return [...creditTypes.flatMap(ofType), ...ofBonus()];
  });

export const always: Interval = { begun: 0, ended: Number.POSITIVE_INFINITY, from: 0, until: Number.POSITIVE_INFINITY };

/** The sources of each sale's credit, and its bonus, by type and sale. */
interface Kept {
  taken: Map<string, TakenParts>;
  bonuses: Map<string, ModelBonus>;
}

/** Carries out a row's change. Returns what expired when it came back, or undefined if the rules refuse the change. */
const obey = (
  holding: Holding,
  row: Row,
  asked: AskedChange | undefined,
  { taken, bonuses }: Kept,
  limit: number,
): number | undefined => {
  const [customer, at, place] = [holding[row.type], Date.parse(row.at), `${row.type} ${row.saleId}`];
  const command = asked?.command;
  if (!command) return 0;
  if (command.kind === 'set' || command.kind === 'increment')
    return change(customer, command, at, limit) ? 0 : undefined;
  if (command.kind === 'bonus') {
    bonuses.set(place, addBonus(customer, command.bonus, at));
    return 0;
  }
  if (command.kind === 'bonusBack') {
    takeBonusBack(customer, bonuses.get(place) ?? command.bonus, at);
    return 0;
  }
  if (command.kind === 'giveBack') return giveBack(customer, command.amount, taken.get(place) ?? [], at);
  taken.set(place, takeCredit(customer, command.amount, at));
  return 0;
};

/** The sum of the parts for each time, without sums of 0. */
const textOfParts = (parts: readonly (readonly [string, number])[]): string => {
  const sums = new Map<string, number>();
  for (const [at, amount] of parts) sums.set(at, (sums.get(at) ?? 0) + amount);
  return JSON.stringify([...sums].filter(([, amount]) => amount !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
};

const partsBetween = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): string =>
  textOfParts([
    ...[...before].map(([at, amount]) => [timestamp(at), -amount] as const),
    ...[...after].map(([at, amount]) => [timestamp(at), amount] as const),
  ]);

const partsOf = ({ lots }: Row): string =>
  textOfParts(lots.flatMap(({ amount, expiresAt }) => (expiresAt === null ? [] : [[expiresAt, amount] as const])));

/** A row lists at most this many parts. */
const mostParts = 200;

/** Follows the rules from one row to the next. Answers how the row differs. */
const step = (...[holding, row, asked, kept, limit]: Parameters<typeof obey>): string | undefined => {
  const customer = holding[row.type];
  const [before, lots] = [balanceOf(customer), inLots(customer)];
  const due = expire(customer, Date.parse(row.at)).amount;
  const back = obey(holding, row, asked, kept, limit);
  if (back === undefined) return 'is there, but the rules refuse it';
  const expired = due + back;
  const amount = balanceOf(customer) - before + expired;
  const [credit, restrictedCredit] = [balanceOf(holding.regular), balanceOf(holding.restricted)];
  const shown = (one: Pick<Row, 'amount' | 'expired' | 'credit' | 'restrictedCredit'>): string =>
    `${one.amount}, expired ${one.expired}, to ${one.credit} and ${one.restrictedCredit}`;
  const [told, made] = [shown(row), shown({ amount, expired, credit, restrictedCredit })];
  if (told !== made) return `tells of ${told}, but the rules make it ${made}`;
  const [toldParts, madeParts] = [partsOf(row), partsBetween(lots, inLots(customer))];
  if (row.lots.length < mostParts && toldParts !== madeParts)
    return `has the parts ${toldParts}, but the rules make them ${madeParts}`;
  const { answer } = asked ?? {};
  return answer && (answer.credit !== credit || answer.restrictedCredit !== restrictedCredit)
    ? `was answered with ${answer.credit} and ${answer.restrictedCredit}, not ${credit} and ${restrictedCredit}`
    : undefined;
};

/**
 * For each place in history, before the first row and after each row: says whether a request was only made after this
 * moment, or had ended before it.
 */
const windowsOf = (rows: readonly Interval[]) => {
  const latestBegun: number[] = [];
  for (const { begun } of rows) latestBegun.push(Math.max(begun, latestBegun.at(-1) ?? 0));
  const firstEnded: number[] = [];
  for (const { ended } of rows.toReversed()) firstEnded.unshift(Math.min(ended, firstEnded[0] ?? ended));
  const isAfter = (place: number, { ended }: Interval): boolean => place > 0 && (latestBegun[place - 1] ?? 0) > ended;
  const isBefore = (place: number, { begun }: Interval): boolean =>
    (firstEnded[place] ?? Number.POSITIVE_INFINITY) < begun;
  return { isAfter, isBefore };
};

/** A refusal is right if the rules refuse the change too. Credit may come due during the request. */
const refusalOf = ({ uuid, type, command, key, ...interval }: AskedChange, limit: number): SeenCredit => ({
  ...{ uuid, ...interval, text: `${key}: ${JSON.stringify(command)} of ${type} was refused` },
  isTrue: (holding) =>
    (command.kind !== 'set' && command.kind !== 'increment') ||
    [interval.from, interval.until].some((at) => !change(structuredClone(holding[type]), command, at, limit)),
});

const faultsOfCustomer = (
  uuid: string,
  { rows, ...balances }: CreditBooks,
  asked: ReadonlyMap<string, AskedChange>,
  seen: readonly SeenCredit[],
  limit: number,
): string[] => {
  const faults: string[] = [];
  const intervals = rows.map((row) => asked.get(keyOf(row)) ?? always);
  const { isAfter, isBefore } = windowsOf(intervals);
  const kept: Kept = { taken: new Map(), bonuses: new Map() };
  const holding = emptyHolding();
  const waiting = seen.toSorted((a, b) => a.begun - b.begun);
  let open: SeenCredit[] = [];
  for (let place = 0; place <= rows.length; place++) {
    while (waiting[0] && !isBefore(place, waiting[0])) open.push(waiting.shift() as SeenCredit);
    faults.push(
      ...open.filter((one) => isAfter(place, one)).map(({ text }) => `${uuid}: ${text}, which never was true`),
    );
    open = open.filter((one) => !isAfter(place, one) && !one.isTrue(holding));
    const [row, interval] = [rows[place], intervals[place]];
    if (!row || !interval) break;
    if (row.sequence !== place + 1)
      return [...faults, `the history of ${uuid} has ${row.sequence} as number ${place + 1}`];
    if (isAfter(place, interval)) faults.push(`the change ${keyOf(row)} of ${uuid} comes after one that began later`);
    const fault = step(holding, row, asked.get(keyOf(row)), kept, limit);
    if (fault) return [...faults, `the change ${row.sequence} of ${uuid}, ${keyOf(row)}, ${fault}`];
  }
  faults.push(...open.map(({ text }) => `${uuid}: ${text}, which never was true`));
  const end = [balanceOf(holding.regular), balanceOf(holding.restricted)];
  if (`${end}` !== `${[balances.credit, balances.restrictedCredit]}`)
    faults.push(
      `${uuid} holds ${balances.credit} and ${balances.restrictedCredit}, but history makes it ${end.join(' and ')}`,
    );
  return faults;
};

/** The faults in customers' credit. `limit` is the largest balance that set and increment may make. */
export const creditFaults = (book: Book, customers: CreditOfCustomers, limit = 1_000_000_000): string[] => {
  const all = [...book.credit, ...changesOfSales(book)];
  const asked = new Map(all.map((one) => [one.key, one]));
  const seen = [
    ...book.seen,
    ...all.filter(({ outcome }) => outcome === 'refused').map((one) => refusalOf(one, limit)),
  ];
  const seenOf = Map.groupBy(seen, ({ uuid }) => uuid);
  const keys = (outcome: AskedChange['outcome']): string[] =>
    all.filter((one) => one.outcome === outcome).map(({ uuid, key }) => `${key} of ${uuid}`);
  const found = [...customers].flatMap(([uuid, { rows }]) =>
    rows.filter(({ kind }) => kind !== 'expire').map((row) => `${keyOf(row)} of ${uuid}`),
  );
  return [
    ...onceEach('the change of credit', keys('done'), found, new Set(keys('unknown'))),
    ...[...customers].flatMap(([uuid, books]) => faultsOfCustomer(uuid, books, asked, seenOf.get(uuid) ?? [], limit)),
  ];
};
