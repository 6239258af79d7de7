import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copiedName } from '../../shared/copied-name.ts';
import { go, link, useAddress } from '../address.ts';
import { explainError } from '../api.ts';
import { type CsvValue, saveCsv } from '../csv.ts';
import { texts } from '../texts.ts';
import { type LoadState, Show } from './load.tsx';
import { PersonInput } from './person.tsx';
import { ProductInput } from './product.tsx';
import { useSay } from './toast.tsx';

interface Page<R> {
  data: R[];
  pagination: { nextCursor: string | null; previousCursor: string | null };
}

/** A column: its heading, its cell, if it is shown, and its value in an exported file, if it has one. */
export interface Column<R> {
  heading: string;
  cell?: (row: R) => ComponentChildren;
  value?: ((row: R) => CsvValue | Promise<CsvValue>) | undefined;
  isNumber?: boolean;
  /**
   * Its place where a row has no room for columns: the title, as the first column is, or beside it on the first line;
   * or, as by default, in the note below, with its heading if that is a label, as all numbers have it; or nowhere.
   */
  inRow?: 'title' | 'main' | 'note' | 'label' | 'none';
}

/** A cell that says nothing stands in a column alone. */
const nothing = '–';

const placeOf = <R,>({ inRow, isNumber }: Column<R>, index: number, content: ComponentChildren): string => {
  if (inRow === 'none' || content === nothing) return 'is-wide';
  if (inRow === 'title' || (index === 0 && inRow === undefined)) return 'is-title';
  if (inRow === 'main') return 'is-fact';
  return isNumber || inRow === 'label' ? 'is-note is-labelled' : 'is-note';
};

/** Rows whose names are asked for at once: see names.ts. */
const namedAtOnce = 1000;

const saveRows = async <R,>(name: string, columns: readonly Column<R>[], rows: readonly R[]): Promise<void> => {
  const kept = columns.filter(({ value }) => value);
  const lines: CsvValue[][] = [kept.map(({ heading }) => heading)];
  const lineOf = (row: R) => Promise.all(kept.map(async ({ value }) => (await value?.(row)) ?? null));
  for (let at = 0; at < rows.length; at += namedAtOnce)
    lines.push(...(await Promise.all(rows.slice(at, at + namedAtOnce).map(lineOf))));
  saveCsv(name, lines);
};

interface TableProps<R> {
  caption: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  empty: string;
}

/** A table whose rows become two lines each where the screen is narrow: the main facts, and a note. */
export const Table = <R,>({ caption, columns: all, rows, keyOf, empty }: TableProps<R>) => {
  const columns = all.filter(({ cell }) => cell);
  return rows.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    // The roles stay where the style sheet makes lines of the rows.
    // biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table in another layout.
    <div class="fits">
      <table class="table" role="table">
        <caption class="hidden-text">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ heading, isNumber }) => (
              <th key={heading} role="columnheader" scope="col" class={isNumber ? 'is-number' : ''}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column, index) => {
                const { heading, isNumber } = column;
                const content = column.cell?.(row);
                const look = `${placeOf(column, index, content)}${isNumber ? ' is-number' : ''}`;
                return (
                  <td key={heading} role="cell" data-heading={heading} class={look}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    // biome-ignore-end lint/a11y/noRedundantRoles: browsers drop the roles of a table in another layout.
  );
};

interface ExportProps<R> {
  columns: readonly Column<R>[];
  /** Every row of the list under its filters. */
  all: () => AsyncIterable<R> | Iterable<R>;
  /** Name of the file, without its ending. */
  file: string;
}

/** Saves a list as CSV. */
export const Export = <R,>({ columns, all, file }: ExportProps<R>) => {
  const say = useSay();
  const [exported, setExported] = useState<number>();
  const save = async () => {
    if (exported !== undefined) return;
    const rows: R[] = [];
    try {
      for await (const row of all()) {
        rows.push(row);
        if (rows.length % 100 === 1) setExported(rows.length);
      }
      await saveRows(file, columns, rows);
      say(texts.list.exported(rows.length));
    } catch (error) {
      say(explainError(error, texts.noAnswer.read).text);
    } finally {
      setExported(undefined);
    }
  };
  return (
    <button type="button" class="button is-quiet" aria-disabled={exported !== undefined} onClick={save}>
      {exported === undefined ? texts.list.export : texts.list.exporting(exported)}
    </button>
  );
};

