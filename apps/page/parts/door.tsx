import { useId, useRef, useState } from 'preact/hooks';
import { codeIn } from '../code.ts';
import { useSpeech } from '../speech.ts';
import { Title } from './title.tsx';

/** The screens around a page: before it is open, and when it is over. Each has one next step. */

interface OpenProps {
  /** Begins the page of a code. Answers why it could not, if the code may still be good. */
  open: (code: string) => Promise<string | undefined>;
}

/** Runs an act of a screen once at a time, and says what went wrong. */
const useOpening = (open: OpenProps['open']) => {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const begin = async (code: string): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    setFault(await open(code));
    setBusy(false);
  };
  return { isBusy, fault, setFault, begin };
};

const OpenButton = ({ isBusy }: { isBusy: boolean }) => {
  const { t } = useSpeech();
  return (
    <button type="submit" class="button is-main" aria-disabled={isBusy}>
      {isBusy ? t.busy : t.door.open}
    </button>
  );
};

const Fault = ({ id, text }: { id?: string; text: string | undefined }) => (
  <p id={id} class="fault" role="alert">
    {text}
  </p>
);

/** The field for a code that somebody copies, since some viewers drop what follows `#` in a link. */
const PasteForm = ({ open, isBroken = false }: OpenProps & { isBroken?: boolean }) => {
  const { t } = useSpeech();
  const { isBusy, fault, setFault, begin } = useOpening(open);
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(isBroken);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    const code = codeIn(text);
    setWrong(code === undefined);
    setFault(undefined);
    if (code === undefined) field.current?.focus();
    else void begin(code);
  };
  const said = isWrong ? t.door.noCode : fault;
  return (
    <form onSubmit={submit} noValidate>
      <label for={`${id}f`}>{t.door.label}</label>
      <input
        id={`${id}f`}
        ref={field}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        aria-invalid={isWrong}
        aria-describedby={`${id}h ${id}e`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <p id={`${id}h`} class="note">
        {t.door.hint}
      </p>
      <Fault id={`${id}e`} text={said} />
      <OpenButton isBusy={isBusy} />
    </form>
  );
};

/** Without a code. `isBroken` says that the link had something that is no whole code. */
export const NoCode = ({ open, isBroken }: OpenProps & { isBroken: boolean }) => {
  const { t } = useSpeech();
  return (
    <section class="card door">
      <Title>{t.door.title}</Title>
      <p>{t.door.what}</p>
      <p>{t.door.promise}</p>
      <PasteForm open={open} isBroken={isBroken} />
    </section>
  );
};

/** With a code, which nothing has used yet: only a person who presses *Open* begins the page. */
export const Ready = ({ open, code }: OpenProps & { code: string }) => {
  const { t } = useSpeech();
  const { isBusy, fault, begin } = useOpening(open);
  return (
    <section class="card door">
      <Title>{t.door.title}</Title>
      <p>{t.door.what}</p>
      <p>{t.door.promise}</p>
      <p class="note">{t.door.once}</p>
      <Fault text={fault} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void begin(code);
        }}
      >
        <OpenButton isBusy={isBusy} />
      </form>
    </section>
  );
};

export type Over = 'used' | 'over' | 'ended' | 'left';

/** After a page, or in its place: why there is none, and how to get another. */
export const Closed = ({ open, why, until }: OpenProps & { why: Over; until: string | undefined }) => {
  const { t, clock } = useSpeech();
  const { title, text } = t.door[why];
  return (
    <section class="card door">
      <Title>{title}</Title>
      <p>{until === undefined ? text : t.door.leftUnsure(clock(until))}</p>
      <details>
        <summary>{t.door.another}</summary>
        <PasteForm open={open} />
      </details>
    </section>
  );
};

/** The page is there, and could not be read. */
export const Unread = ({ until, again }: { until: number | undefined; again: () => Promise<void> }) => {
  const { t, clock } = useSpeech();
  return (
    <section class="card door">
      <Title>{until === undefined ? t.door.lost.title : t.door.tooOften.title}</Title>
      <p>{until === undefined ? t.door.lost.text : t.door.tooOften.text(clock(until))}</p>
      <button type="button" class="button is-main" onClick={again}>
        {t.again}
      </button>
    </section>
  );
};

/** The shape of the page while it is read. */
export const Reading = () => {
  const { t } = useSpeech();
  return (
    <div class="reading" role="status">
      <span class="hidden-text">{t.busy}</span>
      <div class="hero" />
      <div class="card" />
      <div class="card" />
    </div>
  );
};
