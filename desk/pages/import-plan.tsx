import { useRef, useState } from 'preact/hooks';
import { explainError, type Fault } from '../api.ts';
import { count } from '../format.ts';
import type { GiftRow } from '../import/credit.ts';
import type { Plan } from '../import/importers.ts';
import { type Outcome, type PlannedRow, type Written, writeRows } from '../import/plan.ts';
import type { ImportKind } from '../import/rows.ts';
import { type Column, Export, State, Table } from '../parts/list.tsx';
import { FaultBox } from '../parts/load.tsx';
import { forgetProducts } from '../parts/product.tsx';
import { texts } from '../texts.ts';
import { pageTexts } from '../texts-pages.ts';
import { useUnsaved } from '../unsaved.ts';

const t = pageTexts.import;

/** More lines than these are in the exported file alone. */
const shown = 200;

const tones: Record<Outcome, 'good' | 'warn' | 'bad' | 'plain'> = {
  create: 'good',
  change: 'warn',
  same: 'plain',
  refused: 'bad',
};

type Results = ReadonlyMap<number, Written>;

/** The outcome of a row in a word: as planned, or as written. */
const outcomeOf = (row: PlannedRow, kind: ImportKind, results: Results) => {
  const result = results.get(row.line);
  if (result) return result.isDone ? (['good', t.done] as const) : (['bad', t.left] as const);
  return [tones[row.outcome], (kind === 'credit' ? t.gifts : t.outcomes)[row.outcome]] as const;
};

const whyOf = ({ line, why }: PlannedRow, results: Results): string | undefined => {
  const result = results.get(line);
  return result && !result.isDone ? result.why : why;
};

const detailsOf = (row: PlannedRow): string =>
  row.changes.map(({ field, from, to }) => `${field}: ${t.from(from)} → ${t.from(to)}`).join('; ');

const columnsOf = (kind: ImportKind, results: Results): readonly Column<PlannedRow>[] => [
  { heading: t.name, cell: ({ name }) => name || '–', value: ({ name }) => name },
  {
    heading: t.line,
    inRow: 'label',
    cell: ({ line }) => count(line),
    value: ({ line }) => line,
    isNumber: true,
  },
  {
    heading: t.outcome,
    inRow: 'main',
    cell: (row) => {
      const [tone, word] = outcomeOf(row, kind, results);
      return <State tone={tone}>{word}</State>;
    },
    value: (row) => outcomeOf(row, kind, results)[1],
  },
  {
    heading: t.details,
    cell: (row) => {
      const why = whyOf(row, results);
      if (why !== undefined) return <span>{why}</span>;
      if (row.changes.length === 0) return '–';
      return (
        <ul class="changes">
          {row.changes.map(({ field, from, to }) => (
            <li key={field}>
              <b>{field}</b> {row.outcome === 'create' && from === '' ? t.from(to) : `${t.from(from)} → ${t.from(to)}`}
            </li>
          ))}
        </ul>
      );
    },
    value: (row) => whyOf(row, results) ?? detailsOf(row),
  },
];

const countOf = (rows: readonly PlannedRow[], outcome: Outcome): number =>
  rows.filter((row) => row.outcome === outcome).length;

const amountOf = (gifts: readonly GiftRow[]): number =>
  gifts.reduce((sum, { outcome, amount }) => sum + (outcome === 'create' ? amount : 0), 0);

const isOpen = ({ outcome }: PlannedRow): boolean => outcome === 'create' || outcome === 'change';

/** Writes the rows of a plan, and keeps how each ended. */
const useWriting = ({ rows, write }: Plan) => {
  const [results, setResults] = useState<Results>(new Map());
  const [stop, setStop] = useState<AbortController>();
  const [fault, setFault] = useState<Fault>();
  const setUnsaved = useUnsaved();
  const told = useRef(new Map<number, Written>());
  const open = rows.filter((row) => isOpen(row) && !results.has(row.line));
  const go = async () => {
    if (stop) return;
    const ending = new AbortController();
    setStop(ending);
    setFault(undefined);
    setUnsaved(true);
    const tell = ({ line }: PlannedRow, written: Written) => {
      told.current.set(line, written);
      setResults(new Map(told.current));
    };
    try {
      await writeRows(open, write, { tell, signal: ending.signal });
    } catch (error) {
      setFault(explainError(error, t.stopped));
    } finally {
      forgetProducts();
      setUnsaved(false);
      setStop(undefined);
    }
  };
  return { results, open, go, stop, fault };
};

interface PlanProps {
  kind: ImportKind;
  plan: Plan;
  /** The rows, where they give credit. */
  gifts: readonly GiftRow[] | undefined;
  onEnd: () => void;
}

const sumsOf = ({ plan: { rows }, gifts }: PlanProps): string =>
  gifts
    ? t.giftSums(countOf(gifts, 'create'), amountOf(gifts), countOf(gifts, 'same'), countOf(gifts, 'refused'))
    : t.sums(countOf(rows, 'create'), countOf(rows, 'change'), countOf(rows, 'same'), countOf(rows, 'refused'));

/** What a file would change, line by line; its writing; and how that ended. */
export const ImportPlan = (props: PlanProps) => {
  const { kind, plan, gifts, onEnd } = props;
  const { results, open, go, stop, fault } = useWriting(plan);
  const [isAll, setAll] = useState(false);
  const planned = plan.rows.filter(isOpen).length;
  const rows = plan.rows.filter(({ outcome }) => isAll || outcome !== 'same');
  const columns = columnsOf(kind, results);
  const left = [...results.values()].filter(({ isDone }) => !isDone).length;
  const hasBegun = results.size > 0;
  const submit = hasBegun
    ? t.goOn(open.length)
    : gifts
      ? t.give(amountOf(gifts))
      : t.write(planned, countOf(plan.rows, 'refused'));
  const sentence = !hasBegun
    ? sumsOf(props)
    : open.length > 0
      ? t.writing(results.size, planned)
      : t.ended(results.size - left, left);
  return (
    <section class="stack" aria-label={t.caption}>
      <div class="notice spaced">
        <div>
          <p role="status">{sentence}</p>
          {stop && <progress max={planned} value={results.size} aria-label={t.writing(results.size, planned)} />}
          {hasBegun && open.length > 0 && !stop && !fault && <p class="help">{t.stopped}</p>}
        </div>
        <div class="actions">
          {stop ? (
            <button type="button" class="button" onClick={() => stop.abort()}>
              {t.stop}
            </button>
          ) : (
            <>
              {open.length > 0 && (
                <button type="button" class="button is-main" onClick={go}>
                  {submit}
                </button>
              )}
              <button type="button" class="button" onClick={onEnd}>
                {t.another}
              </button>
            </>
          )}
        </div>
      </div>
      {fault && <FaultBox fault={fault} />}
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
        <span>{t.all}</span>
      </label>
      <Table
        caption={t.caption}
        columns={columns}
        rows={rows.slice(0, shown)}
        keyOf={({ line }) => String(line)}
        empty={t.nothingShown}
      />
      {rows.length > shown && <p class="help">{t.cut(shown, rows.length)}</p>}
      {rows.length > 0 && (
        <nav class="pages" aria-label={texts.list.pages}>
          <Export columns={columns} all={() => rows} file={`import-${kind}`} />
        </nav>
      )}
    </section>
  );
};
