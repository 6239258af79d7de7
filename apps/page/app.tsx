import { useLayoutEffect, useState } from 'preact/hooks';
import { isLanguage, type Language, languageOf, speak } from './language.ts';
import { sharesOf } from './lots.ts';
import { useOwnPage } from './own.ts';
import { Cards } from './parts/cards.tsx';
import { ClosedStore, Hero, Lots, NextEnd } from './parts/credit.tsx';
import { Closed, NoCode, Reading, Ready, Unread } from './parts/door.tsx';
import { Foot } from './parts/foot.tsx';
import { Frame } from './parts/frame.tsx';
import { History } from './parts/history.tsx';
import { News } from './parts/news.tsx';
import { Products } from './parts/products.tsx';
import { Toast } from './parts/toast.tsx';
import { SpeechContext } from './speech.ts';

/** The chosen language, which is no secret and nothing about the person's account. */
const languageName = 'page.language';

const keptLanguage = (): Language => {
  try {
    const kept = localStorage.getItem(languageName) ?? '';
    if (isLanguage(kept)) return kept;
  } catch {
    // The browser keeps nothing.
  }
  return languageOf(navigator.languages);
};

const keepLanguage = (language: Language): void => {
  try {
    localStorage.setItem(languageName, language);
  } catch {
    // The choice lasts as long as the tab.
  }
};

type OwnPage = ReturnType<typeof useOwnPage>;

/** The page of a person: all that the store holds for them. */
const Own = ({ view: { held }, acts }: { view: Extract<OwnPage['view'], { at: 'own' }>; acts: OwnPage['acts'] }) => {
  const { me, lots, products, cards, history } = held;
  const shares = sharesOf(me, lots, new Date());
  return (
    <div class="own">
      <Hero me={me} />
      {!me.store.open && <ClosedStore />}
      <NextEnd share={shares[0]} />
      <div class="columns">
        <div>
          <Lots shares={shares} />
          <Products products={products} onTheirWay={acts.onTheirWay} send={acts.send} more={acts.more('products')} />
        </div>
        <div>
          <Cards cards={cards} me={me} redeem={acts.redeem} more={acts.more('cards')} />
          <History history={history} more={acts.more('history')} />
          <News me={me} change={acts.subscribe} />
        </div>
      </div>
    </div>
  );
};

const Screen = ({ view, acts, open, again }: Omit<OwnPage, 'leave'>) => {
  if (!view || view.at === 'reading') return <Reading />;
  if (view.at === 'no-code') return <NoCode key={String(view.isBroken)} open={open} isBroken={view.isBroken} />;
  if (view.at === 'ready') return <Ready key={view.code} open={open} code={view.code} />;
  if (view.at === 'unread') return <Unread until={view.until} again={again} />;
  if (view.at === 'over') return <Closed key={view.why} open={open} why={view.why} until={view.until} />;
  return <Own view={view} acts={acts} />;
};

/** The customer's page. `isWhole` is false if the link had something that is no whole code. */
export const App = ({ isWhole }: { isWhole: boolean }) => {
  const [language, setLanguage] = useState(keptLanguage);
  const speech = speak(language, navigator.languages);
  const { view, acts, open, leave, again } = useOwnPage(isWhole, speech);
  // Before the words are drawn: a screen reader must not read them as another language's.
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = speech.t.title;
  }, [language]);
  const choose = (chosen: Language): void => {
    keepLanguage(chosen);
    setLanguage(chosen);
  };
  const me = view?.at === 'own' ? view.held.me : undefined;
  return (
    <SpeechContext.Provider value={speech}>
      <Frame choose={choose} {...(me && { store: me.store.name, foot: <Foot me={me} leave={leave} /> })}>
        <Screen view={view} acts={acts} open={open} again={again} />
        {me && <Toast said={acts.said} close={acts.close} />}
      </Frame>
    </SpeechContext.Provider>
  );
};
