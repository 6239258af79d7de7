import { useRef, useState } from 'preact/hooks';
import { saveCsv } from '../csv.ts';
import type { Giving } from '../import/credit.ts';
import { type ImportKind, importKinds, importScopes } from '../import/kinds.ts';
import { importColumns } from '../import/known-columns.ts';
import { type ImportRow, readRows } from '../import/rows.ts';
import { Copy } from '../parts/copy.tsx';
import { Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { later } from '../parts/later.tsx';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { planWords } from '../words/plan.ts';
import { t } from './import.texts.ts';
import { givingOf, RunFields } from './run-fields.tsx';

const PlannedRows = later(async () => (await import('./import-plan.tsx')).PlannedRows);

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
          // This lets the same file be chosen again.
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
        <Copy text={command} label={texts.copyCommand} said={texts.copiedCommand} />
      </div>
    </section>
  );
};

interface RunFormProps {
  file: ReadFile;
  onRun: (giving: Giving) => void;
}

/** Asks for the name and the reason of a run, before the plan of a file. */
const RunForm = ({ file, onRun }: RunFormProps) => (
  <section class="card">
    <Form submit={planWords.run.show} isUnguarded onSend={async (values) => onRun(givingOf(values))}>
      <RunFields initial={file.name.replace(/\.\w+$/, '').slice(0, 100)} isFirst />
    </Form>
  </section>
);

/** Imports a file of one kind, from the file to the result. */
const Import = ({ kind }: { kind: ImportKind }) => {
  const [file, setFile] = useState<ReadFile>();
  const [giving, setGiving] = useState<Giving>();
  const [fault, setFault] = useState<string>();
  /** Counts the files, so that each has its own plan. */
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
        <PlannedRows
          key={files.current}
          kind={kind}
          from="file"
          rows={file.rows}
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
      <Heading title={texts.imports[kind]} />
      <p class="help intro">{t.intro}</p>
      <Import key={kind} kind={kind} />
    </>
  );
};
