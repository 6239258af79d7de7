import '../parts/first-view.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explainError, type Fault } from '../api.ts';
import { cellOf, saveCells } from '../csv.ts';
import { count } from '../format.ts';
import { inWords } from '../import/chosen.ts';
import type { GiftRow, Giving } from '../import/credit.ts';
import { type Plan, planImport } from '../import/importers.ts';
import type { ImportKind } from '../import/kinds.ts';
import { importColumns } from '../import/known-columns.ts';
import { type Outcome, type PlannedRow, type RowsFrom, type Written, writeRows } from '../import/plan.ts';
import type { ImportRow } from '../import/rows.ts';
import type { Column } from '../parts/column.tsx';
import { Export, State, Table } from '../parts/list.tsx';
import { FaultBox } from '../parts/load.tsx';
import { forgetProducts } from '../parts/product.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { planWords } from '../words/plan.ts';

const t = planWords;

/** More lines than this are only in the exported file. */
const shown = 200;

const tones: Record<Outcome, 'good' | 'warn' | 'bad' | 'plain'> = {
  create: 'good',
  change: 'warn',
  same: 'plain',
  refused: 'bad',
};

type Results = ReadonlyMap<number, Written>;

interface PlanProps {
  kind: ImportKind;
  from: RowsFrom;
  rows: readonly ImportRow[];
  plan: Plan;
  onEnd: (hasBegun: boolean) => void;
}

/** The rows of a plan that gives credit. */
const giftsOf = ({ kind, plan }: PlanProps): readonly GiftRow[] | undefined =>
  kind === 'credit' ? (plan.rows as readonly GiftRow[]) : undefined;

/** The outcome of a row in a word: as planned, or as written. */
const outcomeOf = (row: PlannedRow, { kind, from }: PlanProps, results: Results) => {
  const result = results.get(row.line);
  if (result) return result.isDone ? (['good', t.done] as const) : (['bad', t.left] as const);
  const words = kind === 'credit' ? t.gifts : from === 'file' ? t.outcomes : t.chosen;
  return [tones[row.outcome], words[row.outcome]] as const;
};

const whyOf = ({ line, why }: PlannedRow, results: Results): string | undefined => {
  const result = results.get(line);
  return result && !result.isDone ? result.why : why;
};

const columnsOf = (props: PlanProps, results: Results): readonly Column<PlannedRow>[] => {
  const changesOf = ({ changes }: PlannedRow) => (props.from === 'products' ? inWords(changes) : changes);
  const line: Column<PlannedRow> = {
    heading: t.line,
    inRow: 'label',
    cell: (row) => count(row.line),
    value: (row) => row.line,
    isNumber: true,
  };
  return [
    { heading: t.name, cell: ({ name }) => name || '–', value: ({ name }) => name },
    // A customer or product that was chosen in a list is in no line of a file.
    ...(props.from === 'file' ? [line] : []),
    {
      heading: t.outcome,
      inRow: 'main',
      cell: (row) => {
        const [tone, word] = outcomeOf(row, props, results);
        return <State tone={tone}>{word}</State>;
      },
      value: (row) => outcomeOf(row, props, results)[1],
    },
    {
      heading: t.details,
      cell: (row) => {
        const why = whyOf(row, results);
        if (why !== undefined) return <span>{why}</span>;
        if (row.changes.length === 0) return row.kept ?? '–';
        return (
          <ul class="changes">
            {changesOf(row).map(({ field, from, to }) => (
              <li key={field}>
                <b>{field}</b>{' '}
                {row.outcome === 'create' && from === '' ? t.from(to) : `${t.from(from)} → ${t.from(to)}`}
              </li>
            ))}
            {row.kept !== undefined && <li>{row.kept}</li>}
          </ul>
        );
      },
      value: (row) =>
        whyOf(row, results) ??
        [
          ...changesOf(row).map(({ field, from, to }) => `${field}: ${t.from(from)} → ${t.from(to)}`),
          ...(row.kept === undefined ? [] : [row.kept]),
        ].join('; '),
    },
  ];
};

const countOf = (rows: readonly PlannedRow[], outcome: Outcome): number =>
  rows.filter((row) => row.outcome === outcome).length;

const amountOf = (gifts: readonly GiftRow[]): number =>
  gifts.reduce((sum, { outcome, amount }) => sum + (outcome === 'create' ? amount : 0), 0);

const isOpen = ({ outcome }: PlannedRow): boolean => outcome === 'create' || outcome === 'change';

/** Writes the rows of a plan, and keeps how each ended. */
const useWriting = ({ rows, write }: Plan, stopped: string) => {
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
      setFault(await explainError(error, stopped));
    } finally {
      forgetProducts();
      setUnsaved(false);
      setStop(undefined);
    }
  };
  return { results, open, go, stop, fault };
};

const sumsOf = (props: PlanProps): string => {
  const { from, plan } = props;
  const gifts = giftsOf(props);
  const of = (outcome: Outcome): number => countOf(plan.rows, outcome);
  if (gifts) {
    const sums = from === 'file' ? t.giftSums : t.chosenGiftSums;
    return sums(of('create'), amountOf(gifts), of('same'), of('refused'));
  }
  return from === 'file'
    ? t.sums(of('create'), of('change'), of('same'), of('refused'))
    : t.chosenSums(of('change'), of('same'), of('refused'));
};

