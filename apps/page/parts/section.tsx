import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useSpeech } from '../speech.ts';

interface SectionProps {
  title: string;
  /** Beside the heading. */
  aside?: ComponentChildren;
  /** Shows more rows, if there are more. */
  more?: (() => Promise<void> | void) | undefined;
  children: ComponentChildren;
}

/** A card of the page with its heading. */
export const Section = ({ title, aside, more, children }: SectionProps) => {
  const { t } = useSpeech();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await more?.();
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
      {more && (
        <button
          type="button"
          class="button is-quiet is-more"
          aria-label={isBusy ? t.busy : t.moreOf(title)}
          aria-disabled={isBusy}
          onClick={press}
        >
          {isBusy ? t.busy : t.more}
        </button>
      )}
    </section>
  );
};
