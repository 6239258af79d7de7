import { useEffect, useState } from 'preact/hooks';
import type { GiftCardResponse } from '../../client/client.ts';
import { go, link, pathSegment, useAddress } from '../address.ts';
import { takeAskedCard } from '../asked-card.ts';
import { noteRedeemed, shownWorth, useWorth } from '../card-worth.ts';
import { dayIn, endOfDay, isUuid } from '../format.ts';
import { type Action, menuColumn } from '../parts/actions.tsx';
import type { Column } from '../parts/column.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Heading } from '../parts/heading.tsx';
import { CustomerLink, Filter, List, Search, State, Table } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { t } from './gift-cards.texts.ts';

type CardState = 'redeemed' | 'ready' | 'disabled';
const cardState = ({ redeemed, active }: GiftCardResponse): CardState =>
  redeemed ? 'redeemed' : active ? 'ready' : 'disabled';
const tones = { redeemed: 'plain', ready: 'good', disabled: 'warn' } as const;

const Grant = ({ owner, onClose, onDone }: { owner: string; onClose: () => void; onDone: (owner: string) => void }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.grant.open} onClose={onClose}>
      <Form
        submit={t.grant.submit}
        onCancel={onClose}
        onSend={async ({ identifier = '', credit, transfer, reason, reference }) => {
          const card = await client.post('/v1/customers/{identifier}/actions/grant-gift-card', {
            path: { identifier: pathSegment(identifier) },
            body: {
              credit: Number(credit || Number.NaN),
              transfer: transfer === 'on',
              ...(reason && { reason }),
              ...(reference && { reference }),
            },
          });
          onClose();
          onDone(card.ownerUsername);
          say(t.grant.done(card.credit, card.ownerUsername));
        }}
      >
        <Field type="person" name="identifier" label={t.customer} initial={owner} autoFocus />
        <Field name="credit" label={t.grant.amount} type="number" min="1" />
        <Field name="transfer" label={t.grant.transfer} help={t.grant.transferHelp} type="checkbox" />
        <Field name="reason" label={t.reason} maxLength={200} />
        <Field name="reference" label={t.reference} maxLength={100} />
      </Form>
    </Dialog>
  );
};

interface CardProps {
  card: GiftCardResponse;
  reload: () => void;
}

const Redeem = ({ card, reload, onClose }: CardProps & { onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Dialog title={t.redeem.title(card.credit)} onClose={onClose}>
      <Form
        submit={t.redeem.submit}
        onCancel={onClose}
        onSend={async ({ identifier = '', expiresAt: day, reason }) => {
          const expiresAt = endOfDay(day);
          const { credit } = await client.post('/v1/giftcards/{id}/actions/redeem', {
            path: { id: card.id },
            body: { identifier, ...(expiresAt && { expiresAt }), ...(reason && { reason }) },
          });
          noteRedeemed(card);
          onClose();
          reload();
          say(t.redeem.done(card.credit, credit.username, credit.credit));
        }}
      >
        <Field
          name="identifier"
          type="person"
          label={t.redeem.who}
          help={card.transfer ? t.redeem.anybody : t.redeem.ownerOnly}
          initial={card.ownerUsername}
          autoFocus
        />
        <Field name="expiresAt" label={t.redeem.expires} type="date" min={dayIn(0)} />
        <Field name="reason" label={t.reason} maxLength={200} />
      </Form>
    </Dialog>
  );
};

const Disable = ({ card, reload, onClose }: CardProps & { onClose: () => void }) => {
  const { client } = useSession();
  const say = useSay();
  return (
    <Confirm
      title={t.disable.title(card.credit)}
      text={t.disable.text(card.ownerUsername, card.credit)}
      submit={t.disable.submit}
      onClose={onClose}
      onSend={async () => {
        await client.post('/v1/giftcards/{id}/actions/disable', { path: { id: card.id } });
        onClose();
        reload();
        say(t.disable.done(card.credit));
      }}
    />
  );
};

/** A card that is not ready can only be named. */
const menuOf =
  ({ can }: Session, reload: () => void) =>
  (card: GiftCardResponse) => {
    const opens = (Opened: typeof Redeem, text: string): Action => ({
      text,
      opens: (onClose) => <Opened card={card} reload={reload} onClose={onClose} />,
    });
    const isReady = cardState(card) === 'ready';
    return {
      of: t.of(card.credit, card.id),
      id: card.id,
      all: [
        isReady && can('giftcards:redeem') && opens(Redeem, t.redeem.open),
        isReady && can('giftcards:write') && opens(Disable, t.disable.open),
      ],
    };
  };

