import { type ComponentChildren, createContext, type TargetedEvent } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copiedName } from '../../shared/copied-name.ts';
import type { Fault } from '../api.ts';
import { SessionContext } from '../session.ts';
import { texts } from '../texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { FaultBox, usePress } from './load.tsx';
import { PersonInput } from './person.tsx';
import { ProductInput, withProductIds } from './product.tsx';

/**
 * The values of a form's fields by name, trimmed, with line feeds as the only line ends. A checkbox has `on` or
 * nothing, and a box for a person only the name or UUID.
 */
export type Values = Record<string, string>;

const formValues = (form: HTMLFormElement): Values => {
  const people = new Set([...form.querySelectorAll<HTMLInputElement>('input[data-person]')].map(({ name }) => name));
  const entered = (name: string, text: string): string =>
    people.has(name) ? copiedName(text) : text.trim().replaceAll('\r\n', '\n');
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, entered(name, String(value))]));
};

/** True if a service's message contains a field's name as a word. */
const contains = (message: string, name: string): boolean =>
  message.split(/[^\w.[\]]+|\.(?= |$)/).some((word) => word.toLowerCase() === name.toLowerCase());

const ErrorsContext = createContext<(name: string) => string | undefined>(() => undefined);

interface FormProps {
  /** The text of the button. */
  submit: string;
  /**
   * Makes the change. The messages of a refusal are shown beside their fields. Answers false if the person has stopped
   * it, so that nothing was sent.
   */
  onSend: (values: Values) => Promise<unknown>;
  /** Called with the values as they are entered, and once at the start. */
  onValues?: (values: Values) => void;
  onCancel?: () => void;
  /** The button lies in a bar at the lower edge, which stays in sight while something is unsaved. */
  bar?: { said: string; onDiscard?: () => void };
  isDangerous?: boolean;
  /** Leaving the page asks no question about this form. */
  isUnguarded?: boolean;
  children: ComponentChildren;
}

/** The fault of a sent form in words, each beside its field or, without a field, by itself. */
const messagesOf = (fault: Fault | undefined, names: readonly string[]) => {
  const { words, errors = [], text = '' } = fault ?? {};
  // A message about `tiers[0].percent` is about a field `tiers[0]` too: the longest name has it.
  const fieldOf = (message: string): string | undefined =>
    names.filter((name) => words?.isAbout(message, name)).sort((a, b) => b.length - a.length)[0] ??
    names.find((name) => contains(message, name));
  const errorOf = (name: string): string | undefined => {
    const message = errors.find((one) => fieldOf(one) === name);
    return message && (words?.wordsOf(message, name) ?? message);
  };
  const others = errors.filter((message) => fieldOf(message) === undefined);
  // Without messages of the service, the text says all.
  const alone = errors.length === 0 ? text : others.map((message) => words?.wordsAlone(message) ?? message).join(' ');
  return { errorOf, alone };
};

const Buttons = ({
  submit,
  isBusy,
  isDangerous,
  onCancel,
  bar,
}: Omit<FormProps, 'onSend' | 'children'> & { isBusy: boolean }) => (
  <div class={bar ? 'buttons save' : 'buttons'}>
    {bar && <p role="status">{bar.said}</p>}
    {bar?.onDiscard && (
      <button type="button" class="button is-quiet" onClick={bar.onDiscard}>
        {texts.edit.discard}
      </button>
    )}
    <button type="submit" class={`button is-main${isDangerous ? ' is-dangerous' : ''}`} aria-disabled={isBusy}>
      {isBusy ? texts.working : submit}
    </button>
    {onCancel && (
      <button type="button" class="button" onClick={onCancel}>
        {texts.cancel}
      </button>
    )}
  </div>
);

/** A form whose fields are `Field`s. It sends once per press, and keeps the entries if the service refuses them. */
export const Form = ({ onSend, onValues, isUnguarded = false, children, ...buttons }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const values = useRef<Values>({});
  const [names, setNames] = useState<string[]>([]);
  const session = useContext(SessionContext);
  const holdPage = useUnsaved();
  /** Marks the form for the page that it stands on, and for the dialog. */
  const setUnsaved = (isUnsaved: boolean): void => {
    holdPage(isUnsaved);
    form.current?.toggleAttribute('data-unsaved', isUnsaved);
  };
  /** The values whose loss nobody would mind. */
  const saved = useRef<Values>({});
  const isToKeep = (entered: Values): boolean =>
    !isUnguarded && JSON.stringify(entered) !== JSON.stringify(saved.current);
  const { press, isBusy, fault, clear } = usePress(async () => {
    const sent = values.current;
    // The answer may lead to another page.
    setUnsaved(false);
    try {
      const given = session && form.current ? await withProductIds(session, form.current, sent) : sent;
      if ((await onSend(given)) === false) setUnsaved(isToKeep(sent));
      else saved.current = sent;
    } catch (error) {
      setUnsaved(isToKeep(sent));
      throw error;
    }
  });
  // Runs at once: an effect after the next frame would take early typing for the initial values.
  useLayoutEffect(() => {
    if (!form.current) return;
    saved.current = formValues(form.current);
    onValues?.(saved.current);
  }, []);
  // Fields hear of their faults by the context, and so are drawn after the form.
  useEffect(() => {
    if (!fault) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    wrong?.closest('details')?.toggleAttribute('open', true);
    wrong?.focus();
  }, [fault]);
  const { errorOf, alone } = messagesOf(fault, names);
  const send = (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...event.currentTarget.elements] as HTMLInputElement[];
    setNames(fields.map(({ name }) => name).filter(Boolean));
    values.current = formValues(event.currentTarget);
    press();
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={send}
      onInput={(event) => {
        if (fault) clear();
        const entered = formValues(event.currentTarget);
        setUnsaved(isToKeep(entered));
        onValues?.(entered);
      }}
    >
      {fault && alone !== '' && <FaultBox fault={{ ...fault, text: alone }} />}
      <ErrorsContext.Provider value={errorOf}>{children}</ErrorsContext.Provider>
      <Buttons {...buttons} isBusy={isBusy} />
    </form>
  );
};

