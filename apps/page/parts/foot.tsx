import { useEffect, useState } from 'preact/hooks';
import type { MeResponse } from '../../client/types.ts';
import { useSpeech } from '../speech.ts';

/** The time, again and again. */
const useNow = (everyMillis: number): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMillis);
    return () => clearInterval(timer);
  }, []);
  return now;
};

/** Says what the page is and until when it works, and lets the person leave. */
export const Foot = ({ me, leave }: { me: MeResponse; leave: () => Promise<void> }) => {
  const { t, clock, minutes } = useSpeech();
  const now = useNow(15_000);
  const [isBusy, setBusy] = useState(false);
  const left = Math.max(0, Math.ceil((Date.parse(me.expiresAt) - now) / 60_000));
  const press = (): void => {
    if (isBusy) return;
    setBusy(true);
    void leave();
  };
  return (
    <>
      <p>{t.foot.what(me.store.name)}</p>
      <p>{t.foot.until(clock(me.expiresAt), minutes(left))}</p>
      <button type="button" class="button" aria-disabled={isBusy} onClick={press}>
        {isBusy ? t.busy : t.foot.signOut}
      </button>
    </>
  );
};
