import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { tellForm } from '../unsaved.ts';

/** The attributes of a box with suggestions. */
export interface BoxProps {
  type: 'text' | 'search';
  id?: string;
  name?: string;
  defaultValue?: string | undefined;
  placeholder?: string | undefined;
  'aria-label'?: string;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string;
  /** Gets the input, for giving it the focus. */
  take?: (input: HTMLInputElement | null) => void;
}

interface ComboboxProps<T> extends BoxProps {
  /** Its value names a person: see `formValues`. */
  isPerson?: boolean;
  /** The name of the list. */
  title: string;
  found: readonly T[];
  keyOf: (one: T) => string;
  /** The text in the box after it was chosen. */
  textOf: (one: T) => string;
  optionOf: (one: T) => ComponentChildren;
  /** Called with what is typed. */
  onText: (text: string) => void;
  /** Called when the suggestions must close. */
  onClose: () => void;
  /** Called with a chosen suggestion, whose text is then in the box. */
  onPick: (one: T) => void;
  /** Called at Enter without a chosen suggestion. Answers true if the form must not be sent yet. */
  onEnter?: () => boolean;
}

interface SuggestionsProps<T> extends Pick<ComboboxProps<T>, 'title' | 'found' | 'keyOf' | 'optionOf'> {
  id: string;
  /** The place of the suggestion that Enter takes. */
  active: number;
  onPick: (one: T) => void;
}

const Suggestions = <T,>({ id, title, found, keyOf, optionOf, active, onPick }: SuggestionsProps<T>) => (
  <div id={`${id}-list`} role="listbox" aria-label={title} class="suggestions">
    {found.map((one, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the box's, which keeps the focus.
      <div
        key={keyOf(one)}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === active}
        tabIndex={-1}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => onPick(one)}
      >
        {optionOf(one)}
      </div>
    ))}
  </div>
);

let isPressing = false;
for (const type of ['pointerdown', 'pointerup', 'pointercancel'])
  addEventListener(type, () => (isPressing = type === 'pointerdown'), true);

/**
 * Closes suggestions that have lost the focus. If a press took it, they stay until the press is over: they hold down
 * what is below them, and a button that moves between press and release is not clicked.
 */
const closeAfterPress = (close: () => void): void => {
  if (isPressing) addEventListener('pointerup', () => setTimeout(close), { once: true });
  else close();
};

/** A box with suggestions below it. Arrow keys and Enter choose, and Escape closes. */
export const Combobox = <T,>(props: ComboboxProps<T>) => {
  const { title, found, keyOf, textOf, optionOf, onText, onClose, onPick, onEnter, take, isPerson, ...attributes } =
    props;
  const id = useId();
  const input = useRef<HTMLInputElement | null>(null);
  const [active, setActive] = useState(-1);
  const isOpen = found.length > 0;
  // Runs at once: an effect after the next frame would undo an arrow key pressed as soon as the list is visible.
  useLayoutEffect(() => setActive(-1), [found]);
  const pick = (one: T) => {
    onClose();
    if (!input.current) return;
    input.current.value = textOf(one);
    onPick(one);
    tellForm(input.current.form);
  };
  const follow = (event: KeyboardEvent) => {
    const one = found[active];
    if (event.key === 'Enter' && !one) {
      if (onEnter?.()) event.preventDefault();
      return;
    }
    if (!isOpen) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      // Moves from the box itself, and back to it at the ends.
      setActive(((active + 1 + step + found.length + 1) % (found.length + 1)) - 1);
    } else if (event.key === 'Enter' && one) pick(one);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    // Escape would also close the dialog around the box.
    event.stopPropagation();
  };
  return (
    <div class="combobox">
      <input
        {...(attributes as { type: 'text' })}
        ref={(element) => {
          input.current = element;
          take?.(element);
        }}
        role="combobox"
        data-person={isPerson}
        autoComplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={follow}
        onBlur={() => (isOpen ? closeAfterPress(onClose) : onClose())}
      />
      {isOpen && (
        <Suggestions
          id={id}
          title={title}
          found={found}
          keyOf={keyOf}
          optionOf={optionOf}
          active={active}
          onPick={pick}
        />
      )}
    </div>
  );
};
