import wallet from 'lucide/dist/esm/icons/wallet-cards.mjs';
import type { ComponentChildren } from 'preact';
import { isLanguage, type Language, languages } from '../language.ts';
import { useSpeech } from '../speech.ts';
import { Icon } from './icon.tsx';

interface FrameProps {
  /** The name of the store, once the page knows it. */
  store?: string;
  /** Stands at the foot, beside the choice of the language. */
  foot?: ComponentChildren;
  choose: (language: Language) => void;
  children: ComponentChildren;
}

/** Around each screen: the store, and the choice of the language. */
export const Frame = ({ store, foot, choose, children }: FrameProps) => {
  const { t, language } = useSpeech();
  return (
    <>
      <header class="bar">
        <span class="mark" aria-hidden="true">
          {store === undefined ? <Icon of={wallet} /> : [...store][0]?.toUpperCase()}
        </span>
        <p>
          <b>{store ?? t.title}</b>
          {store !== undefined && <small>{t.title}</small>}
        </p>
      </header>
      <main>{children}</main>
      <footer>
        {foot}
        <fieldset class="languages" aria-label={t.chooseLanguage}>
          {Object.keys(languages)
            .filter(isLanguage)
            .map((one) => (
              <button
                key={one}
                type="button"
                class="button is-quiet"
                lang={one}
                aria-pressed={one === language}
                onClick={() => choose(one)}
              >
                {languages[one].language}
              </button>
            ))}
        </fieldset>
      </footer>
    </>
  );
};
