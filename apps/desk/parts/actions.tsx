import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

/** Something that can be done: a press or a link. */
export interface Action {
  text: string;
  /** Its name for a screen reader, if the text alone is not clear without its row. */
  label?: string;
  press?: () => void;
  to?: string;
  isMain?: boolean;
  isBusy?: boolean;
}

const phone = matchMedia('(max-width: 720px)');

/** True on a screen without space for many buttons. */
const useIsPhone = (): boolean => {
  const [isPhone, setPhone] = useState(phone.matches);
  useEffect(() => {
    const follow = () => setPhone(phone.matches);
    phone.addEventListener('change', follow);
    return () => phone.removeEventListener('change', follow);
  }, []);
  return isPhone;
};

/** `before` is called before the press, for a menu that closes. */
const ActionButton = ({ of, before }: { of: Action; before?: () => void }) => {
  const { text, label, press, to, isMain, isBusy } = of;
  const look = `button${isMain ? ' is-main' : ''}`;
  if (to !== undefined)
    return (
      <a class={look} href={to} aria-label={label}>
        {text}
      </a>
    );
  const pressed = () => {
    before?.();
    press?.();
  };
  return (
    <button type="button" class={look} aria-label={label} aria-disabled={isBusy} onClick={pressed}>
      {text}
    </button>
  );
};

/**
 * A button that shows further ones. Escape, a choice, and leaving it close it. Arrow keys move within it, and so does
 * Tab.
 */
const More = ({ all, label }: { all: readonly Action[]; label: string }) => {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  /** The focus goes back first: a dialog that a choice opens remembers where it was. */
  const close = () => {
    opener.current?.focus();
    setOpen(false);
  };
  const follow = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('button, a') ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops[(at + step + stops.length) % stops.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys and the focus of the buttons in it.
    <div
      ref={box}
      class="more"
      onKeyDown={follow}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) setOpen(false);
      }}
    >
      <button
        ref={opener}
        type="button"
        class="button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => {
          // Safari does not focus a clicked button.
          opener.current?.focus();
          setOpen(!isOpen);
        }}
      >
        {texts.more}
      </button>
      {isOpen && (
        // The press must not take the focus from the menu.
        <ul id={id} onMouseDown={(event) => event.preventDefault()}>
          {all.map((one) => (
            <li key={one.text}>
              <ActionButton of={one} before={close} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** The actions on a thing, side by side. On a phone all but the first are in one menu. */
export const Actions = ({ all, of }: { all: readonly (Action | false)[]; of?: string }) => {
  const isPhone = useIsPhone();
  const [first, ...others] = all.filter((one) => one !== false);
  if (!first) return null;
  return (
    <>
      <ActionButton of={first} />
      {isPhone && others.length > 0 ? (
        <More all={others} label={of === undefined ? texts.more : texts.moreOf(of)} />
      ) : (
        others.map((one) => <ActionButton key={one.text} of={one} />)
      )}
    </>
  );
};