const giftCardColumns = (
  menu: ReturnType<typeof menuOf>,
  worthOf: ReturnType<typeof useWorth>,
): readonly Column<GiftCardResponse>[] => [
  { heading: t.amount, cell: (card) => <b>{shownWorth(worthOf(card))}</b>, value: worthOf },
  {
    heading: t.owner,
    cell: ({ ownerUuid, ownerUsername }) => <CustomerLink uuid={ownerUuid} name={ownerUsername} />,
    value: ({ ownerUsername }) => ownerUsername,
    sort: { name: 'owner', kind: 'text' },
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: (card) => <State tone={tones[cardState(card)]}>{t.states[cardState(card)]}</State>,
    value: cardState,
    sort: { name: 'state', kind: 'text' },
  },
  {
    heading: t.transfer,
    cell: ({ transfer }) => (transfer ? t.anybody : t.ownerOnly),
    value: ({ transfer }) => transfer,
    priority: 2,
  },
  { heading: t.id, cell: ({ id }) => <code>{id}</code>, value: ({ id }) => id },
  menuColumn(menu),
];

/** The filters of the list by state. */
const filterOf = {
  ready: { active: true, redeemed: false },
  redeemed: { redeemed: true },
  disabled: { active: false, redeemed: false },
} as const;

const CardsOf = ({ owner, round, reload }: { owner: string; round: number; reload: () => void }) => {
  const session = useSession();
  const { client } = session;
  const menu = menuOf(session, reload);
  const { query } = useAddress();
  const filters = filterOf[query.state as CardState] ?? {};
  const path = { identifier: owner };
  const cards = useList({
    // The worth of a redeemed card is read for the shown ones alone.
    columns: () => giftCardColumns(menu, ({ credit }) => credit),
    keyOf: ({ id }) => id,
    read: (page, signal) =>
      client.get('/v1/customers/{identifier}/giftcards', { path, query: { ...filters, ...page }, signal }),
    inputs: [round],
  });
  const worthOf = useWorth(cards.shown);
  return (
    <List
      of={cards}
      file="gift-cards"
      caption={t.caption}
      columns={giftCardColumns(menu, worthOf)}
      empty={query.state ? t.noneFits : t.none}
    />
  );
};

const OneCard = ({ id, round, reload }: { id: string; round: number; reload: () => void }) => {
  const session = useSession();
  const { client } = session;
  const card = useLoad((signal) => client.get('/v1/giftcards/{id}', { path: { id }, signal }), [id, round]);
  const worthOf = useWorth(card.value ? [card.value] : []);
  return (
    <Show of={card}>
      {(found) => (
        <Table
          caption={t.caption}
          columns={giftCardColumns(menuOf(session, reload), worthOf)}
          rows={[found]}
          keyOf={(row) => row.id}
          empty={t.none}
        />
      )}
    </Show>
  );
};

export const GiftCardsPage = () => {
  const { can } = useSession();
  const { path, query } = useAddress();
  const [isGranting, setGranting] = useState(false);
  const [round, setRound] = useState(0);
  const reload = () => setRound((last) => last + 1);
  const { owner } = query;
  // Anybody who knows the id of a card may redeem it. The address stays in the browser's history, so it must not
  // contain the id.
  const [card, setCard] = useState('');
  useEffect(() => setCard(takeAskedCard()), [owner]);
  const showCardsOf = (name: string): void => {
    setCard('');
    go(link(path, { owner: name }));
  };
  return (
    <>
      <Heading title={t.title}>
        {can('giftcards:write') && (
          <button type="button" class="button is-main" onClick={() => setGranting(true)}>
            {t.grant.open}
          </button>
        )}
      </Heading>
      {isGranting && (
        <Grant
          owner={owner ?? ''}
          onClose={() => setGranting(false)}
          onDone={(granted) => {
            showCardsOf(granted);
            reload();
          }}
        />
      )}
      <div class="filters">
        <Search name="owner" label={t.customer} of="person" own={{ text: owner ?? '', search: showCardsOf }} />
        <Search name="card" label={t.card} own={{ text: card, search: setCard }} />
        {owner && !card && (
          <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.states)]} />
        )}
      </div>
      {card ? (
        isUuid(card) ? (
          <OneCard id={card} round={round} reload={reload} />
        ) : (
          <p class="empty">{t.noId}</p>
        )
      ) : owner ? (
        <CardsOf owner={owner} round={round} reload={reload} />
      ) : (
        <p class="empty">{t.help}</p>
      )}
    </>
  );
};
