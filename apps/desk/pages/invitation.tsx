import '../parts/first-view.ts';
import { useEffect, useState } from 'preact/hooks';
import { StoreProblem } from '../../client/client.ts';
import { connect } from '../api.ts';
import { time } from '../format.ts';
import { Copy } from '../parts/copy.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Lines } from '../parts/lines.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { rightsOf } from '../words/key.ts';
import { t } from './invitation.texts.ts';

interface InvitationProps {
  code: string;
  /** Signs in with the new key. */
  onEnter: (key: string, remember: boolean) => void;
}

/** The invitation's own words where the service has some: that it was used, or is void. */
const wordsFor = (error: unknown): string => {
  if (!(error instanceof StoreProblem)) return t.unreachable;
  return error.status === 400 ? error.detail : t.failed;
};

const NewKey = ({ text, onEnter }: { text: string; onEnter: InvitationProps['onEnter'] }) => (
  <>
    <h2>{t.key.title}</h2>
    <p>{t.key.text}</p>
    <pre>
      <code>{text}</code>
    </pre>
    <div class="buttons">
      <Copy text={text} label={t.key.copy} said={t.key.copied} />
    </div>
    <Form submit={t.key.open} isUnguarded onSend={async ({ remember }) => onEnter(text, remember === 'on')}>
      <Field name="remember" label={t.key.remember} type="checkbox" />
    </Form>
  </>
);

/** Asks a person to accept an invitation. Opening it uses nothing up. */
export const InvitationPage = ({ code, onEnter }: InvitationProps) => {
  const [{ client }] = useState(() => connect(code));
  const [key, setKey] = useState<string>();
  const [words, setWords] = useState<string>();
  const invitation = useLoad(
    (signal) =>
      client.get('/v1/store/key/invitation', { signal }).catch((error) => {
        setWords(wordsFor(error));
        return null;
      }),
    [],
  );
  useEffect(() => {
    document.title = t.title;
  }, []);
  const accept = () =>
    client.post('/v1/store/key/actions/accept').then(
      (accepted) => setKey(accepted.key ?? undefined),
      (error) => setWords(wordsFor(error)),
    );
  return (
    <main class="sign-in">
      <h1>{t.title}</h1>
      {words && (
        <div class="notice is-bad" role="alert">
          <p>{words}</p>
          <button type="button" class="button" onClick={() => location.reload()}>
            {t.toDesk}
          </button>
        </div>
      )}
      {key !== undefined ? (
        <NewKey text={key} onEnter={onEnter} />
      ) : (
        <Show of={invitation}>
          {(offer) =>
            offer && (
              <div class="stack">
                <p>{t.invites(offer.name, offer.store.name)}</p>
                <section class="card">
                  <Lines
                    of={[
                      [t.may, rightsOf(offer)],
                      [t.ends, offer.expiresAt === null ? t.never : time(offer.expiresAt)],
                      [t.until, time(offer.invitedUntil)],
                    ]}
                  />
                </section>
                <Form submit={t.accept} isUnguarded onSend={accept}>
                  <p class="help">{t.how}</p>
                </Form>
              </div>
            )
          }
        </Show>
      )}
    </main>
  );
};
