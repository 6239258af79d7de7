import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import { currentPath, useAddress } from '../address.ts';
import { explainError } from '../api.ts';
import { texts } from '../texts.ts';

/** A sentence that says how a write ended, with a way to undo it if there is one. */
interface Toast {
  text: string;
  /** The page that shows it. On another page it would cover unrelated things. */
  path: string;
  undo?: () => Promise<void>;
}

type ToastSender = (text: string, undo?: Toast['undo']) => void;

const SayContext = createContext<ToastSender>(() => undefined);

/** Says in one sentence what happened. */
export const useSay = (): ToastSender => useContext(SayContext);

const shownMillis = 12_000;

export const Toasts = ({ children }: { children: ComponentChildren }) => {
  const [said, setToast] = useState<Toast>();
  const { path } = useAddress();
  const toast = said?.path === path ? said : undefined;
  const timer = useRef<number>(undefined);
  const isUndoing = useRef(false);
  const say: ToastSender = useRef<ToastSender>((text, undo) => {
    clearTimeout(timer.current);
    setToast({ text, path: currentPath(), ...(undo && { undo }) });
    timer.current = setTimeout(() => setToast(undefined), shownMillis);
  }).current;
  const undo = async () => {
    if (isUndoing.current) return;
    isUndoing.current = true;
    try {
      await toast?.undo?.();
    } catch (error) {
      say((await explainError(error, texts.noAnswer.write)).text);
    } finally {
      isUndoing.current = false;
    }
  };
  return (
    <SayContext.Provider value={say}>
      {children}
      <div class="toasts">
        <div role="status" aria-live="polite">
          {toast && <p>{toast.text}</p>}
        </div>
        {toast?.undo && (
          <button type="button" class="button" onClick={undo}>
            {texts.undo}
          </button>
        )}
        {toast && (
          <button type="button" class="button is-quiet" aria-label={texts.close} onClick={() => setToast(undefined)}>
            ×
          </button>
        )}
      </div>
    </SayContext.Provider>
  );
};
