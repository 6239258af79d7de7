import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copiedName } from '../../shared/copied-name.ts';
import { go, link, useAddress } from '../address.ts';
import { explainError } from '../api.ts';
import type { CsvValue } from '../csv.ts';
import { useSession } from '../session.ts';
import type { Order } from '../sort.ts';
import { texts } from '../texts.ts';
import { type Column, nothing } from './column.tsx';
import { ColumnMenu, type ColumnMenuProps, useHidden } from './columns.tsx';
import { Show } from './load.tsx';
import { PersonInput } from './person.tsx';
import { Picture } from './picture.tsx';
import { ProductInput } from './product.tsx';
import type { Listing } from './rows.ts';
import { useSay } from './toast.tsx';

const placeOf = <R,>({ inRow, isNumber }: Column<R>, index: number, content: ComponentChildren): string => {
  if (inRow === 'none' || content === nothing) return 'is-wide';
  if (inRow === 'title' || (index === 0 && inRow === undefined)) return 'is-title';
  if (inRow === 'main') return 'is-fact';
  return isNumber || inRow === 'label' ? 'is-note is-labelled' : 'is-note';
};

const lookOf = <R,>({ isNumber, isTool, priority }: Column<R>): string =>
  `${isNumber ? ' is-number' : ''}${isTool ? ' is-tool' : ''}${priority ? ` is-p${priority}` : ''}`;

/** Names are asked for this many rows at once: see names.ts. */
const namedAtOnce = 1000;

const saveRows = async <R,>(name: string, columns: readonly Column<R>[], rows: readonly R[]): Promise<void> => {
  const kept = columns.filter(({ value }) => value);
  const lines: CsvValue[][] = [kept.map(({ heading }) => heading)];
  const lineOf = (row: R) => Promise.all(kept.map(async ({ value }) => (await value?.(row)) ?? null));
  for (let at = 0; at < rows.length; at += namedAtOnce)
    lines.push(...(await Promise.all(rows.slice(at, at + namedAtOnce).map(lineOf))));
  const { saveCsv } = await import('../csv.ts');
  saveCsv(name, lines);
};

interface TableProps<R> {
  caption: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  empty: string;
  /** Its heads sort the list. */
  canSort?: boolean;
  order?: Order<R> | undefined;
  /** The words below the rows, and the rows whose totals stand beside them. */
  foot?: { said: string; rows?: readonly R[] | undefined } | undefined;
}

/** Sorts the list by a column, or turns its order round. Texts begin with A, amounts with the largest. */
const SortButton = <R,>({ of, order }: { of: Column<R>; order: Order<R> | undefined }) => {
  const { path, query } = useAddress();
  const { name = '', kind } = of.sort ?? {};
  const isDescending = order?.name === name ? !order.isDescending : kind !== 'text';
  const to = link(path, { ...query, cursor: undefined, sort: `${isDescending ? '-' : ''}${name}` });
  return (
    <>
      <button type="button" class="sort" onClick={() => go(to)}>
        {of.heading}
      </button>
      {/* Names the column where nobody sees its head. */}
      <span class="folded">{of.heading}</span>
    </>
  );
};

/** The orders of a list as a choice, where it has no heads. */
const SortFilter = <R,>({ columns }: { columns: readonly Column<R>[] }) => (
  <div class="sorts">
    <Filter
      name="sort"
      label={texts.list.sort}
      options={[
        ['', texts.list.unsorted],
        ...columns.flatMap(({ heading, sort }) =>
          sort
            ? ['', '-'].map(
                (sign, way) => [`${sign}${sort.name}`, `${heading}: ${texts.list.orders[sort.kind][way]}`] as const,
              )
            : [],
        ),
      ]}
    />
  </div>
);

/**
 * Gives the focus to the row that takes the place of one that is gone: an act may take away the row with its button.
 */
const useNextRow = (rows: readonly unknown[]) => {
  const ref = useRef<HTMLTableSectionElement>(null);
  const last = useRef<{ focused: Element; row: number }>(undefined);
  useLayoutEffect(() => {
    if (!last.current || last.current.focused.isConnected || document.activeElement !== document.body) return;
    const all = ref.current?.rows;
    const next = all?.[Math.min(last.current.row, all.length - 1)];
    (next?.querySelector<HTMLElement>('.more > button') ?? next?.querySelector('a'))?.focus();
  }, [rows]);
  const onFocusIn = ({ target }: FocusEvent) => {
    const row = target instanceof Element ? target.closest('tr') : null;
    if (target instanceof Element && row) last.current = { focused: target, row: row.sectionRowIndex };
  };
  return { ref, onFocusIn };
};