/** The state of a plan, and the buttons that write it, stop it, and leave it. */
const PlanBar = ({ of, writing }: { of: PlanProps; writing: ReturnType<typeof useWriting> }) => {
  const { plan, from, onEnd } = of;
  const { results, open, go, stop, fault } = writing;
  const words = t.of[from];
  const gifts = giftsOf(of);
  const planned = plan.rows.filter(isOpen).length;
  const left = [...results.values()].filter(({ isDone }) => !isDone).length;
  const hasBegun = results.size > 0;
  const submit = hasBegun
    ? t.goOn(words.rows(open.length))
    : gifts
      ? t.give(amountOf(gifts))
      : t.others(words.write, words.rows(planned), countOf(plan.rows, 'refused'));
  const written = t.writing(results.size, words.rows(planned));
  const sentence = !hasBegun
    ? sumsOf(of)
    : open.length > 0
      ? written
      : t.ended(
          (gifts && from === 'file' ? t.givenOf : words.done)(results.size - left, words.rows(plan.rows.length)),
          countOf(plan.rows, 'same'),
          left + countOf(plan.rows, 'refused'),
        );
  return (
    <div class="notice spaced">
      <div>
        <p role="status">{sentence}</p>
        {stop && <progress max={planned} value={results.size} aria-label={written} />}
        {hasBegun && open.length > 0 && !stop && !fault && <p class="help">{t.stopped(words.again)}</p>}
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
            <button type="button" class="button" onClick={() => onEnd(hasBegun)}>
              {words.end}
            </button>
          </>
        )}
      </div>
    </div>
  );
};

/** Saves the lines that cannot be done, or failed, as they stand in the file: mended, it can be imported. */
const SaveFailed = ({ of, results }: { of: PlanProps; results: Results }) => {
  const cellsOf = new Map(of.rows.map(({ line, cells }) => [line, cells]));
  const failed = of.plan.rows.filter((row) => row.outcome === 'refused' || results.get(row.line)?.isDone === false);
  if (of.from !== 'file' || failed.length === 0) return null;
  const save = () => {
    const lines = failed.map((row) => {
      const own = (cellsOf.get(row.line) ?? []).filter(([name]) => !['', 'line', 'reason'].includes(name));
      return [...own, ['reason', cellOf(whyOf(row, results) ?? '')] as const];
    });
    const names = lines[0]?.map(([name]) => name) ?? [];
    saveCells(`${of.kind}-failed`, [names, ...lines.map((line) => line.map(([, cell]) => cell))]);
  };
  return (
    <button type="button" class="button is-quiet" onClick={save}>
      {t.saveFailed(failed.length)}
    </button>
  );
};

/** The changes of each row before they are written, then the writing, and then the result. */
const ImportPlan = (all: PlanProps) => {
  const { kind, from } = all;
  const [setsCopies, setCopies] = useState(false);
  const plan = (setsCopies && all.plan.withCopies) || all.plan;
  const props = { ...all, plan };
  const words = t.of[from];
  const writing = useWriting(plan, t.stopped(words.again));
  const [isAll, setAll] = useState(false);
  const rows = plan.rows.filter(({ outcome, kept }) => isAll || outcome !== 'same' || kept !== undefined);
  const columns = columnsOf(props, writing.results);
  return (
    <section class="stack" aria-label={words.caption}>
      <PlanBar of={props} writing={writing} />
      {writing.fault && <FaultBox fault={writing.fault} />}
      {all.plan.withCopies && (
        <label class="check">
          <input
            type="checkbox"
            checked={setsCopies}
            disabled={writing.results.size > 0}
            onChange={({ currentTarget }) => setCopies(currentTarget.checked)}
          />
          <span>{t.setCopies}</span>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
        <span>{words.all}</span>
      </label>
      <Table
        caption={words.caption}
        columns={columns}
        rows={rows.slice(0, shown)}
        keyOf={({ line }) => String(line)}
        empty={words.nothingShown}
      />
      {rows.length > shown && <p class="help">{t.cut(shown, words.rows(rows.length))}</p>}
      {rows.length > 0 && (
        <nav class="pages" aria-label={texts.list.pages}>
          <Export columns={columns} all={() => rows} file={`import-${kind}`} />
          <SaveFailed of={props} results={writing.results} />
        </nav>
      )}
    </section>
  );
};

interface RowsProps extends Omit<PlanProps, 'plan'> {
  giving: Giving;
}

/** Reads what rows are about, then shows what they would change. */
export const PlannedRows = ({ kind, from, rows, giving, onEnd }: RowsProps) => {
  const session = useSession();
  const [plan, setPlan] = useState<Plan | string>();
  const [fault, setFault] = useState<Fault>();
  const [done, setDone] = useState<readonly [done: number, all: number]>([0, 0]);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    setFault(undefined);
    const onDone = (read: number, all: number) => isShown && setDone([read, all]);
    planImport(kind, { session, columns: importColumns, rows, giving, onDone }).then(
      (made) => isShown && setPlan(made),
      async (error) => {
        const explained = isShown && (await explainError(error, texts.noAnswer.read));
        if (isShown && explained) setFault(explained);
      },
    );
    return () => {
      isShown = false;
    };
  }, [round]);
  if (fault) return <FaultBox fault={fault} onRetry={() => setRound((last) => last + 1)} />;
  if (plan === undefined)
    return (
      <p class="effect" role="status">
        {t.reading(...done)}
      </p>
    );
  if (typeof plan === 'string') return <p class="notice is-warn">{plan}</p>;
  return <ImportPlan kind={kind} from={from} rows={rows} plan={plan} onEnd={onEnd} />;
};
