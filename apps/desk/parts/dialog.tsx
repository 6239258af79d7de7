import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog over the page. It is open while it is rendered. Escape closes it, and the focus returns to where it was. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // An effect runs after the next frame. A key pressed before it, such as a quick Escape, would do nothing.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Otherwise the button that closes it would have the focus.
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="button is-quiet" aria-label={texts.close} onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
};
