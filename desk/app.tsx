import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StoreResponse } from '../client/client.ts';
import { type Client, connect } from './api.ts';
import { type Developer, DeveloperContext } from './developer.ts';
import { SignIn } from './pages/sign-in.tsx';
import { Waiting } from './parts/load.tsx';
import { Toasts } from './parts/toast.tsx';
import { type Session, SessionContext, saveKey } from './session.ts';
import { Shell } from './shell.tsx';

const sessionOf = (client: Client, store: StoreResponse, refresh: () => Promise<void>): Session => ({
  client,
  store,
  can: (...scopes) => scopes.every((scope) => store.key.scopes.includes(scope)),
  refresh,
});

/** The desk: asks for a key, or shows what the key opens. */
const Desk = ({ initial }: { initial: string | undefined }) => {
  const [session, setSession] = useState<Session>();
  const [isTrying, setTrying] = useState(initial !== undefined);
  const [failed, setFailed] = useState<unknown>();
  const signIn = async (key: string, remember: boolean): Promise<void> => {
    const client = connect(key);
    const read = async () => setSession(sessionOf(client, await client.get('/v1/store'), read));
    await read();
    saveKey(key, remember);
  };
  useEffect(() => {
    if (initial !== undefined)
      signIn(initial, false)
        .catch(setFailed)
        .finally(() => setTrying(false));
  }, []);
  if (session)
    return (
      <SessionContext.Provider value={session}>
        <Toasts>
          <Shell />
        </Toasts>
      </SessionContext.Provider>
    );
  return isTrying ? <Waiting /> : <SignIn signIn={signIn} failed={failed} />;
};

/** Shows the desk. `initial` is the key of the address or of an earlier visit. */
export const start = (initial: string | undefined, developer?: Developer): void =>
  render(
    <DeveloperContext.Provider value={developer}>
      <Desk initial={initial} />
    </DeveloperContext.Provider>,
    document.body,
  );
