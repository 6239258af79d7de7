import { useRef } from 'preact/hooks';
import type { JournalRowResponse } from '../../client/client.ts';
import { goInstead, link, useAddress } from '../address.ts';
import type { CsvValue } from '../csv.ts';
import { startOfDay } from '../format.ts';
import {
  beginning,
  csvRows,
  isAtEnd,
  type JournalReader,
  kindsOf,
  type Progress,
  readMore,
  type Told,
  tell,
} from '../journal.ts';
import { Entries } from '../parts/changes.tsx';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { DayFilter, Export, Filter } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { canRead, type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './journal.texts.ts';

type Row = JournalRowResponse;
type Query = Record<string, string>;

/** People without a key. The API does not list their changes by themselves. */
const withoutKey = { operator: t.operator, customer: t.customers } as const;

const isWithoutKey = (who: string | undefined): who is keyof typeof withoutKey => Object.hasOwn(withoutKey, who ?? '');

/** The journal under the filters of an address. */
const journalOf = ({ client }: Session, { who, what = '', subject, from, to }: Query) => {
  const [first, end] = [startOfDay(from), startOfDay(to, 1)];
  const filter = {
    ...(subject && { subject }),
    ...(who && !isWithoutKey(who) && { key: who }),
    ...(first && { from: first }),
    ...(end && { to: end }),
  };
  const reader =
    (limit: number, signal?: AbortSignal): JournalReader<Row> =>
    (kind, cursor) =>
      client.get('/v1/journal', {
        query: { ...filter, limit, ...(kind && { kind }), ...(cursor && { cursor }) },
        ...(signal && { signal }),
      });
  const passes = ({ by }: Row): boolean => !isWithoutKey(who) || by.type === who;
  return { first: beginning<Row>(kindsOf(what)), reader, passes };
};

/** This many more rows are shown at a time. */
const step = 50;

/** The first rows under the filters. For more rows it reads on where it stopped. */
const useJournal = ({ show, ...filters }: Query) => {
  const session = useSession();
  const key = JSON.stringify(filters);
  const want = Math.max(step, Number(show) || 0);
  const kept = useRef<{ key: string; found: Progress<Row>; told: readonly Told[] }>(undefined);
  const loaded = useLoad(
    async (signal) => {
      const { first, reader, passes } = journalOf(session, filters);
      const before = kept.current?.key === key ? kept.current : { found: first, told: [] };
      const found = await readMore(reader(100, signal), before.found, want, passes);
      const added = found.rows.slice(before.told.length).map((row) => tell(session, row));
      const told = [...before.told, ...(await Promise.all(added))];
      if (!signal.aborted) kept.current = { key, found, told };
      return { key, found, told };
    },
    [key, want],
  );
  return { loaded, want };
};

/** Every line of the file under the filters, read anew. */
async function* linesOf(session: Session, query: Query) {
  const { first, reader, passes } = journalOf(session, query);
  const read = reader(1000);
  for (let progress = first; !isAtEnd(progress); ) {
    const next = await readMore(read, { ...progress, rows: [] }, 1000, passes);
    for (const told of await Promise.all(next.rows.map((row) => tell(session, row)))) yield* csvRows(told);
    progress = next;
  }
}

const fileColumns: readonly Column<CsvValue[]>[] = Object.values(t.file).map((heading, index) => ({
  heading,
  value: (line) => line[index] ?? '',
}));

/** The keys of the store by name. A key that reads no keys gets the names in the rows. */
const useKeys = (rows: readonly Row[], who: string | undefined): readonly (readonly [string, string])[] => {
  const { client, can } = useSession();
  const keys = useLoad(async (signal) => {
    const all: [string, string][] = [];
    if (!can('keys:read')) return all;
    for await (const { id, name, endedAt } of client.rows('/v1/keys', { query: { limit: 1000 }, signal }))
      all.push([id, endedAt === null ? name : t.ended(name)]);
    return all.sort(([, one], [, other]) => one.localeCompare(other));
  }, []);
  const named = new Map(keys.value);
  for (const { by } of rows)
    if (by.type === 'key' && by.id !== null && !named.has(by.id)) named.set(by.id, by.name ?? texts.unread.key);
  if (who && !isWithoutKey(who) && !named.has(who)) named.set(who, texts.unread.key);
  return [...named];
};

const Filters = ({ rows }: { rows: readonly Row[] }) => {
  const session = useSession();
  const { query } = useAddress();
  const keys = useKeys(rows, query.who);
  return (
    <div class="filters">
      <Filter name="who" label={t.who} options={[['', t.everybody], ...keys, ...Object.entries(withoutKey)]} />
      <Filter
        name="what"
        label={t.what}
        options={[
          ['', t.everything],
          ...Object.entries(t.groups).filter(([group]) => canRead(session, group, 'journal:read')),
        ]}
      />
      <DayFilter name="from" label={t.from} />
      <DayFilter name="to" label={t.to} />
    </div>
  );
};

/** Stands there instead of changes, with one thing to do next. */
const Nothing = ({ isFiltered }: { isFiltered: boolean }) => {
  const { can } = useSession();
  return (
    <div class="card stack">
      <p>{isFiltered ? t.noneFits : t.none}</p>
      <p>
        {isFiltered ? (
          <a class="button" href={link('/journal')}>
            {t.all}
          </a>
        ) : (
          can('products:read') && (
            <a class="button" href={link('/products')}>
              {t.next}
            </a>
          )
        )}
      </p>
    </div>
  );
};

export const JournalPage = () => {
  const session = useSession();
  const { path, query } = useAddress();
  const { loaded, want } = useJournal(query);
  const { show: _, ...filters } = query;
  const rows = loaded.value?.found.rows ?? [];
  const older = () => goInstead(link(path, { ...query, show: String(want + step) }));
  return (
    <>
      <Heading title={t.title}>
        {session.can('events:read') && (
          <a class="button is-quiet" href={link('/journal/events')}>
            {texts.titles.events}
          </a>
        )}
        {rows.length > 0 && <Export columns={fileColumns} all={() => linesOf(session, filters)} file="journal" />}
      </Heading>
      <p class="help intro">{session.can('events:read') ? t.intro : t.introAlone}</p>
      <Filters rows={rows} />
      {query.subject && (
        <p class="notice spaced">
          {t.only(rows.find(({ subject }) => subject.id === query.subject)?.subject.name ?? t.thing)}
          <a class="button" href={link(path, { ...filters, subject: '' })}>
            {t.all}
          </a>
        </p>
      )}
      <Show of={loaded}>
        {({ found, told }) => (
          <>
            {told.length > 0 && (
              <div class="card timeline">
                <Entries of={told} level="h2" />
              </div>
            )}
            {told.length === 0 && isAtEnd(found) && <Nothing isFiltered={Object.keys(filters).length > 0} />}
            {found.hasPaused && <p class="help">{t.paused}</p>}
            {!isAtEnd(found) && (
              <nav class="pages" aria-label={texts.list.pages}>
                <button
                  type="button"
                  class="button"
                  aria-disabled={loaded.isLoading}
                  onClick={found.hasPaused ? loaded.reload : older}
                >
                  {loaded.isLoading ? texts.loading : found.hasPaused ? t.further : t.older}
                </button>
              </nav>
            )}
          </>
        )}
      </Show>
    </>
  );
};
