import { useState } from 'preact/hooks';
import { link, useForm } from '../address.ts';
import { ago, chooseZone, chosenZone, time } from '../format.ts';
import { importKinds, importScopes } from '../import/kinds.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { State } from '../parts/list.tsx';
import { FaultBox, usePress } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { endTheKey, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './settings.texts.ts';

const d = t.door;

/** Closes or opens the store. */
const StoreDoor = () => {
  const { client, store, refresh } = useSession();
  const say = useSay();
  const closing = useForm('close');
  const opening = usePress(async () => {
    await client.post('/v1/store/actions/open');
    await refresh();
    say(d.opened);
  });
  return (
    <>
      {opening.fault && <FaultBox fault={opening.fault} />}
      {store.open ? (
        <button type="button" class="button" onClick={closing.open}>
          {d.close}
        </button>
      ) : (
        <button type="button" class="button is-main" aria-disabled={opening.isBusy} onClick={opening.press}>
          {d.open}
        </button>
      )}
      {closing.isOpen && store.open && (
        <Dialog title={d.close} onClose={closing.close}>
          <Form
            submit={d.close}
            isDangerous
            onCancel={closing.close}
            onSend={async ({ reason }) => {
              await client.post('/v1/store/actions/close', { body: { ...(reason && { reason }) } });
              closing.close();
              await refresh();
              say(d.closedSaid);
            }}
          >
            <p>{d.closeText}</p>
            <Field name="reason" label={d.closeReason} maxLength={200} />
          </Form>
        </Dialog>
      )}
    </>
  );
};

const StoreFacts = () => {
  const { store, can } = useSession();
  return (
    <section class="card stack" aria-labelledby="store">
      <h2 id="store">{t.store}</h2>
      <dl class="facts">
        <div>
          <dt>{t.name}</dt>
          <dd>{store.name}</dd>
        </div>
        <div>
          <dt>{t.state}</dt>
          <dd>
            <State tone={store.open ? 'good' : 'warn'}>{store.open ? t.isOpen : t.isClosed}</State>
          </dd>
        </div>
      </dl>
      {can('store:write') && (
        <div class="buttons">
          <StoreDoor />
        </div>
      )}
    </section>
  );
};

/** The key that signed in, what it may do, and its end. */
const Key = () => {
  const session = useSession();
  const { name, scopes, expiresAt } = session.store.key;
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card stack" aria-labelledby="key">
      <h2 id="key">{t.key}</h2>
      <dl class="facts">
        <div>
          <dt>{t.keyName}</dt>
          <dd>{name}</dd>
        </div>
        <div>
          <dt>{t.ends}</dt>
          <dd>{expiresAt === null ? t.never : <time title={time(expiresAt)}>{ago(expiresAt)}</time>}</dd>
        </div>
      </dl>
      <details>
        <summary>{t.scopes(scopes.length)}</summary>
        <ul class="words">
          {scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </details>
      <div class="buttons">
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {t.end.open}
        </button>
        {session.can('keys:read') && (
          <a class="button" href={link('/team')}>
            {texts.titles.team}
          </a>
        )}
      </div>
      {isAsking && (
        <Dialog title={t.end.open} onClose={() => setAsking(false)}>
          <Form submit={t.end.open} isDangerous onCancel={() => setAsking(false)} onSend={() => endTheKey(session)}>
            <p>{t.end.text(name)}</p>
          </Form>
        </Dialog>
      )}
    </section>
  );
};

const Imports = () => {
  const { can } = useSession();
  const open = importKinds.filter((kind) => can(...importScopes[kind]));
  if (open.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="import">
      <h2 id="import">{t.import}</h2>
      <p class="help">{t.importHelp}</p>
      <div class="buttons">
        {open.map((kind) => (
          <a key={kind} class="button" href={link(`/import/${kind}`)}>
            {texts.imports[kind]}
          </a>
        ))}
      </div>
    </section>
  );
};

/** The time zone for times on this device. Sums are always of days in UTC. */
const Times = () => (
  <section class="card stack" aria-labelledby="times">
    <h2 id="times">{t.times.title}</h2>
    <label class="filter">
      <span>{t.times.zone}</span>
      <select value={chosenZone()} onChange={({ currentTarget }) => chooseZone(currentTarget.value)}>
        {Object.entries(t.times.zones).map(([zone, text]) => (
          <option key={zone} value={zone}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <p class="help">{t.times.help}</p>
  </section>
);

export const SettingsPage = () => (
  <>
    <Heading title={texts.titles.settings} />
    <div class="stack home">
      <StoreFacts />
      <Imports />
      <Times />
      <Key />
    </div>
  </>
);
