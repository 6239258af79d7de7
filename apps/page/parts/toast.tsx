import { useSpeech } from '../speech.ts';

/** The outcome of an act, in words. */
export interface Said {
  text: string;
  isBad: boolean;
}

/** Says the outcome of an act, to screen readers too, until somebody closes it. */
export const Toast = ({ said, close }: { said: Said | undefined; close: () => void }) => {
  const { t } = useSpeech();
  return (
    <div class={`toast ${said?.isBad ? 'is-bad' : ''}`} role="status">
      {said && (
        <>
          <p>{said.text}</p>
          <button type="button" class="button is-quiet" aria-label={t.close} onClick={close}>
            ×
          </button>
        </>
      )}
    </div>
  );
};
