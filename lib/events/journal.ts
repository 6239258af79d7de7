import { now, timestamp } from '../clock.ts';
import { demandPart, type ListRequest, type Page, paginationOf } from '../lists/page.ts';
import { merged, reversed, type Source } from '../lists/source.ts';
import { forbidden } from '../problem.ts';
import type { JournalFilter, JournalRow } from '../routes/journal.ts';
import { type JournalKind, readableKinds, ruleOf } from '../routes/journal-kinds.ts';
import { scopes as allScopes, type Scope } from '../routes/scopes.ts';
import type { ApiKey } from '../store/api-keys.ts';
import { customerKey, sharedKey } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { getMany, rowsOf } from '../table/table.ts';
import type { EventItem } from './events.ts';
import { changesIn, factsIn, type JournalItem, journalList, subjectIn, subjectList } from './journal-items.ts';

/** A row of an index of the journal. */
type Place = Key & { rank: string };

/** A row of the journal as it is stored. */
type StoredRow = EventItem & JournalItem;

const dayMillis = 86_400_000;

/** A change is noted after it was made, by clocks that may differ by this, and at most a day later. */
const skewMillis = 60_000;

/**
 * The places of a store's journal that may pass a filter, the newest first. The list is in the order in which changes
 * were noted, and `from` and `to` are times of the changes.
 */
const places = (store: string, { subject, from, to }: JournalFilter): Source<Place> => {
  const range = {
    ...(from !== undefined && { first: timestamp(Date.parse(from) - skewMillis) }),
    ...(to !== undefined && { last: timestamp(Date.parse(to) + dayMillis) }),
  };
  if (subject !== undefined)
    return reversed(rowsOf<Place>({ partition: subjectList(store, subject), index: 'byBuyer', ...range }));
  const [ranked, due] = [
    rowsOf<Place>({ partition: journalList(store), index: 'byRank', ...range }),
    rowsOf<Key & { due: string }>({ partition: journalList(store), index: 'byDue', ...range }),
  ];
  // Rows that are events of a type which has a list of its own.
  const shared: Source<Place> = async (some) => (await due(some)).map(({ pk, sk, due: rank }) => ({ pk, sk, rank }));
  return reversed(merged([ranked, shared], ({ rank }) => rank));
};

/** Tells by its place alone whether a row passes a filter. */
const passing = (kinds: readonly JournalKind[], { key, from = '', to = '~' }: JournalFilter) => {
  const wanted = new Set(kinds);
  return ({ rank }: Place): boolean => {
    const facts = factsIn(rank);
    if (!facts || !wanted.has(facts.kind) || facts.at < from || facts.at >= to) return false;
    return key === undefined || facts.by === key;
  };
};

/** A page looks at no more rows than this, so it may be short. */
const mostLooks = 1000;

/** The places of a page, and whether the list goes on in the page's direction after the place `edge`. */
interface PagePlaces {
  places: Place[];
  goesOn: boolean;
  edge: string | undefined;
}

/** Looks at places until a page is full, the list ends, or enough were looked at. */
const lookFor = async (
  source: Source<Place>,
  passes: (place: Place) => boolean,
  { limit, cursor }: ListRequest,
  most: number,
): Promise<PagePlaces> => {
  const found: Place[] = [];
  let from = cursor && { position: cursor.position, inclusive: cursor.inclusive };
  let edge = cursor?.position;
  for (let left = most, stride = limit + 1; left > 0; stride *= 2) {
    const asked = Math.min(stride, left);
    const rows = await source({ descending: cursor?.backward ?? false, limit: asked, ...(from && { from }) });
    for (const row of rows) {
      if (found.length === limit) return { places: found, goesOn: true, edge };
      if (passes(row)) found.push(row);
      edge = row.rank;
    }
    if (rows.length < asked) return { places: found, goesOn: false, edge };
    left -= rows.length;
    from = { position: edge as string, inclusive: false };
  }
  return { places: found, goesOn: true, edge };
};

