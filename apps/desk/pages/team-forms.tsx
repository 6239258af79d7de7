import { useState } from 'preact/hooks';
import type { KeyResponse, KeySecretResponse } from '../../client/client.ts';
import { coversPreset, endAfter, invitationLink, isOfPerson, madeBy, peoplePresets } from '../keys.ts';
import { forgetName } from '../names.ts';
import { notecardOf, type ObjectPreset, objectOf } from '../notecard.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form, type Values } from '../parts/form.tsx';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
import { peopleRights, rightsOf } from '../words/key.ts';
import { t } from './team.texts.ts';

type PeoplePreset = (typeof peoplePresets)[number];

interface DialogProps {
  onClose: () => void;
  reload: () => void;
}

interface MakingProps extends DialogProps {
  /** Called with a key or an invitation, whose text no later answer has. */
  onMade: (made: KeySecretResponse) => void;
}

/** The life of a key. One that makes keys must end. */
const lifeOptions = (isOwner: boolean) => (isOwner ? t.days : [...t.days, t.unlimited]);

const endOf = ({ days }: Values) => {
  const expiresAt = endAfter(days);
  return expiresAt === undefined ? {} : { expiresAt };
};

export const Invite = ({ onMade, reload, onClose }: MakingProps) => {
  const { client, store } = useSession();
  const [preset, setPreset] = useState<PeoplePreset>('support');
  const offered = peoplePresets.filter((name) => coversPreset(store.key.scopes, name));
  return (
    <Dialog title={t.invite.open} onClose={onClose}>
      <Form
        submit={t.invite.submit}
        onCancel={onClose}
        onValues={(values) => setPreset(values.preset as PeoplePreset)}
        onSend={async (values) => {
          const { name = '', inviteHours } = values;
          const body = {
            name,
            preset: values.preset as PeoplePreset,
            inviteHours: Number(inviteHours),
            ...endOf(values),
          };
          const made = await client.post('/v1/keys', { body });
          onClose();
          reload();
          onMade(made);
        }}
      >
        <Field name="name" label={t.invite.name} maxLength={255} autoFocus />
        <Field
          name="preset"
          label={t.invite.may}
          options={offered.map((name) => [name, peopleRights[name][0]])}
          help={peopleRights[preset][1]}
          initial="support"
        />
        <div class="pair">
          <Field
            key={preset === 'all'}
            name="days"
            label={t.invite.life}
            options={lifeOptions(preset === 'all')}
            initial="365"
          />
          <Field name="inviteHours" label={t.invite.link} options={t.invite.links} initial="72" />
        </div>
      </Form>
    </Dialog>
  );
};

export const NewKey = ({ onMade, reload, onClose }: MakingProps) => {
  const { client, store } = useSession();
  const offered = (Object.keys(t.issue.objects) as ObjectPreset[]).filter((name) =>
    coversPreset(store.key.scopes, name),
  );
  return (
    <Dialog title={t.issue.open} onClose={onClose}>
      <Form
        submit={t.issue.submit}
        onCancel={onClose}
        onSend={async (values) => {
          const { name = '' } = values;
          const body = { name, preset: values.preset as ObjectPreset, ...endOf(values) };
          const made = await client.post('/v1/keys', { body });
          onClose();
          reload();
          onMade(made);
        }}
      >
        <Field name="name" label={t.issue.name} maxLength={255} autoFocus />
        <Field
          name="preset"
          label={t.issue.may}
          options={offered.map((name) => [name, t.issue.objects[name]])}
          initial="vendor"
        />
        <Field name="days" label={t.issue.life} options={lifeOptions(false)} initial="365" />
      </Form>
    </Dialog>
  );
};

