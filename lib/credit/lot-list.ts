import { now, timestamp } from '../clock.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import type { CreditLotRow, LotFilter } from '../routes/credit.ts';
import { rowsOf } from '../table/table.ts';
import { asDecided, type CreditLot, importEpoch, lotId, lotPartition, lotType, prefixOf } from './lot.ts';
import { type CreditType, creditTypes } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

/** A lot as the API answers it, and its place in the list's order. */
export interface ListedLot extends CreditLotRow {
  position: string;
}

/** Lots whose sort keys have one prefix, which their positions in the list replace by another. */
interface Span {
  /** The bounds of their sort keys. */
  first: string;
  last: string;
  /** The prefix of the sort keys, and the prefix of the positions. */
  key: string;
  position: string;
}

const positionIn = ({ key, position }: Span, sk: string): string => position + sk.slice(key.length);

/**
 * The lots of a span, as a pending change will leave them. A range that begins outside it has all its lots, or none.
 */
const lotsIn =
  (store: string, item: CreditItem, span: Span, state: LotFilter['state']): Source<ListedLot> =>
  async ({ from, ...range }) => {
    const { key, position, first, last } = span;
    const isIn = from?.position.startsWith(position);
    if (from && !isIn && from.position > position !== range.descending) return [];
    const rows = rowsOf<CreditLot>({ partition: lotPartition(store, item.sk), first, last });
    const listed = loaded(
      rows,
      ({ sk }) => sk,
      async (some) =>
        some
          .map((lot): ListedLot => {
            const { endedAt = null, ...decided } = asDecided(lot, item);
            return { ...decided, endedAt, id: lotId(lot), type: lotType(lot), position: positionIn(span, lot.sk) };
          })
          .filter((lot) => lot.state === (state ?? lot.state)),
    );
    return listed({
      ...range,
      ...(from && isIn && { from: { ...from, position: key + from.position.slice(position.length) } }),
    });
  };

/** The rows of several lists, one list after the other. */
const inTurn =
  <T>(lists: readonly Source<T>[]): Source<T> =>
  async ({ limit = Number.POSITIVE_INFINITY, ...range }) => {
    const found: T[] = [];
    for (const list of range.descending ? lists.toReversed() : lists) {
      if (found.length >= limit) break;
      for (const one of await list({ ...range, limit: limit - found.length })) found.push(one);
    }
    return found;
  };

/**
 * Every set begins an epoch, whose id is a UUIDv7. Imported lots are older than all other lots, but the keys of their
 * epoch sort last.
 */
const spansOf = (type: CreditType, { importedVersion }: CreditItem): Span[] => {
  const key = `${type}#`;
  const imported = prefixOf(type, importEpoch);
  return [
    ...(importedVersion === undefined
      ? []
      : [{ first: imported, last: `${imported}~`, key: imported, position: `${type}#0#` }]),
    { first: key, last: `${type}#${importEpoch}`, key, position: `${type}#1#` },
  ];
};

/** The open lots of a type. All are in the current epoch, and none comes due before the first due time. */
const openSpan = (type: CreditType, item: CreditItem): Span => {
  const { epoch, due } = attributes[type];
  const key = prefixOf(type, item[epoch] ?? '');
  return { first: key + (item[due] ?? ''), last: `${key}~`, key, position: '' };
};

/**
 * A customer's lots. If only open lots are asked for, they come in the order in which they are drained. Otherwise
 * regular lots come before restricted ones, then older sets before newer ones. Each lot is as a pending large change
 * will leave it.
 */
export const listCreditLots = (
  store: string,
  item: CreditItem,
  { type: wanted, state }: LotFilter,
): Source<ListedLot> => {
  const types = creditTypes.filter((type) => type === (wanted ?? type));
  if (state === 'open') {
    const held = types.filter((type) => holdingOf(item, type).lots > 0);
    return merged(
      held.map((type) => lotsIn(store, item, openSpan(type, item), state)),
      ({ position }) => position,
    );
  }
  return inTurn(types.flatMap((type) => spansOf(type, item)).map((span) => lotsIn(store, item, span, state)));
};

/** The open lots of a customer that are not due yet, in the order in which they are drained. */
export const listLiveLots = (store: string, item: CreditItem, type: CreditType | undefined): Source<ListedLot> => {
  const at = timestamp(now());
  return loaded(
    listCreditLots(store, item, { type, state: 'open' }),
    ({ position }) => position,
    async (lots) => lots.filter(({ expiresAt }) => expiresAt > at),
  );
};
