import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { FaultBox, Show, useLoad, usePress } from '../parts/load.tsx';
import { keptKey, openWithKey, useSession } from '../session.ts';
import { askToLeave } from '../unsaved.ts';
import { texts } from './frame.ts';
import { tool } from './tools.ts';

const t = texts.stores;

interface Store {
  id: string;
  name: string;
}

/** A key with all scopes for a store of this machine; by default for the demo store. */
const keyFor = async (store?: string): Promise<string> =>
  (await tool<{ key: string }>('sign-in', store === undefined ? {} : { store })).key;

const readStores = async (): Promise<Store[]> => (await tool<{ stores: Store[] }>('stores')).stores;

const works = async (key: string): Promise<boolean> => (await fetch('/v1/store', { headers: { 'X-API-Key': key } })).ok;

/** The key of the tab if it works, otherwise the demo store's. A service in memory forgets its keys when it ends. */
export const workingKey = async (key: string | undefined): Promise<string> =>
  key !== undefined && (await works(key)) ? key : keyFor();

/** Loads the desk again if the service has forgotten the tab's key. */
export const renewKey = async (): Promise<void> => {
  const key = keptKey();
  const working = await workingKey(key);
  if (working !== key) openWithKey(working, location.hash);
};

/** Loads the desk again for a store, so that nothing of the earlier store stays in memory. */
const openStore = async (store: string, hash = '#/'): Promise<void> => openWithKey(await keyFor(store), hash);

/** Creates a store and opens it. */
const NewStore = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t.create} onClose={onClose}>
    <Form
      submit={t.createIt}
      onCancel={onClose}
      onSend={async ({ name = '' }) => openStore((await tool<Store>('stores', { name })).id)}
    >
      <Field name="name" label={t.name} help={t.nameHelp} maxLength={100} autoFocus />
    </Form>
  </Dialog>
);

const another = '+';

/** The store's name as a choice among all stores of this machine. */
export const Switcher = () => {
  const { store } = useSession();
  const [stores, setStores] = useState<readonly Store[]>([store]);
  const [isCreating, setCreating] = useState(false);
  const wanted = useRef(store.id);
  const { press, fault } = usePress(() => openStore(wanted.current));
  // `store create` in a terminal makes stores while the page is open.
  const refresh = () => void readStores().then(setStores, () => undefined);
  useEffect(refresh, []);
  return (
    <>
      <select
        class="switcher"
        aria-label={t.label}
        value={store.id}
        onFocus={refresh}
        onChange={({ currentTarget }) => {
          wanted.current = currentTarget.value;
          currentTarget.value = store.id;
          if (wanted.current === another) setCreating(true);
          else askToLeave(press);
        }}
      >
        {stores.map(({ id, name }) => (
          <option key={id} value={id}>
            {stores.some((other) => other.id !== id && other.name === name) ? `${name} (${id})` : name}
          </option>
        ))}
        <option value={another}>{t.create}…</option>
      </select>
      {fault && <FaultBox fault={fault} />}
      {isCreating && <NewStore onClose={() => setCreating(false)} />}
    </>
  );
};

const Open = ({ id, name }: Store) => {
  const { press, isBusy, fault } = usePress(() => openStore(id));
  return (
    <li>
      <button type="button" class="button" aria-disabled={isBusy} onClick={press}>
        {t.open(name)}
      </button>
      {fault && <FaultBox fault={fault} />}
    </li>
  );
};

/** On the sign-in page: the stores of this machine, which need no key to be pasted. */
export const Stores = () => {
  const stores = useLoad(readStores, []);
  const [isCreating, setCreating] = useState(false);
  return (
    <section class="card" aria-labelledby="stores">
      <h2 id="stores">{t.title}</h2>
      <Show of={stores}>
        {(found) => (
          <ul class="stores">
            {found.map((store) => (
              <Open key={store.id} {...store} />
            ))}
            <li>
              <button type="button" class="button is-quiet" onClick={() => setCreating(true)}>
                {t.create}…
              </button>
            </li>
          </ul>
        )}
      </Show>
      <p class="help">{t.help}</p>
      {isCreating && <NewStore onClose={() => setCreating(false)} />}
    </section>
  );
};
