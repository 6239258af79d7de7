import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isConflict } from '../api.ts';
import { texts } from '../texts.ts';
import { Form, type Values } from './form.tsx';
import { FaultBox, usePress } from './load.tsx';

const t = texts.edit;

interface EditProps {
  /** The text of the button, if it differs from the usual one. */
  submit?: string;
  /** The thing as it was read with its version, as the values of the form's fields. */
  initial: Values;
  /** The labels of the fields by name. */
  labels: Record<string, string>;
  /** Asks before the values are saved. Answers false if they must not be. */
  ask?: (values: Values) => Promise<boolean>;
  /** Saves values on condition that nobody has changed the thing since it was last read. */
  save: (values: Values) => Promise<void>;
  /** Reads the thing again, with its version. */
  readAgain: () => Promise<Values>;
  /** Called when the person takes somebody else's values. */
  onTheirs: () => void;
  onValues?: (values: Values) => void;
  onCancel?: () => void;
  /** Drops all changes. With it the buttons lie in a bar, which counts the changes. */
  onDiscard?: () => void;
  /** The values to compare and to save, if they differ from the form's fields. */
  valuesOf?: (entered: Values) => Values;
  /** Words for a field's value, if the value itself is not readable. */
  wordsOf?: (name: string, value: string) => string;
  /** `Field`s. */
  children: ComponentChildren;
}

const names = (...all: Values[]): string[] => [...new Set(all.flatMap((values) => Object.keys(values)))];

/** An unchecked checkbox has no value. */
const isChanged = (name: string, from: Values, to: Values): boolean => (from[name] ?? '') !== (to[name] ?? '');

/** The values that somebody else has saved meanwhile, and this form's values that the person changed. */
interface Conflict {
  mine: Values;
  theirs: Values;
}

interface ChoiceProps extends Required<Pick<EditProps, 'initial' | 'labels' | 'wordsOf' | 'onTheirs'>> {
  conflict: Conflict;
  /** The form has cards of its own, so the choice needs one too. */
  isCard: boolean;
  saveMine: () => Promise<unknown>;
}

/** Shows both values of each field that differs, and asks which ones to keep. */
const Choice = ({ labels, initial, conflict, isCard, wordsOf, onTheirs, saveMine }: ChoiceProps) => {
  const choice = useRef<HTMLElement>(null);
  // The button that had the focus is hidden then.
  useLayoutEffect(() => choice.current?.focus(), [conflict]);
  const saving = usePress(saveMine);
  const rows = Object.keys(labels).filter((name) => name in conflict.mine || isChanged(name, initial, conflict.theirs));
  const words = (name: string, value: string | undefined) => wordsOf(name, value ?? '') || '–';
  return (
    <section
      ref={choice}
      class={isCard ? 'conflict card' : 'conflict'}
      role="alert"
      aria-labelledby="conflict"
      tabIndex={-1}
    >
      <h2 id="conflict">{t.title}</h2>
      <p>{t.text}</p>
      {rows.map((name) => (
        <dl key={name} class="lines">
          <div>
            <dt>{labels[name]}</dt>
            <dd />
          </div>
          <div>
            <dt>{t.theirs}</dt>
            <dd>{words(name, conflict.theirs[name])}</dd>
          </div>
          <div>
            <dt>{t.mine}</dt>
            <dd>{name in conflict.mine ? words(name, conflict.mine[name]) : t.untouched}</dd>
          </div>
        </dl>
      ))}
      {saving.fault && <FaultBox fault={saving.fault} />}
      <div class="buttons">
        <button type="button" class="button is-main" aria-disabled={saving.isBusy} onClick={saving.press}>
          {saving.isBusy ? texts.working : t.saveMine}
        </button>
        <button type="button" class="button" onClick={onTheirs}>
          {t.takeTheirs}
        </button>
      </div>
    </section>
  );
};

/**
 * A form that edits something. If somebody else has changed it since it was read, the form shows both values of each
 * field and lets the person choose. Then the person's changes are merged into the other ones, and nothing else is
 * undone.
 */
export const Edit = ({
  submit = t.save,
  initial,
  labels,
  ask,
  save,
  readAgain,
  onTheirs,
  onValues,
  onCancel,
  onDiscard,
  valuesOf = (entered) => entered,
  wordsOf = (_, value) => value,
  children,
}: EditProps) => {
  const [base, setBase] = useState(initial);
  const [conflict, setConflict] = useState<Conflict>();
  const [entered, setEntered] = useState<Values>();
  const changes = Object.keys(labels).filter((name) => entered && isChanged(name, base, valuesOf(entered))).length;
  const attempt = async (values: Values, from: Values): Promise<void> => {
    try {
      await save(values);
      setBase(values);
      setConflict(undefined);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const theirs = await readAgain();
      // For example, a sale changes a customer's version, but nothing that this form would undo.
      if (!Object.keys(labels).some((name) => isChanged(name, from, theirs))) return attempt(values, theirs);
      const mine = names(values, from).filter((name) => isChanged(name, from, values));
      setConflict({ mine: Object.fromEntries(mine.map((name) => [name, values[name] ?? ''])), theirs });
      setBase(theirs);
    }
  };
  const start = async (values: Values, from: Values): Promise<unknown> =>
    (await ask?.(values)) === false ? false : attempt(values, from);
  return (
    <>
      {conflict && (
        <Choice
          labels={labels}
          initial={initial}
          conflict={conflict}
          isCard={onDiscard !== undefined}
          wordsOf={wordsOf}
          onTheirs={onTheirs}
          saveMine={() => start({ ...conflict.theirs, ...conflict.mine }, conflict.theirs)}
        />
      )}
      {/* It stays while the choice is made, so that a refusal of the service finds what was entered. */}
      <div hidden={conflict !== undefined}>
        <Form
          submit={submit}
          onSend={(values) => start(valuesOf(values), base)}
          onValues={(values) => {
            setEntered(values);
            onValues?.(values);
          }}
          {...(onCancel && { onCancel })}
          {...(onDiscard && { bar: { said: texts.edit.unsaved(changes), ...(changes > 0 && { onDiscard }) } })}
        >
          {children}
        </Form>
      </div>
    </>
  );
};
