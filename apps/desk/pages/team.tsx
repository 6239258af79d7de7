import { useState } from 'preact/hooks';
import type { KeyResponse, KeySecretResponse } from '../../client/client.ts';
import { link } from '../address.ts';
import { ago, date, time } from '../format.ts';
import { covers, endsSoon, isCurrent, isOfPerson } from '../keys.ts';
import { type Action, menuColumn } from '../parts/actions.tsx';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { State, Table } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { type Session, useSession } from '../session.ts';
import { rightsOf } from '../words/key.ts';
import { t } from './team.texts.ts';
import { Invite, Made, NewKey, Rename, Renew, Revoke } from './team-forms.tsx';

interface ListProps {
  all: readonly KeyResponse[];
  reload: () => void;
  onMade: (made: KeySecretResponse) => void;
}

/** The acts on keys that the person's own key covers. Nobody revokes their own. */
const keyMenu =
  ({ store, can }: Session, props: ListProps) =>
  (of: KeyResponse) => {
    const may = can('keys:write') && covers(store.key.scopes, of.scopes) && of.state !== 'revoked';
    const opens = (Opened: typeof Renew, text: string): Action => ({
      text,
      opens: (onClose) => <Opened of={of} {...props} onClose={onClose} />,
    });
    return {
      of: of.name,
      all: [
        can('journal:read') && { text: t.did, to: link('/journal', { who: of.id }) },
        may && of.state === 'active' && opens(Renew, t.renew.open),
        may && opens(Rename, t.rename.open),
        may && of.id !== store.key.id && opens(Revoke, t.revoke.open),
      ],
    };
  };

const issuerOf = ({ issuedBy, createdAt, replaces }: KeyResponse): string => {
  if (issuedBy) return t.by(issuedBy.name, date(createdAt));
  return replaces ? t.made(date(createdAt)) : t.byOperator;
};

const Moment = ({ at }: { at: string | null }) => (at === null ? t.never : <time title={time(at)}>{ago(at)}</time>);

const tones = { invited: 'warn', active: 'good', rotated: 'warn', expired: 'plain', revoked: 'plain' } as const;

const columnsOf = (session: Session, props: ListProps): readonly Column<KeyResponse>[] => [
  {
    heading: t.name,
    cell: (key) => (
      <span>
        <b>{key.name}</b> {key.id === session.store.key.id && <State tone="good">{t.you}</State>}
        <br />
        <span class="help">{issuerOf(key)}</span>
      </span>
    ),
  },
  { heading: t.may, cell: (key) => <span title={key.scopes.join(', ')}>{rightsOf(key)}</span> },
  { heading: t.lastUsed, inRow: 'label', cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { heading: t.ends, inRow: 'label', cell: ({ expiresAt, endedAt }) => <Moment at={endedAt ?? expiresAt} /> },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state, invitedUntil }) => (
      <State tone={tones[state]}>
        {t.states[state]}
        {state === 'invited' && invitedUntil && ` ${t.until(date(invitedUntil))}`}
      </State>
    ),
  },
  menuColumn(keyMenu(session, props)),
];

const Keys = ({ title, empty, keys, ...props }: ListProps & { title: string; empty: string; keys: KeyResponse[] }) => {
  const session = useSession();
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      <Table caption={title} columns={columnsOf(session, props)} rows={keys} keyOf={({ id }) => id} empty={empty} />
    </section>
  );
};

/** Who has a key, and what keys exist: people and objects apart. */
export const TeamPage = () => {
  const { client, can } = useSession();
  const [open, setOpen] = useState<'invite' | 'issue'>();
  const [made, setMade] = useState<KeySecretResponse>();
  const [showsEnded, setShowsEnded] = useState(false);
  const keys = useLoad(async (signal) => {
    const all: KeyResponse[] = [];
    for await (const key of client.rows('/v1/keys', { query: { limit: 1000 }, signal })) all.push(key);
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }, []);
  const making = { reload: keys.reload, onMade: setMade, onClose: () => setOpen(undefined) };
  return (
    <>
      <Heading title={t.title}>
        {can('keys:write') && (
          <>
            <button type="button" class="button is-main" onClick={() => setOpen('invite')}>
              {t.invite.open}
            </button>
            <button type="button" class="button" onClick={() => setOpen('issue')}>
              {t.issue.open}
            </button>
          </>
        )}
      </Heading>
      <p class="help intro">{can('keys:write') ? t.intro : `${t.intro} ${t.readOnly}`}</p>
      {open === 'invite' && <Invite {...making} />}
      {open === 'issue' && <NewKey {...making} />}
      {made && <Made of={made} onClose={() => setMade(undefined)} />}
      <Show of={keys}>
        {(all) => {
          const shown = showsEnded ? all : all.filter(isCurrent);
          const ended = all.filter((key) => !isCurrent(key)).length;
          const props = { all, reload: keys.reload, onMade: setMade };
          return (
            <div class="stack">
              {all.filter(endsSoon).map(({ id, name, expiresAt }) => (
                <p key={id} class="notice is-warn">
                  {t.endsSoon(name, ago(expiresAt ?? ''))}
                </p>
              ))}
              <Keys {...props} title={t.people} empty={t.noPeople} keys={shown.filter(isOfPerson)} />
              <Keys {...props} title={t.objects} empty={t.noObjects} keys={shown.filter((key) => !isOfPerson(key))} />
              {ended > 0 && (
                <p>
                  <button type="button" class="button is-quiet" onClick={() => setShowsEnded(!showsEnded)}>
                    {showsEnded ? t.hideEnded : t.showEnded(ended)}
                  </button>
                </p>
              )}
            </div>
          );
        }}
      </Show>
    </>
  );
};
