import { useId, useState } from 'preact/hooks';
import type { MeResponse } from '../../client/types.ts';
import { useSpeech } from '../speech.ts';

/** The switch of the news. It turns when the store has answered. */
export const News = ({ me, change }: { me: MeResponse; change: (isOn: boolean) => Promise<void> }) => {
  const { t } = useSpeech();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await change(!me.newsSubscriber);
    setBusy(false);
  };
  return (
    <section class="card switch">
      <p>
        <b id={`${id}b`}>{t.news.label(me.store.name)}</b>
        <small id={`${id}s`}>{t.news.note}</small>
      </p>
      <button
        type="button"
        role="switch"
        aria-checked={me.newsSubscriber}
        aria-labelledby={`${id}b`}
        aria-describedby={`${id}s`}
        aria-disabled={isBusy}
        onClick={press}
      />
    </section>
  );
};