/** Shows the link of an invitation, or a key with its notecard. No later answer has them. */
export const Made = ({ of, onClose }: { of: KeySecretResponse; onClose: () => void }) => {
  const { store } = useSession();
  const object = objectOf[of.preset as ObjectPreset];
  const notecard = object && notecardOf(object, { title: `${of.name}: ${store.name}`, key: of.key ?? '' });
  const link = of.code === null ? undefined : invitationLink(of);
  return (
    <Dialog title={(link ? t.invite : t.issue).done(of.name)} onClose={onClose}>
      <div class="form">
        <p>{link ? t.invite.text : notecard ? t.issue.text : t.issue.textAlone}</p>
        <pre>
          <code>{link ?? notecard ?? of.key}</code>
        </pre>
        <div class="buttons">
          {link && <Copy text={link} label={t.invite.copy} said={t.invite.copied} />}
          {notecard && <Copy text={notecard} label={t.issue.copyNotecard} said={t.issue.copiedNotecard} />}
          {of.key && <Copy text={of.key} label={t.issue.copyKey} said={t.issue.copiedKey} />}
          <button type="button" class="button is-main" onClick={onClose}>
            {t.done}
          </button>
        </div>
      </div>
    </Dialog>
  );
};

export interface KeyDialogProps extends MakingProps {
  of: KeyResponse;
  /** All keys of the store. */
  all: readonly KeyResponse[];
}

export const Renew = ({ of, onMade, reload, onClose }: KeyDialogProps) => {
  const { client } = useSession();
  return (
    <Dialog title={t.renew.title(of.name)} onClose={onClose}>
      <Form
        submit={t.renew.submit}
        onCancel={onClose}
        onSend={async ({ overlapHours }) => {
          const body = { overlapHours: Number(overlapHours) };
          const made = await client.post('/v1/keys/{keyId}/actions/rotate', { path: { keyId: of.id }, body });
          onClose();
          reload();
          onMade(made);
        }}
      >
        <p>{t.renew.text}</p>
        <Field name="overlapHours" label={t.renew.overlap} options={t.renew.overlaps} initial="24" />
      </Form>
    </Dialog>
  );
};

export const Rename = ({ of, reload, onClose }: KeyDialogProps) => {
  const { client, refresh, store } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.of(t.rename.open, of.name)} onClose={onClose}>
      <Form
        submit={t.rename.submit}
        onCancel={onClose}
        onSend={async ({ name = '' }) => {
          const renamed = await client.put('/v1/keys/{keyId}', { path: { keyId: of.id }, body: { name } });
          onClose();
          reload();
          forgetName(of.id);
          if (store.key.id === of.id) await refresh();
          say(t.rename.done(renamed.name));
        }}
      >
        <Field name="name" label={t.rename.name} initial={of.name} maxLength={255} autoFocus />
      </Form>
    </Dialog>
  );
};

const harmOf = (key: KeyResponse): string => {
  if (key.state === 'invited') return t.revoke.invited(key.name);
  return isOfPerson(key) ? t.revoke.person(key.name) : t.revoke.object(key.name);
};

/**
 * Revokes a key and the keys that it has issued. It comes first, so that it can make no more. Keys that it has made
 * since the list was read are revoked too: nobody has left them out.
 */
export const Revoke = ({ of, all, reload, onClose }: KeyDialogProps) => {
  const { client, store } = useSession();
  const say = useSay();
  const made = madeBy(all, of.id).filter(({ id }) => id !== store.key.id);
  const send = async (values: Values) => {
    await client.post('/v1/keys/{keyId}/actions/revoke', { path: { keyId: of.id } });
    const kept = new Set(made.flatMap(({ id }) => (values[`of:${id}`] === 'on' ? [] : [id])));
    const present: KeyResponse[] = [];
    for await (const key of client.rows('/v1/keys', { query: { limit: 1000 } })) present.push(key);
    const also = madeBy(present, of.id).filter(({ id }) => !kept.has(id) && id !== store.key.id);
    let done = 1;
    for (const { id } of also)
      await client
        .post('/v1/keys/{keyId}/actions/revoke', { path: { keyId: id } })
        .then(() => {
          done += 1;
        })
        .catch(() => undefined);
    onClose();
    reload();
    say(done > also.length ? t.revoke.done(done) : t.revoke.partly(done, also.length + 1 - done));
  };
  return (
    <Dialog title={t.revoke.title(of.name)} onClose={onClose}>
      <Form submit={t.revoke.submit} isDangerous isUnguarded onCancel={onClose} onSend={send}>
        <p>{harmOf(of)}</p>
        {made.length > 0 && (
          <fieldset>
            <legend>{t.revoke.made}</legend>
            {made.map((key) => (
              <Field
                key={key.id}
                name={`of:${key.id}`}
                label={`${key.name} (${rightsOf(key)})`}
                type="checkbox"
                isChecked
              />
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  );
};