/** A table whose rows become two lines each where the screen is narrow: the main facts, and a note. */
export const Table = <R,>({ caption, columns: all, rows, keyOf, empty, canSort, order, foot }: TableProps<R>) => {
  const columns = all.filter(({ cell }) => cell);
  const said = columns.findIndex(({ isTool }) => !isTool);
  const { ref, onFocusIn } = useNextRow(rows);
  const sortOf = ({ sort }: Column<R>) => {
    if (!canSort || !sort) return undefined;
    return order?.name !== sort.name ? 'none' : order.isDescending ? 'descending' : 'ascending';
  };
  return rows.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    // The roles stay where the style sheet makes lines of the rows.
    // biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table in another layout.
    <div class="fits">
      {canSort && columns.some(({ sort }) => sort) && <SortFilter columns={columns} />}
      <table class="table" role="table">
        <caption class="hidden-text">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.heading}
                role="columnheader"
                scope="col"
                class={lookOf(column)}
                aria-sort={sortOf(column)}
              >
                {sortOf(column) ? <SortButton of={column} order={order} /> : (column.head ?? column.heading)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={ref} role="rowgroup" onFocusIn={onFocusIn}>
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column, index) => {
                const { heading } = column;
                const content = column.cell?.(row);
                const look = `${placeOf(column, index, content)}${lookOf(column)}`;
                return (
                  <td key={heading} role="cell" data-heading={heading} class={look}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot role="rowgroup">
            <tr role="row">
              {columns.map((column, index) => {
                const total = foot.rows && column.total?.(foot.rows);
                const place = index === said ? 'is-title' : placeOf(column, index, total || nothing);
                return (
                  <td key={column.heading} role="cell" data-heading={column.heading} class={place + lookOf(column)}>
                    {index === said ? <span class="counted">{foot.said}</span> : total}
                  </td>
                );
              })}
            </tr>
          </tfoot>
        )}
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
  /** The columns of the file, if the page has others. */
  fileColumns?: (() => Promise<readonly Column<R>[]>) | undefined;
}

/** Saves a list as CSV. */
export const Export = <R,>({ columns, all, file, fileColumns }: ExportProps<R>) => {
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
      await saveRows(file, (await fileColumns?.()) ?? columns, rows);
      say(texts.list.exported(rows.length));
    } catch (error) {
      say((await explainError(error, texts.noAnswer.read)).text);
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

/** True while the page is being printed. */
const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const follow = ({ type }: Event) => setPrinting(type === 'beforeprint');
    addEventListener('beforeprint', follow);
    addEventListener('afterprint', follow);
    return () => {
      removeEventListener('beforeprint', follow);
      removeEventListener('afterprint', follow);
    };
  }, []);
  return isPrinting;
};

interface ListProps<R> extends Pick<TableProps<R>, 'caption' | 'empty'>, Omit<ExportProps<R>, 'all' | 'columns'> {
  of: Listing<R>;
  /** If it has more of them than those by which it is sorted. */
  columns?: readonly Column<R>[];
  /** The words of its foot about all rows, if they are more than a number. */
  counted?: (rows: readonly R[]) => string;
}

type NavProps<R> = ExportProps<R> &
  Pick<ColumnMenuProps<R>, 'hidden' | 'onHide'> & { of: Listing<R>; place: RefObject<HTMLElement | null> };

/** The place of a page in its list, the way to others, and the tools of the list. */
const ListNav = <R,>({ of: { value, whole }, place, hidden, onHide, ...file }: NavProps<R>) => {
  const { rows = [], before, previous, next } = value ?? {};
  const hasMore = previous !== undefined || next !== undefined;
  return (
    <nav ref={place} class="pages" aria-label={texts.list.pages} tabIndex={-1}>
      {whole && before !== undefined && hasMore && (
        <span class="help">{texts.list.range(before, rows.length, whole.length)}</span>
      )}
      {previous && (
        <a class="button" href={previous}>
          {texts.list.previous}
        </a>
      )}
      {next && (
        <a class="button" href={next}>
          {texts.list.next}
        </a>
      )}
      {rows.length > 0 && (
        <>
          <Export {...file} />
          <ColumnMenu columns={file.columns} hidden={hidden} onHide={onHide} />
        </>
      )}
    </nav>
  );
};

