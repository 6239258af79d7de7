import { useState } from 'preact/hooks';
import type { WebhookResponse, WebhookSecretResponse } from '../../client/client.ts';
import { link } from '../address.ts';
import { count } from '../format.ts';
import { type Action, Actions } from '../parts/actions.tsx';
import { Heading } from '../parts/heading.tsx';
import { type Column, List, State } from '../parts/list.tsx';
import { FaultBox, type PressState, usePress } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSay } from '../parts/toast.tsx';
import { useSession } from '../session.ts';
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

/** Sends a test, and says how it ended. */
const useTest = (webhook: WebhookResponse): PressState => {
  const { client } = useSession();
  const say = useSay();
  const path = { id: webhook.id };
  return usePress(async () => {
    const { eventId } = await client.post('/v1/webhooks/{id}/actions/test', { path });
    for (let look = 0; look < looks; look += 1) {
      await pause();
      const { data } = await client.get('/v1/webhooks/{id}/deliveries', { path, query: { limit: 10 } });
      const sent = data.find((delivery) => delivery.eventId === eventId);
      if (sent?.state === 'delivered') return say(t.test.arrived(nameOf(webhook)));
      if (sent && sent.attempts > 0)
        return say(t.test.failed(failureWords(sent.lastError ?? String(sent.status ?? ''))));
    }
    say(t.test.underWay);
  });
};

interface ActionsProps {
  webhook: WebhookResponse;
  reload: () => void;
  onMade: (made: WebhookSecretResponse) => void;
}

const dialogs = { edit: EditWebhook, rotate: RotateSecret, end: EndWebhook };

const WebhookActions = ({ webhook, reload, onMade }: ActionsProps) => {
  const testing = useTest(webhook);
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const Opened = open && dialogs[open];
  const opens = (name: keyof typeof dialogs, text: string): Action => ({
    text,
    label: t.of(text, nameOf(webhook)),
    press: () => setOpen(name),
  });
  return (
    <div class="actions">
      <Actions
        of={nameOf(webhook)}
        all={[
          webhook.state === 'active' && {
            text: testing.isBusy ? t.test.busy : t.test.open,
            label: t.of(t.test.open, nameOf(webhook)),
            press: testing.press,
            isBusy: testing.isBusy,
          },
          opens('edit', t.edit),
          webhook.format === 'standard' && opens('rotate', t.rotate.open),
          opens('end', t.end.open),
        ]}
      />
      {testing.fault && <FaultBox fault={testing.fault} />}
      {Opened && <Opened webhook={webhook} reload={reload} onMade={onMade} onClose={() => setOpen(undefined)} />}
    </div>
  );
};

const columnsOf = (props: Omit<ActionsProps, 'webhook'>): readonly Column<WebhookResponse>[] => [
  {
    heading: t.name,
    cell: (webhook) => (
      <span>
        <a href={link(`/webhooks/${webhook.id}`)}>{nameOf(webhook)}</a>{' '}
        {webhook.description && <span class="help">{new URL(webhook.url).host}</span>}
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
  {
    heading: t.actions,
    inRow: 'main',
    isTool: true,
    cell: (webhook) => <WebhookActions webhook={webhook} {...props} />,
  },
];

export const WebhooksPage = () => {
  const { client } = useSession();
  const say = useSay();
  const [creating, setCreating] = useState<WebhookResponse['format']>();
  const [secret, setSecret] = useState<WebhookSecretResponse>();
  // Discord checks no signature.
  const onMade = (made: WebhookSecretResponse): void => {
    if (made.format === 'discord') say(t.madeDiscord);
    else setSecret(made);
  };
  const webhooks = useList({
    columns: (reload) => columnsOf({ reload, onMade }),
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
      {secret && <Secret of={secret} onClose={() => setSecret(undefined)} />}
      <List of={webhooks} file="webhooks" caption={t.caption} empty={t.none} />
    </>
  );
};
