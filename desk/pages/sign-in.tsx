import { useContext, useEffect, useState } from 'preact/hooks';
import { StoreProblem } from '../../client/client.ts';
import { DeveloperContext } from '../developer.ts';
import { Field, Form } from '../parts/form.tsx';
import { texts } from '../texts.ts';

const t = texts.signIn;

const wordsFor = (error: unknown): string =>
  error instanceof StoreProblem && [401, 403, 404].includes(error.status) ? t.wrong : t.unreachable;

interface SignInProps {
  /** Throws if the key does not work. */
  signIn: (key: string, remember: boolean) => Promise<void>;
  /** Why the key of the address or of the tab did not work. */
  failed: unknown;
}

export const SignIn = ({ signIn, failed }: SignInProps) => {
  const [words, setWords] = useState(failed === undefined ? undefined : wordsFor(failed));
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
      <Form
        submit={t.submit}
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
    </main>
  );
};
