import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

interface DialogProps {
  title: string;
  look?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * A dialog over the page. It is open while it is rendered. Escape closes it, and the focus returns to where it was. If
 * a form in it holds entries, Escape and × ask first.
 */
export const Dialog = ({ title, look = '', onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAsking, setAsking] = useState(false);
  const holdsEntries = (): boolean => dialog.current?.querySelector('form[data-unsaved]') !== null;
  const close = () => (holdsEntries() ? setAsking(true) : onClose());
  const titleId = useId();
  // An effect runs after the next frame. A key pressed before it, such as a quick Escape, would do nothing.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Otherwise the button that closes it would have the focus.
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      // While the dialog is on the page nothing outside it can have the focus.
      queueMicrotask(() => before instanceof HTMLElement && before.focus());
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${look}`}
      aria-labelledby={titleId}
      onClose={onClose}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        // The browser would tell of its closing a moment later, and a press on the button meanwhile would be lost.
        event.preventDefault();
        close();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="button is-quiet" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      {isAsking && (
        <div class="notice is-warn" role="alert">
          <p>{texts.leave.text}</p>
          <div class="buttons">
            <button type="button" class="button is-main" onClick={() => setAsking(false)}>
              {texts.leave.stay}
            </button>
            <button type="button" class="button" onClick={onClose}>
              {texts.leave.discard}
            </button>
          </div>
        </div>
      )}
      {children}
    </dialog>
  );
};