interface ListProps<R> extends Omit<TableProps<R>, 'rows'>, ExportProps<R> {
  of: LoadState<Page<R>>;
}

/**
 * A list of the API, a page at a time. The address holds the filters and the cursor, so a list keeps its place: read
 * `useAddress().query.cursor`, and pass it on to the API.
 */
export const List = <R,>({ of, all, file, ...table }: ListProps<R>) => {
  const { path, query } = useAddress();
  const at = (cursor: string): string => link(path, { ...query, cursor });
  return (
    <Show of={of}>
      {({ data, pagination: { nextCursor, previousCursor } }) => (
        <>
          <Table {...table} rows={data} />
          <nav class="pages" aria-label={texts.list.pages}>
            {previousCursor && (
              <a class="button" href={at(previousCursor)}>
                {texts.list.previous}
              </a>
            )}
            {nextCursor && (
              <a class="button" href={at(nextCursor)}>
                {texts.list.next}
              </a>
            )}
            {data.length > 0 && <Export columns={table.columns} all={all} file={file} />}
          </nav>
        </>
      )}
    </Show>
  );
};

/** A choice above a list that narrows it. It stands in the address under `name`, and drops the cursor. */
export const Filter = ({
  name,
  label,
  options,
  initial = '',
}: {
  name: string;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  /** The choice while the address says none. */
  initial?: string;
}) => {
  const { path, query } = useAddress();
  return (
    <label class="filter">
      <span>{label}</span>
      <select
        value={query[name] ?? initial}
        onChange={(event) => go(link(path, { ...query, cursor: undefined, [name]: event.currentTarget.value }))}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
};

interface SearchProps {
  name: string;
  label: string;
  /** It takes the name of a person, or of a product, whose id it searches for. */
  of?: 'person' | 'product';
  /** The text that is searched for now, and its taker, where that must not stand in the address. */
  own?: { text: string; search: (text: string) => void };
}

/** A text above a list that narrows it, as `Filter` does. Enter applies it. */
export const Search = ({ name, label, of, own }: SearchProps) => {
  const { path, query } = useAddress();
  const current = own ? own.text : (query[name] ?? '');
  const search = own?.search ?? ((text) => go(link(path, { ...query, cursor: undefined, [name]: text })));
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get(name) ?? '').trim();
        search(of === 'person' ? copiedName(text) : text);
      }}
    >
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is in one of several components. */}
      <label>
        <span>{label}</span>
        {of === 'product' ? (
          <ProductInput key={current} type="search" name={name} defaultValue={current} onPick={search} />
        ) : of === 'person' ? (
          <PersonInput
            key={current}
            type="search"
            name={name}
            defaultValue={current}
            onPick={({ username }) => search(username)}
          />
        ) : (
          <input key={current} type="search" name={name} defaultValue={current} autoComplete="off" />
        )}
      </label>
    </form>
  );
};

/** A day above a list that narrows it, as `Filter` does. */
export const DayFilter = ({ name, label }: { name: string; label: string }) => {
  const { path, query } = useAddress();
  return (
    <label class="filter is-day">
      <span>{label}</span>
      <input
        type="date"
        value={query[name] ?? ''}
        onChange={(event) => go(link(path, { ...query, cursor: undefined, [name]: event.currentTarget.value }))}
      />
    </label>
  );
};

/** A state in a word, with a colour that the word does not need. */
export const State = ({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <span class={`state is-${tone}`}>{children}</span>
);

/** Names and values side by side. */
export const FactList = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A link to a customer's page. */
export const CustomerLink = ({ uuid, name }: { uuid: string; name?: string | undefined }) => (
  <a class="person" href={link(`/customers/${encodeURIComponent(uuid)}`)}>
    {name ?? uuid}
  </a>
);
