import type { GiftCardItem } from '../../../lib/catalogue/gift-cards.ts';
import { now } from '../../../lib/clock.ts';
import { type HistoryItem, historyPartition } from '../../../lib/credit/history.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { giftCardKey, storeOf } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get, rowsOf } from '../../../lib/table/table.ts';
import { itemsOf } from './audit.ts';

/**
 * Checks what sales give besides their products: that each bonus and gift card was given once, and that each card still
 * exists.
 */

/** The L$ of each bonus by its sale; undefined if an outage of the stream left a gap in history. */
type Bonuses = ReadonlyMap<string, number> | undefined;

const bonusesIn = (rows: readonly HistoryItem[]): Bonuses =>
  rows.some(({ kind }) => kind === 'unrecorded')
    ? undefined
    : new Map(
        rows.flatMap(({ kind, saleId = '', amount = 0 }) => (kind === 'bonus' && amount > 0 ? [[saleId, amount]] : [])),
      );

/** False for an imported sale, since another service gave its bonus and card. */
const isGiver = ({ state, imported }: SaleItem): boolean => state !== 'refused' && !imported;

const bonusFaults = ({ sk, bonus }: SaleItem, bonuses: Bonuses): string[] => {
  const [said, given] = [bonus?.amount ?? 0, bonuses?.get(sk) ?? 0];
  return bonuses === undefined || said === given
    ? []
    : [`sale ${sk}: gave a bonus of L$ ${said}, but history has ${given}.`];
};

const cardFaults = ({ sk, state, giftCardId }: SaleItem, card: GiftCardItem | undefined): string[] => {
  if (giftCardId === undefined) return [];
  if (!card) return [`sale ${sk}: the gift card ${giftCardId}, which it made, is not there.`];
  const isRefunded = card.refundedAt !== undefined;
  if (state === 'completed' && isRefunded)
    return [`sale ${sk}: is completed, but its gift card ${giftCardId} is disabled as refunded.`];
  if (state === 'refunded' && (!isRefunded || card.active || card.redeemed))
    return [`sale ${sk}: is refunded, but its gift card ${giftCardId} can be, or was, redeemed.`];
  return [];
};

/** Checks bonus and gift cards of sales among raw items of one store's table. */
export const auditGiven = (items: readonly Key[]): string[] => {
  const rows = Map.groupBy(items.filter(({ pk }) => pk.includes('#HISTORY#')) as HistoryItem[], ({ pk }) => pk);
  const cards = new Map(itemsOf<GiftCardItem>(items, '#GIFTCARD').map((card) => [card.sk, card]));
  return itemsOf<SaleItem>(items, '#SALE')
    .filter(isGiver)
    .flatMap((sale) => {
      const { bonus, buyerUuid, giftCardId = '' } = sale;
      const theirs = bonus ? rows.get(historyPartition(storeOf(sale), buyerUuid ?? '', bonus.type)) : undefined;
      return [...cardFaults(sale, cards.get(giftCardId)), ...(bonus ? bonusFaults(sale, bonusesIn(theirs ?? [])) : [])];
    });
};

/** History shows a bonus at most this long after its sale. */
const lagMillis = 5000;

/** Makes a function that checks bonus and card of a sale, and reads each buyer's history once. */
export const givenChecker = (store: string) => {
  const read = new Map<string, Promise<Bonuses>>();
  const bonusesOf = async (pk: string): Promise<Bonuses> => {
    const found: HistoryItem[] = [];
    for await (const row of everyRow(rowsOf<HistoryItem>({ partition: pk }), ({ sk }) => sk))
      if (row.kind === 'bonus' || row.kind === 'unrecorded') found.push(row);
    return bonusesIn(found);
  };
  const readBonuses = async (pk: string, saleId: string): Promise<Bonuses> => {
    const before = read.get(pk);
    const known = await before;
    // The sale may be newer than the history that was read before. A gap in history never closes.
    if (before && (known === undefined || known.has(saleId))) return known;
    const again = bonusesOf(pk);
    read.set(pk, again);
    return again;
  };
  return async (sale: SaleItem): Promise<string[]> => {
    const { sk, at, bonus, buyerUuid, giftCardId } = sale;
    if (!isGiver(sale)) return [];
    const card = giftCardId === undefined ? undefined : await get<GiftCardItem>(giftCardKey(store, giftCardId));
    const isOld = now() - Date.parse(at) > lagMillis;
    const bonuses =
      bonus && isOld ? await readBonuses(historyPartition(store, buyerUuid ?? '', bonus.type), sk) : undefined;
    return [...cardFaults(sale, card), ...bonusFaults(sale, bonuses)];
  };
};
