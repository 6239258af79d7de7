import { useContext, useEffect, useState } from 'preact/hooks';
import { StoreProblem, type StoreResponse } from '../../client/client.ts';
import { hasUnanswered } from '../api.ts';
import { DeveloperContext } from '../developer.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Notices } from '../parts/notices.tsx';
import { takeLivesOn } from '../session.ts';
import { texts } from '../texts.ts';

const t = texts.signIn;

/** A text that cannot be a key. The service is not asked. */
export class NoKeyError extends Error {}

export const isNoKey = (error: unknown): boolean =>
  error instanceof NoKeyError || (error instanceof StoreProblem && [401, 403, 404].includes(error.status));

const wordsFor = (error: unknown): string => (isNoKey(error) ? t.wrong : t.unreachable);

/** A store that a key opens. */
interface StoreChoice {
  store: Pick<StoreResponse, 'id' | 'name'>;
  enter: () => void;
}

/** Asks before a link leads from the kept key's store to another one. */
export const ChooseStore = ({ own, other }: { own: StoreChoice; other: StoreChoice }) => {
  useEffect(() => {
    document.title = t.choice.title;
  }, []);
  const nameOf = ({ store: { id, name } }: StoreChoice): string =>
    own.store.name === other.store.name ? `${name} (${id})` : name;
  return (
    <main class="sign-in">
      <h1>{t.choice.title}</h1>
      <p>{t.choice.text(nameOf(other), nameOf(own))}</p>
      <div class="buttons">
        <button type="button" class="button is-main" onClick={own.enter}>
          {t.choice.stay(nameOf(own))}
        </button>
        <button type="button" class="button" onClick={other.enter}>
          {t.choice.open(nameOf(other))}
        </button>
      </div>
      <p class="help">{t.choice.help}</p>
    </main>
  );
};

interface SignInAgainProps {
  /** Goes on with a key. Answers why it does not work here, if it does not. */
  goOn: (key: string) => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks for another key over the page, which stays as it is. */
export const SignInAgain = ({ goOn, onClose }: SignInAgainProps) => {
  const [words, setWords] = useState<string>();
  return (
    <Dialog title={t.again.title} onClose={onClose}>
      <Form
        submit={t.submit}
        isUnguarded
        onCancel={onClose}
        onSend={async ({ key }) => setWords(key ? await goOn(key).catch(wordsFor) : t.empty)}
      >
        <p>{t.again.text}</p>
        {hasUnanswered() && <p class="notice is-warn">{t.again.unanswered}</p>}
        {words && (
          <p class="notice is-bad" role="alert">
            {words}
          </p>
        )}
        <Field name="key" label={t.key} type="password" autoFocus />
      </Form>
    </Dialog>
  );
};

interface SignInProps {
  /** Throws if the key does not work. */
  signIn: (key: string, remember: boolean) => Promise<void>;
  /** Why the key in the address or in the tab did not work. */
  failed: unknown;
  /** The kept key's store, if the key of a link did not work. */
  own: StoreChoice | undefined;
}

export const SignIn = ({ signIn, failed, own }: SignInProps) => {
  const [livesOn] = useState(takeLivesOn);
  const [words, setWords] = useState(failed === undefined ? livesOn && t.livesOn(livesOn) : wordsFor(failed));
  const developer = useContext(DeveloperContext);
  useEffect(() => {
    document.title = t.title;
  }, []);
  return (
    <main class="sign-in">
      <h1>{t.title}</h1>
      {developer && <developer.Stores />}
      <p>{t.intro}</p>
      {words && (
        <p class="notice is-bad" role="alert">
          {words}
        </p>
      )}
      {own && (
        <button type="button" class="button" onClick={own.enter}>
          {t.goOn(own.store.name)}
        </button>
      )}
      <Form
        submit={t.submit}
        isUnguarded
        onSend={async ({ key, remember }) => {
          if (!key) return setWords(t.empty);
          setWords(undefined);
          await signIn(key, remember === 'on').catch((error) => setWords(wordsFor(error)));
        }}
      >
        <Field name="key" label={t.key} type="password" autoFocus />
        <Field name="remember" label={t.remember} help={t.rememberHelp} type="checkbox" />
      </Form>
      <p class="help">{t.how}</p>
      <pre>
        <code>{t.command}</code>
      </pre>
      <Notices />
    </main>
  );
};
