import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSpeech } from '../speech.ts';

interface AskProps {
  title: string;
  lines: readonly string[];
  yes: string;
  onYes: () => Promise<void>;
  onClose: () => void;
}

/** Asks before what nobody can turn back. The focus is on *Cancel* first, and returns to the button or its section. */
export const Ask = ({ title, lines, yes, onYes, onClose }: AskProps) => {
  const { t } = useSpeech();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement;
    const heading = dialog.current?.closest('section')?.querySelector('h2');
    dialog.current?.showModal();
    // The button may go with what it stands for, once the page has been drawn again.
    return () => requestAnimationFrame(() => (before.isConnected ? before : heading)?.focus());
  }, []);
  const act = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await onYes();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        // The browser would tell of its closing a moment later, and a press on the button meanwhile would be lost.
        event.preventDefault();
        if (!isBusy) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <div class="buttons">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => !isBusy && onClose()}>
          {t.cancel}
        </button>
        <button type="button" class="button is-main" aria-disabled={isBusy} onClick={act}>
          {isBusy ? t.busy : yes}
        </button>
      </div>
    </dialog>
  );
};