/** The present names of the keys and customers that made changes, by their ids. */
const namesOf = async (store: string, rows: readonly StoredRow[]): Promise<(id: string) => string | null> => {
  const idsOf = (type: string): string[] => [
    ...new Set(rows.flatMap(({ actor, rank }) => (actor === type ? (factsIn(rank)?.by ?? []) : []))),
  ];
  const keys = [
    ...idsOf('key').map((id) => sharedKey('KEY', id)),
    ...idsOf('customer').map((uuid) => customerKey(store, uuid)),
  ];
  const items = await getMany<Key & Partial<ApiKey> & { username?: string }>(keys);
  const names = new Map(items.map(({ sk, id = sk, name, username }) => [id, name ?? username]));
  return (id) => names.get(id) ?? null;
};

const rowAnswer = (item: StoredRow, nameOf: (id: string) => string | null): JournalRow => {
  const { kind, by, at } = factsIn(item.rank) as NonNullable<ReturnType<typeof factsIn>>;
  const id = by || null;
  return {
    id: item.sk,
    at,
    kind,
    subject: { type: ruleOf(kind).subject, id: subjectIn(item), name: item.name ?? null },
    by: { type: item.actor, id, name: id === null ? null : nameOf(id) },
    requestId: item.requestId ?? null,
    changes: changesIn(item),
  };
};

/** The rows at these places, in their order. An erasure may have taken some, and the time of some is over. */
const rowsAt = async (store: string, some: readonly Place[]): Promise<JournalRow[]> => {
  const found = (await getMany<StoredRow>(some)).filter(
    ({ changes, ttl }) => changes !== undefined && ttl * 1000 > now(),
  );
  const nameOf = await namesOf(store, found);
  return found.map((item) => rowAnswer(item, nameOf));
};

/**
 * A page of the journal's rows that a key with the scopes `held` may read, the newest first. It may be short or empty
 * though more follow. Throws 403 for a kind that the key may not read.
 */
export const journalPage = async (
  store: string,
  held: readonly Scope[],
  filter: JournalFilter,
  list: ListRequest,
): Promise<Page<JournalRow>> => {
  const part = JSON.stringify(filter);
  demandPart(list, part);
  const readable = readableKinds(held);
  const { kind } = filter;
  if (kind !== undefined && !readable.includes(kind))
    throw forbidden(`The API key lacks the scope ${ruleOf(kind).scope} to read ${kind}.`);
  const { limit, cursor } = list;
  const backward = cursor?.backward ?? false;
  const source = places(store, filter);
  const most = filter.key === undefined ? Math.max(mostLooks, limit + 1) : mostLooks;
  const [found, behind] = await Promise.all([
    lookFor(source, passing(kind === undefined ? readable : [kind], filter), list, most),
    cursor
      ? source({ descending: !backward, limit: 1, from: { position: cursor.position, inclusive: !cursor.inclusive } })
      : [],
  ]);
  const data = await rowsAt(store, found.places);
  if (backward) data.reverse();
  const ends = {
    first: found.places[0]?.rank,
    last: found.edge,
    goesOn: found.goesOn,
    isBehind: behind.length > 0,
  };
  return { data, pagination: paginationOf(list, ends, part) };
};

/** Every row of a store's journal that passes a filter, the newest first. */
export async function* journalRows(store: string, filter: JournalFilter = {}): AsyncGenerator<JournalRow> {
  const source = places(store, filter);
  const passes = passing(filter.kind === undefined ? readableKinds(allScopes) : [filter.kind], filter);
  let from: { position: string; inclusive: boolean } | undefined;
  for (;;) {
    const rows = await source({ descending: false, limit: mostLooks, ...(from && { from }) });
    yield* await rowsAt(store, rows.filter(passes));
    const last = rows.at(-1);
    if (rows.length < mostLooks || !last) return;
    from = { position: last.rank, inclusive: false };
  }
}