interface FieldProps {
  /** The API's name, so that the service's messages find it. */
  name: string;
  label: string;
  help?: string;
  type?:
    | 'text'
    | 'number'
    | 'date'
    | 'datetime-local'
    | 'password'
    | 'search'
    | 'url'
    | 'checkbox'
    | 'textarea'
    | 'person'
    | 'product';
  /** Makes it a choice: pairs of value and label. */
  options?: readonly (readonly [value: string, label: string])[];
  initial?: string;
  isChecked?: boolean;
  /** Its unit, in the box. */
  unit?: 'L$' | '%';
  min?: string;
  maxLength?: number;
  step?: string;
  autoFocus?: boolean;
}

interface ControlProps {
  type: NonNullable<FieldProps['type']>;
  options?: FieldProps['options'] | undefined;
  initial?: string | undefined;
  isChecked?: boolean | undefined;
  step?: string;
  /** The attributes that every kind of control has. */
  common: { id: string; name: string; 'aria-invalid': boolean; 'aria-describedby'?: string };
  take: (element: HTMLElement | null) => void;
}

/** The message of the service about a field. */
export const useError = (name: string): string | undefined => useContext(ErrorsContext)(name);

export const ErrorLine = ({ id, text }: { id?: string; text: string | undefined }) =>
  text ? (
    <p id={id} class="error" role="alert">
      {text}
    </p>
  ) : null;

const Control = ({ common, take, type, options, initial, isChecked, ...rest }: ControlProps) => {
  return options ? (
    <select {...common} defaultValue={initial}>
      {options.map(([value, text]) => (
        <option key={value} value={value} selected={value === initial}>
          {text}
        </option>
      ))}
    </select>
  ) : type === 'textarea' ? (
    <textarea {...common} {...rest} ref={take as never} rows={4} defaultValue={initial} />
  ) : type === 'checkbox' ? (
    <input {...common} type="checkbox" defaultChecked={isChecked} />
  ) : type === 'person' ? (
    <PersonInput {...common} type="text" take={take} defaultValue={initial} />
  ) : type === 'product' ? (
    <ProductInput {...common} type="text" take={take} defaultValue={initial} />
  ) : (
    <input
      {...common}
      {...rest}
      ref={take as never}
      // The attributes of inputs are a union by type, and this type may be any of them.
      type={type as 'text'}
      autoComplete="off"
      {...(type === 'number' && { inputMode: 'numeric' as const, step: rest.step ?? '1' })}
      defaultValue={initial}
    />
  );
};

/** One labelled field of a `Form`, with the service's message about it. */
export const Field = ({
  name,
  label,
  help,
  type = 'text',
  options,
  initial,
  isChecked,
  unit,
  autoFocus,
  ...rest
}: FieldProps) => {
  const id = useId();
  const words = useError(name);
  const error = words && type === 'product' ? texts.pickProduct : words;
  const input = useRef<HTMLElement | null>(null);
  const take = (element: HTMLElement | null) => {
    input.current = element;
  };
  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ');
  const common = {
    id,
    name,
    'aria-invalid': error !== undefined,
    ...(autoFocus && { 'data-first': true }),
    ...(described && { 'aria-describedby': described }),
  };
  return (
    <div class={`field${type === 'checkbox' ? ' is-check' : ''}`}>
      <label for={id}>
        {label}
        {unit && <span class="hidden-text">{texts.units[unit]}</span>}
      </label>
      <div class={unit && 'unit'} data-unit={unit}>
        <Control
          common={common}
          take={take}
          {...rest}
          type={type}
          options={options}
          initial={initial}
          isChecked={isChecked}
        />
      </div>
      {help && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
      <ErrorLine id={`${id}-error`} text={error} />
    </div>
  );
};

type ChoiceProps = Required<Pick<FieldProps, 'name' | 'label' | 'options' | 'initial'>>;

/** A choice between a few options, as a row of buttons. */
export const Segments = ({ name, label, options, initial }: ChoiceProps) => (
  <fieldset class="segments">
    <legend class="hidden-text">{label}</legend>
    {options.map(([value, text]) => (
      <label key={value}>
        <input type="radio" name={name} value={value} defaultChecked={value === initial} />
        <span>{text}</span>
      </label>
    ))}
  </fieldset>
);
