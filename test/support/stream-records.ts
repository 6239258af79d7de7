import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { timestamp } from '../../lib/clock.ts';
import { type HistoryRow, historyKey, type LotPart } from '../../lib/credit/history.ts';
import { type CreditLot, lotKey } from '../../lib/credit/lot.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { attributes, type CreditItem, type LastChange, otherType, storedChange } from '../../lib/credit/state.ts';
import { perProcess } from '../../lib/process.ts';
import { customerKey } from '../../lib/table/keys.ts';
import type { Key } from '../../lib/table/schema.ts';

/** Each file counts its records and ids anew. */
const numbers = perProcess(() => ({ records: 0, ids: 0 }));

const image = (item: object | undefined) =>
  item && (marshall(item, { removeUndefinedValues: true }) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage']);

/**
 * A record of the stream, as Lambda gets it, made from an item's two images. Either image may be missing. It has no id,
 * so that no consumer remembers it.
 */
export const recordOf = (
  before: Key | undefined,
  after: Key | undefined,
  atMillis = 1_790_000_000_000,
): DynamoDBRecord => {
  const { pk, sk } = (after ?? before) as Key;
  const [NewImage, OldImage, Keys = {}] = [image(after), image(before), image({ pk, sk })];
  const eventName = !after ? 'REMOVE' : before ? 'MODIFY' : 'INSERT';
  const SequenceNumber = String(++numbers().records);
  return {
    eventName,
    eventSource: 'aws:dynamodb',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(atMillis / 1000),
      Keys,
      SequenceNumber,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
      ...(NewImage && { NewImage }),
      ...(OldImage && { OldImage }),
    },
  };
};

/** A batch of one shard, as Lambda hands it to the consumer. */
export const shardBatch = (Records: DynamoDBRecord[], shardId = 'shardId-00000001790000000000-00000001') => ({
  ...{ Records, shardId, eventSourceARN: 'arn:aws:dynamodb:us-east-1:1:table/t/stream/2026-01-01T00:00:00.000' },
});

/** A change in a made-up store: its records, and the rows of history that they must make. */
export interface MadeUpChange {
  records: DynamoDBRecord[];
  rows: { key: Key; row: HistoryRow; parts: LotPart[] }[];
}

interface State {
  item: CreditItem;
  lots: Record<CreditType, CreditLot[]>;
}

/** Sorts by its number, as ids do by their time. */
const idOf = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const dayMillis = 86_400_000;
const epochMillis = Date.UTC(2026, 0, 1);

/**
 * Makes up changes of customers' credit, each in its place in the order of the store. It follows the books by simple
 * sums of its own, with none of the service's rules: so it says what history must be without asking the code that makes
 * it.
 */
