import { useState } from 'preact/hooks';
import type { WebhookResponse, WebhookSecretResponse } from '../../client/client.ts';
import { link } from '../address.ts';
import { count } from '../format.ts';
import { type Action, Actions, menuColumn } from '../parts/actions.tsx';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { List, State } from '../parts/list.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { type Session, useSession } from '../session.ts';
import { eventNames } from '../words/event.ts';
import { failureWords } from '../words/failure.ts';
import { t } from './webhook.texts.ts';
import { EditWebhook, EndWebhook, NewWebhook, RotateSecret, Secret } from './webhook-forms.tsx';

const pauseMillis = 500;
/** The result of a test is looked up this many times. */
const looks = 30;

const pause = (): Promise<void> => new Promise((end) => setTimeout(end, pauseMillis));

export const nameOf = ({ description, url }: WebhookResponse): string =>
  description || (URL.canParse(url) ? new URL(url).host : url);

interface MenuProps {
  session: Session;
  say: ReturnType<typeof useSay>;
  reload: () => void;
  onMade: (made: WebhookSecretResponse) => void;
}

/** Sends a test, and says how it ended. */
const sendTest = async (
  { session: { client }, say }: Pick<MenuProps, 'session' | 'say'>,
  webhook: WebhookResponse,
): Promise<void> => {
  const path = { id: webhook.id };
  say(t.test.busy);
  const { eventId } = await client.post('/v1/webhooks/{id}/actions/test', { path });
  for (let look = 0; look < looks; look += 1) {
    await pause();
    const { data } = await client.get('/v1/webhooks/{id}/deliveries', { path, query: { limit: 10 } });
    const sent = data.find((delivery) => delivery.eventId === eventId);
    if (sent?.state === 'delivered') return say(t.test.arrived(nameOf(webhook)));
    if (sent && sent.attempts > 0) return say(t.test.failed(failureWords(sent.lastError ?? String(sent.status ?? ''))));
  }
  say(t.test.underWay);
};

const menuOf = (props: MenuProps) => (webhook: WebhookResponse) => {
  const { reload, onMade } = props;
  const opens = (Opened: typeof RotateSecret, text: string): Action => ({
    text,
    opens: (onClose) => <Opened webhook={webhook} reload={reload} onMade={onMade} onClose={onClose} />,
  });
  return {
    of: nameOf(webhook),
    id: webhook.id,
    all: [
      webhook.state === 'active' && { text: t.test.open, press: () => sendTest(props, webhook) },
      opens(EditWebhook, t.edit),
      webhook.format === 'standard' && opens(RotateSecret, t.rotate.open),
      opens(EndWebhook, t.end.open),
    ],
  };
};

const columnsOf = (props: MenuProps): readonly Column<WebhookResponse>[] => [
  {
    heading: t.name,
    cell: (webhook) => (
      <span class="name">
        <span>
          <a href={link(`/webhooks/${webhook.id}`)}>{nameOf(webhook)}</a>
          {webhook.description && <span class="help">{new URL(webhook.url).host}</span>}
        </span>
      </span>
    ),
    value: nameOf,
  },
  { heading: t.format, cell: ({ format }) => t.formats[format], value: ({ format }) => t.formats[format] },
  {
    heading: t.events,
    cell: ({ events }) => (
      <span title={events.map((name) => eventNames[name] ?? name).join(', ')}>{count(events.length)}</span>
    ),
    value: ({ events }) => events.join(' '),
    isNumber: true,
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={state === 'active' ? 'good' : 'warn'}>{t.states[state]}</State>,
    value: ({ state }) => t.states[state],
  },
  menuColumn(menuOf(props)),
];

export const WebhooksPage = () => {
  const session = useSession();
  const { client } = session;
  const say = useSay();
  const [creating, setCreating] = useState<WebhookResponse['format']>();
  const [made, onMade] = useState<WebhookSecretResponse>();
  const webhooks = useList({
    columns: (reload) => columnsOf({ session, say, reload, onMade }),
    keyOf: ({ id }) => id,
    read: (query, signal) => client.get('/v1/webhooks', { query, signal }),
  });
  return (
    <>
      <Heading title={t.title}>
        <button type="button" class="button is-main" onClick={() => setCreating('discord')}>
          {t.create.discord}
        </button>
        <button type="button" class="button" onClick={() => setCreating('standard')}>
          {t.create.standard}
        </button>
      </Heading>
      <p class="help intro">{t.intro}</p>
      {creating && (
        <NewWebhook format={creating} onMade={onMade} reload={webhooks.reload} onClose={() => setCreating(undefined)} />
      )}
      {/* Discord checks no signature. */}
      {made?.format === 'standard' && <Secret of={made} onClose={() => onMade(undefined)} />}
      {made?.format === 'discord' && (
        <div class="notice spaced" role="status">
          <p>{t.madeDiscord}</p>
          <Actions all={[{ text: t.test.open, press: () => sendTest({ session, say }, made) }]} />
        </div>
      )}
      <List of={webhooks} file="webhooks" caption={t.caption} empty={t.none} />
    </>
  );
};
