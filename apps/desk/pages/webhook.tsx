import type { WebhookDeliveryResponse } from '../../client/client.ts';
import { useAddress } from '../address.ts';
import { ago, count } from '../format.ts';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { Filter, List, State } from '../parts/list.tsx';
import { Show, useLoad } from '../parts/load.tsx';
import { useList } from '../parts/rows.ts';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { eventNames } from '../words/event.ts';
import { failureWords } from '../words/failure.ts';
import { t } from './webhook.texts.ts';
import { nameOf } from './webhooks.tsx';

const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;

const columns: readonly Column<WebhookDeliveryResponse>[] = [
  {
    heading: t.sent.type,
    cell: ({ type }) => (type === 'webhook.ping' ? t.sent.test : eventNames[type]),
    value: ({ type }) => type,
  },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={tones[state]}>{t.sent.states[state]}</State>,
    value: ({ state }) => t.sent.states[state],
  },
  {
    heading: t.sent.attempts,
    cell: ({ attempts }) => count(attempts),
    value: ({ attempts }) => attempts,
    sort: { name: 'attempts', kind: 'size' },
    isNumber: true,
  },
  {
    heading: t.sent.error,
    cell: ({ lastError }) => failureWords(lastError ?? '–'),
    value: ({ lastError }) => failureWords(lastError ?? ''),
  },
  {
    heading: t.sent.next,
    inRow: 'label',
    cell: ({ nextAt }) => (nextAt === null ? '–' : ago(nextAt)),
    value: ({ nextAt }) => nextAt,
    sort: { name: 'next', kind: 'time' },
  },
];

const isState = (text: string | undefined): text is WebhookDeliveryResponse['state'] =>
  Object.hasOwn(tones, text ?? '');

/** The messages that were sent to a webhook. */
export const WebhookPage = ({ id }: { id: string }) => {
  const { client } = useSession();
  const { query } = useAddress();
  const path = { id };
  const filters = isState(query.state) ? { state: query.state } : {};
  const webhook = useLoad((signal) => client.get('/v1/webhooks/{id}', { path, signal }), [id]);
  const sent = useList({
    columns: () => columns,
    keyOf: (row) => row.id,
    read: (page, signal) =>
      client.get('/v1/webhooks/{id}/deliveries', { path, query: { ...filters, ...page }, signal }),
  });
  return (
    <Show of={webhook}>
      {(found) => (
        <>
          <Heading title={nameOf(found)}>
            <State tone={found.state === 'active' ? 'good' : 'warn'}>{t.states[found.state]}</State>
          </Heading>
          <p class="identity">
            <span class="text">{new URL(found.url).host}</span>
          </p>
          <div class="filters">
            <Filter name="state" label={t.state} options={[['', texts.list.all], ...Object.entries(t.sent.states)]} />
          </div>
          <List of={sent} file="webhook-deliveries" caption={t.sent.caption} empty={t.sent.none} />
        </>
      )}
    </Show>
  );
};