/** The words below a list. Undefined if nothing is known of its other rows. */
const footOf = <R,>({ whole, cut, isReading }: Listing<R>, counted: ListProps<R>['counted']) => {
  if (whole) return { said: counted?.(whole) ?? texts.list.count(whole.length), rows: whole };
  if (cut) return { said: texts.list.narrow(cut.length) };
  return isReading ? { said: '…' } : undefined;
};

/** The rows of a list for paper: all that were read, if the shown ones are among them. */
const printedRows = <R,>({ whole, cut, shown, keyOf }: Listing<R>): readonly R[] => {
  const [first] = shown;
  return whole ?? (first && cut?.some((row) => keyOf(row) === keyOf(first)) ? cut : shown);
};

/** A list of the API, page by page. On paper it has every row that was read. */
export const List = <R,>({ of, columns = of.columns, file, fileColumns, counted, ...words }: ListProps<R>) => {
  const { keyOf, order, whole, all } = of;
  const isPrinting = usePrinting();
  const [hidden, onHide] = useHidden(file);
  const printed = printedRows(of);
  const nav = useRef<HTMLElement>(null);
  return (
    <Show of={of}>
      {({ rows, previous, next }) => (
        <>
          {/* Each row has up to four stops. */}
          {rows.length > 10 && (
            <button type="button" class="skip button" onClick={() => nav.current?.focus()}>
              {texts.list.skip}
            </button>
          )}
          <Table
            {...words}
            columns={columns.filter(({ heading }) => !hidden.includes(heading))}
            rows={isPrinting ? printed : rows}
            keyOf={keyOf}
            canSort={whole !== undefined && whole.length > 1}
            order={order}
            foot={footOf(of, counted)}
          />
          <p class="hidden-text" aria-live="polite">
            {whole && order && texts.list.sorted(order.heading, order.said)}
          </p>
          {!whole && (previous ?? next) && <p class="printed">{texts.list.part(printed.length)}</p>}
          <ListNav
            of={of}
            place={nav}
            columns={columns}
            all={all}
            file={file}
            fileColumns={fileColumns}
            hidden={hidden}
            onHide={onHide}
          />
        </>
      )}
    </Show>
  );
};

/** A filter above a list. The address holds it under `name`. Changing it drops the cursor. */
export const Filter = ({
  name,
  label,
  options,
  initial = '',
}: {
  name: string;
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  /** The choice if the address has none. */
  initial?: string;
}) => {
  const { path, query } = useAddress();
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>
        <span>{label}</span>
      </label>
      <select
        id={id}
        value={query[name] ?? initial}
        onChange={(event) => go(link(path, { ...query, cursor: undefined, [name]: event.currentTarget.value }))}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

interface SearchProps {
  name: string;
  label: string;
  /** It takes the name of a person, or of a product, whose id it looks up. */
  of?: 'person' | 'product';
  /** The text that is searched for now, and its setter, if the address must not contain it. */
  own?: { text: string; search: (text: string) => void };
}

/** A text filter above a list, like `Filter`. Enter applies it. */
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

/** A day filter above a list, like `Filter`. */
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

/** A state in a word, with a colour that the word does not depend on. */
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

interface ProductNameProps {
  of: { id: string; name: string; image?: string | undefined };
  /** Stands below the name. */
  children?: ComponentChildren;
}

/** A product's picture, and its name, which leads to its page if the key opens that. */
export const ProductName = ({ of, children }: ProductNameProps) => {
  const { can } = useSession();
  return (
    <span class="name">
      <Picture of={of} />
      <span>
        {can('products:read') ? (
          <a href={link(`/products/${encodeURIComponent(of.id)}`)} title={of.name}>
            {of.name}
          </a>
        ) : (
          <b>{of.name}</b>
        )}
        {children}
      </span>
    </span>
  );
};
