import { useEffect, useRef, useState } from 'preact/hooks';
import { explainError, type Fault } from '../api.ts';
import { saveCsv } from '../csv.ts';
import type { GiftRow, Giving } from '../import/credit.ts';
import { type Plan, planImport } from '../import/importers.ts';
import { importColumns } from '../import/known-columns.ts';
import { type ImportKind, type ImportRow, importKinds, readRows } from '../import/rows.ts';
import { importScopes } from '../import/scopes.ts';
import { Copy } from '../parts/copy.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { FaultBox } from '../parts/load.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { pageTexts } from '../texts-pages.ts';
import { ImportPlan } from './import-plan.tsx';

const t = pageTexts.import;

/** A file that was read. */
interface ReadFile {
  name: string;
  rows: readonly ImportRow[];
}

interface DropProps {
  onFile: (file: File) => void;
}

/** Takes a file that is dropped on it, or chosen by a press. */
const Drop = ({ onFile }: DropProps) => {
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => file && onFile(file);
  return (
    <label
      class={`drop${isOver ? ' is-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <span>{t.drop}</span>
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </label>
  );
};

/** The columns of a file, as the command's help lists them. */
const Columns = ({ kind }: { kind: ImportKind }) => {
  const columns = importColumns[kind];
  return (
    <details class="card">
      <summary>{t.columns}</summary>
      <dl class="lines">
        {columns.map(({ name, help, isRequired }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              {help}
              {isRequired && ` (${t.required})`}
            </dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button" onClick={() => saveCsv(kind, [columns.map(({ name }) => name)])}>
        {t.example}
      </button>
    </details>
  );
};

const Command = ({ kind }: { kind: ImportKind }) => {
  const command = t.command[kind];
  return (
    <section class="card stack">
      <p class="help">{t.command.help}</p>
      <pre>
        <code>{command}</code>
      </pre>
      <div class="buttons">
        <Copy text={command} label={pageTexts.settings.copy} said={pageTexts.settings.copied} />
      </div>
    </section>
  );
};

interface RunFormProps {
  file: ReadFile;
  onRun: (giving: Giving) => void;
}

/** Asks for the name of a run, by which a repeat is known, and for its reason. */
const RunForm = ({ file, onRun }: RunFormProps) => {
  const [isMissing, setMissing] = useState(false);
  return (
    <section class="card">
      <Form
        submit={t.run.show}
        isUnguarded
        onSend={async ({ reference = '', reason = '' }) => {
          setMissing(!reference || !reason);
          if (reference && reason) onRun({ reference, reason });
        }}
      >
        <Field
          name="reference"
          label={t.run.reference}
          help={t.run.referenceHelp}
          initial={file.name.replace(/\.\w+$/, '').slice(0, 100)}
          maxLength={100}
        />
        <Field name="reason" label={t.run.reason} help={t.run.reasonHelp} maxLength={200} autoFocus />
        {isMissing && (
          <p class="error" role="alert">
            {t.run.missing}
          </p>
        )}
      </Form>
    </section>
  );
};

interface FileProps {
  kind: ImportKind;
  file: ReadFile;
  giving: Giving;
  onEnd: () => void;
}

/** Reads what a file is about, then shows what it would change. */
const PlannedFile = ({ kind, file, giving, onEnd }: FileProps) => {
  const session = useSession();
  const [plan, setPlan] = useState<Plan | string>();
  const [fault, setFault] = useState<Fault>();
  const [done, setDone] = useState<readonly [done: number, all: number]>([0, 0]);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    setFault(undefined);
    const onDone = (read: number, all: number) => isShown && setDone([read, all]);
    planImport(kind, { session, columns: importColumns, rows: file.rows, giving, onDone }).then(
      (made) => isShown && setPlan(made),
      (error) => isShown && setFault(explainError(error, texts.noAnswer.read)),
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
  const sums = (rows: readonly { outcome: string }[]) => rows as readonly GiftRow[];
  return <ImportPlan kind={kind} plan={plan} gifts={kind === 'credit' ? sums(plan.rows) : undefined} onEnd={onEnd} />;
};

/** Imports a file of one kind, from the file to the result. */
const Import = ({ kind }: { kind: ImportKind }) => {
  const [file, setFile] = useState<ReadFile>();
  const [giving, setGiving] = useState<Giving>();
  const [fault, setFault] = useState<string>();
  /** Counts the files, so that each has a plan of its own. */
  const files = useRef(0);
  const take = async (chosen: File) => {
    const rows = readRows(kind, importColumns, new Uint8Array(await chosen.arrayBuffer()));
    files.current += 1;
    setGiving(undefined);
    setFault(typeof rows === 'string' ? rows : undefined);
    setFile(typeof rows === 'string' ? undefined : { name: chosen.name, rows });
  };
  const isReady = file && (kind !== 'credit' || giving);
  return (
    <div class="stack home">
      {!isReady && <Drop onFile={take} />}
      {fault !== undefined && (
        <div class="notice is-bad" role="alert">
          <p>{fault}</p>
        </div>
      )}
      {file && !isReady && <RunForm key={files.current} file={file} onRun={setGiving} />}
      {file && isReady && (
        <PlannedFile
          key={files.current}
          kind={kind}
          file={file}
          giving={giving ?? { reference: '', reason: '' }}
          onEnd={() => setFile(undefined)}
        />
      )}
      {!isReady && <Columns kind={kind} />}
      <Command kind={kind} />
    </div>
  );
};

const isKind = (kind: string): kind is ImportKind => importKinds.some((one) => one === kind);

export const ImportPage = ({ kind }: { kind: string }) => {
  const { can } = useSession();
  if (!isKind(kind)) return <p class="empty">{texts.notFound}</p>;
  if (!can(...importScopes[kind])) return <p class="empty">{texts.noScope}</p>;
  return (
    <>
      <Heading title={t.titles[kind]} />
      <p class="help intro">{t.intro}</p>
      <Import key={kind} kind={kind} />
    </>
  );
};