export const makeUpChanges = (
  random: () => number,
  store: string,
  uuids: readonly string[],
  { changesPerHour = 50 }: { changesPerHour?: number } = {},
) => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const states = new Map<string, State>();
  let made = 0;

  const newState = (uuid: string): State => ({
    item: {
      ...customerKey(store, uuid),
      username: uuid.slice(0, 8),
      creditVersion: 0,
    } as CreditItem,
    lots: { regular: [], restricted: [] },
  });

  /** Does one thing to a type. If there are enough lots, it may take, expire or replace them. */
  const act = (state: State, type: CreditType, version: number, at: string) => {
    const { item } = state;
    const lots = state.lots[type];
    const names = attributes[type];
    const images: [CreditLot | undefined, CreditLot][] = [];
    let unlotted = 0;
    let expired = 0;
    const change = (lot: CreditLot, to: Partial<CreditLot>): void => {
      const after = { ...lot, ...to, changed: version };
      images.push([lot, after]);
      const place = lots.indexOf(lot);
      if (after.state === 'open') lots[place] = after;
      else lots.splice(place, 1);
    };
    const what = below(10);
    const inLots = lots.reduce((sum, { remaining }) => sum + remaining, 0);
    const permanent = item[names.unlotted] ?? 0;
    let kind: LastChange['kind'] = 'increment';
    if (what < 4) unlotted = 1 + below(1000);
    else if (what < 6 || inLots + permanent === 0) {
      const expiresAt = timestamp(epochMillis + (400 + below(50)) * dayMillis);
      const amount = 1 + below(1000);
      const key = lotKey(store, item.sk, type, 'epoch', expiresAt, idOf(++numbers().ids));
      const lot = { ...key, amount, remaining: amount, expiresAt, state: 'open', createdAt: at, version: version - 1 };
      const after = { ...lot, createdBy: 'test', changed: version } as CreditLot;
      images.push([undefined, after]);
      lots.push(after);
    } else if (what < 8) {
      kind = 'sale';
      let rest = 1 + below(inLots + permanent);
      for (const lot of [...lots]) {
        const taken = Math.min(rest, lot.remaining);
        if (taken === 0) break;
        rest -= taken;
        change(lot, taken < lot.remaining ? { remaining: lot.remaining - taken } : { remaining: 0, state: 'drained' });
      }
      unlotted = 0 - rest;
    } else if (what < 9) {
      kind = 'expire';
      for (const lot of lots.slice(0, 1 + below(lots.length))) {
        expired += lot.remaining;
        change(lot, { state: 'expired' });
      }
    } else {
      kind = 'set';
      for (const lot of [...lots]) change(lot, { state: 'superseded' });
      unlotted = below(1000) - permanent;
    }
    const parts = images
      .map(([before, after]) => ({
        id: after.sk.split('#').at(-1) as string,
        amount: (after.state === 'open' ? after.remaining : 0) - (before ? before.remaining : 0),
        expiresAt: after.expiresAt,
      }))
      .sort((a, b) => (a.expiresAt + a.id < b.expiresAt + b.id ? -1 : 1));
    const net = parts.reduce((sum, { amount }) => sum + amount, unlotted);
    return { kind, parts, images, unlotted, expired, net };
  };

  return (): MadeUpChange => {
    const uuid = uuids[below(uuids.length)] as string;
    const state = states.get(uuid) ?? newState(uuid);
    states.set(uuid, state);
    const before = state.item.creditVersion === 0 ? undefined : state.item;
    const at = timestamp(epochMillis + Math.floor(made++ / changesPerHour) * 3_600_000);
    const first: CreditType = below(2) === 0 ? 'regular' : 'restricted';
    const types = below(10) === 0 ? [first, otherType(first)] : [first];
    const rows: MadeUpChange['rows'] = [];
    const lotRecords: DynamoDBRecord[] = [];
    let item = { ...state.item };
    const done = types.map((type, index) => {
      const { balance, unlotted: unlottedName, lots } = attributes[type];
      const version = (state.item.creditVersion ?? 0) + index + 1;
      const acted = act(state, type, version, at);
      item = {
        ...item,
        creditVersion: version,
        [balance]: (item[balance] ?? 0) + acted.net,
        [unlottedName]: (item[unlottedName] ?? 0) + acted.unlotted,
        [lots]: state.lots[type].length,
      };
      lotRecords.push(...acted.images.map(([old, one]) => recordOf(old, one)));
      return { type, version, ...acted, credit: item.credit ?? 0, restrictedCredit: item.restrictedCredit ?? 0 };
    });
    const kind = done.length === 2 ? 'sale' : (done[0]?.kind ?? 'set');
    const common = { kind, at, reference: `change ${made}` };
    item.lastChange = storedChange({
      ...common,
      types: done.map(({ type, expired }) => ({ type, ...(expired > 0 && { expired }) })),
    });
    for (const { type, version, net, expired, unlotted, credit, restrictedCredit, parts } of done) {
      const row = { ...common, amount: net + expired, expired, unlotted, credit, restrictedCredit };
      rows.push({ key: historyKey(store, uuid, type, version), row, parts });
    }
    state.item = item;
    return { records: [recordOf(before, item), ...lotRecords], rows };
  };
};
