import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { explainError, type Fault } from '../api.ts';
import { onKey, tellOfKey } from '../key-end.ts';
import { texts } from '../texts.ts';

export interface LoadState<T> {
  value: T | undefined;
  fault: Fault | undefined;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Reads something when the page opens and when one of `inputs` changes. The old value stays visible until the new one
 * arrives. `read` should pass the signal on.
 */
export const useLoad = <T,>(read: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): LoadState<T> => {
  const [state, setState] = useState<{ value?: T; fault?: Fault; isLoading: boolean }>({ isLoading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setState(({ value }) => ({ ...(value !== undefined && { value }), isLoading: true }));
    read(ending.signal).then(
      (value) => !ending.signal.aborted && setState({ value, isLoading: false }),
      async (error) => {
        if (ending.signal.aborted) return;
        const fault = await explainError(error, texts.noAnswer.read);
        if (!ending.signal.aborted) setState({ fault, isLoading: false });
      },
    );
    return () => ending.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  useEffect(() => (state.fault?.status === 401 ? onKey('replaced', reload) : undefined), [state.fault]);
  return { value: state.value, fault: state.fault, isLoading: state.isLoading, reload };
};

/** A failed read, with a way to try again. */
export const FaultBox = ({ fault, onRetry }: { fault: Fault; onRetry?: () => void }) => (
  <div class="notice is-bad" role="alert">
    <p>{fault.text}</p>
    {fault.status === 401 ? (
      <button type="button" class="button" onClick={() => tellOfKey('ended')}>
        {texts.signIn.submit}
      </button>
    ) : (
      onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          {texts.retry}
        </button>
      )
    )}
  </div>
);

/** The loaded value, or that it is loading, or why it could not be loaded. */
export const Show = <T,>({ of, children }: { of: LoadState<T>; children: (value: T) => ComponentChildren }) => {
  if (of.fault) return <FaultBox fault={of.fault} onRetry={of.reload} />;
  if (of.value === undefined) return <Waiting />;
  return <div aria-busy={of.isLoading}>{children(of.value)}</div>;
};

const bars = [1, 2, 3, 4, 5, 6];

/** Bars instead of what is being read, and words for people who cannot see them. */
export const Waiting = () => (
  <div class="waiting">
    {/* It stands beside the part that is busy, of which a screen reader says nothing yet. */}
    <p class="hidden-text" role="status">
      {texts.loading}
    </p>
    <div class="bars" aria-busy="true">
      {bars.map((bar) => (
        <span key={bar} />
      ))}
    </div>
  </div>
);

export interface PressState {
  /** Does it, unless it is already being done. */
  press: () => Promise<void>;
  isBusy: boolean;
  fault: Fault | undefined;
  clear: () => void;
}

/** A write behind a button. A second press while it runs does nothing. */
export const usePress = (write: () => Promise<unknown>): PressState => {
  const running = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  useEffect(() => (fault?.status === 401 ? onKey('replaced', () => setFault(undefined)) : undefined), [fault]);
  const press = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      await write();
    } catch (error) {
      setFault(await explainError(error, texts.noAnswer.write));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { press, isBusy, fault, clear: () => setFault(undefined) };
};
