import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { StoreResponse } from '../client/client.ts';
import { type Client, connect } from './api.ts';
import { type Developer, DeveloperContext } from './developer.ts';
import { onKey, tellOfKey } from './key-end.ts';
import { ChooseStore, isNoKey, NoKeyError, SignIn, SignInAgain } from './pages/sign-in.tsx';
import { later } from './parts/later.tsx';
import { Waiting } from './parts/load.tsx';
import { Toasts } from './parts/toast.tsx';
import { type Keys, keepInstead, type Session, SessionContext, saveKey } from './session.ts';
import { Shell } from './shell.tsx';
import { texts } from './texts.ts';

/** A key that works, and its store. */
interface OpenStore {
  key: string;
  client: Client;
  replaceKey: (key: string) => void;
  store: StoreResponse;
}

const doorOf = async (key: string): Promise<OpenStore> => {
  if (!/^[!-~]+$/.test(key)) throw new NoKeyError();
  const connection = connect(key);
  return { key, ...connection, store: await connection.client.get('/v1/store') };
};

/** Undefined for a key that no longer works. */
const findDoor = (key: string): Promise<OpenStore | undefined> =>
  doorOf(key).catch((error) => {
    if (isNoKey(error)) return undefined;
    throw error;
  });

const sessionOf = (client: Client, store: StoreResponse, refresh: () => Promise<void>): Session => ({
  client,
  store,
  can: (...scopes) => scopes.every((scope) => store.key.scopes.includes(scope)),
  refresh,
});

/** The desk: asks for a key, or shows what the key opens. */
const Desk = ({ opened, kept }: Omit<Keys, 'invitation'>) => {
  const [session, setSession] = useState<Session>();
  const [door, setDoor] = useState<OpenStore>();
  const [hasEnded, setEnded] = useState(false);
  const [isTrying, setTrying] = useState(opened !== undefined || kept !== undefined);
  const [failed, setFailed] = useState<unknown>();
  /** The stores that the kept key and the link to another store open. */
  const [own, setOwn] = useState<OpenStore>();
  const [other, setOther] = useState<OpenStore>();

  const enter = (opening: OpenStore, how?: Parameters<typeof saveKey>[1]): void => {
    const { key, client, store } = opening;
    setDoor(opening);
    setEnded(false);
    const refresh = async () => setSession(sessionOf(client, await client.get('/v1/store'), refresh));
    setSession(sessionOf(client, store, refresh));
    saveKey(key, how);
  };
  const enterByLink = (door: OpenStore): void => enter(door, { nameInLink: door.store.key.name });

  /** A link to another store than the kept key's may come from a stranger, so the person is asked first. */
  const follow = async (link: string): Promise<void> => {
    const before = kept === undefined || kept === link ? undefined : await findDoor(kept);
    setOwn(before);
    const door = await doorOf(link);
    if (before && before.store.id !== door.store.id) setOther(door);
    else enterByLink(door);
  };
  const begin = async (): Promise<void> => {
    if (opened !== undefined) await follow(opened);
    else if (kept !== undefined) enter(await doorOf(kept));
  };
  useEffect(() => {
    begin()
      .catch(setFailed)
      .finally(() => setTrying(false));
  }, []);

  useEffect(() => onKey('ended', () => setEnded(true)), []);
  /** Goes on with another key of the same store, and answers why not where it cannot. */
  const goOnWith = async (key: string): Promise<string | undefined> => {
    const own = session?.store.name ?? '';
    const { store } = await doorOf(key);
    if (store.id !== session?.store.id) return texts.signIn.again.other(store.name, own);
    door?.replaceKey(key);
    keepInstead(key);
    await session.refresh();
    setEnded(false);
    tellOfKey('replaced');
    return undefined;
  };

  if (session)
    return (
      <SessionContext.Provider value={session}>
        <Toasts>
          <Shell />
          {hasEnded && <SignInAgain goOn={goOnWith} onClose={() => setEnded(false)} />}
        </Toasts>
      </SessionContext.Provider>
    );
  if (isTrying) return <Waiting />;
  const goOn = own && { store: own.store, enter: () => enter(own) };
  if (goOn && other) return <ChooseStore own={goOn} other={{ store: other.store, enter: () => enterByLink(other) }} />;
  const signIn = async (key: string, remember: boolean) => enter(await doorOf(key), { remember });
  return <SignIn signIn={signIn} failed={failed} own={goOn} />;
};

const InvitationPage = later(async () => (await import('./pages/invitation.tsx')).InvitationPage);

/** Loads the page again, which then signs in with the key of an accepted invitation. */
const enterWith = (key: string, remember: boolean): void => {
  saveKey(key, { remember });
  location.reload();
};

/** Shows the desk, or an invitation to it. */
export const start = ({ invitation, ...keys }: Keys, developer?: Developer): void =>
  render(
    <DeveloperContext.Provider value={developer}>
      {invitation === undefined ? (
        <Desk {...keys} />
      ) : (
        <Toasts>
          <InvitationPage code={invitation} onEnter={enterWith} />
        </Toasts>
      )}
    </DeveloperContext.Provider>,
    document.body,
  );
