import { useLayoutEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { setQuestion } from '../unsaved.ts';
import { Dialog } from './dialog.tsx';

const t = texts.leave;

/** Asks before a page with unsaved entries is left. */
export const LeaveQuestion = () => {
  const [leave, setLeave] = useState<() => void>();
  useLayoutEffect(() => setQuestion((next) => setLeave(() => next)), []);
  if (!leave) return null;
  const stay = () => setLeave(undefined);
  return (
    <Dialog title={t.title} onClose={stay}>
      <div class="form">
        <p>{t.text}</p>
        <div class="buttons">
          <button type="button" class="button is-main" data-first onClick={stay}>
            {t.stay}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => {
              stay();
              leave();
            }}
          >
            {t.leave}
          </button>
        </div>
      </div>
    </Dialog>
  );
};
