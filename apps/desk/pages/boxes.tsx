import type { DispenserResponse } from '../../client/client.ts';
import { link } from '../address.ts';
import { ago, count, time } from '../format.ts';
import type { Column } from '../parts/column.tsx';
import { Heading } from '../parts/heading.tsx';
import { List, State } from '../parts/list.tsx';
import { useList } from '../parts/rows.ts';
import { useSession } from '../session.ts';
import { texts } from '../texts.ts';
import { failureWords } from '../words/failure.ts';
import { t } from './boxes.texts.ts';

const columns: readonly Column<DispenserResponse>[] = [
  {
    heading: t.name,
    cell: ({ name }) => <b>{name}</b>,
    value: ({ name }) => name,
    sort: { name: 'name', kind: 'text' },
  },
  { heading: t.priority, cell: ({ priority }) => count(priority), value: ({ priority }) => priority, isNumber: true },
  { heading: t.region, cell: ({ region }) => region ?? '–', value: ({ region }) => region },
  {
    heading: t.state,
    inRow: 'main',
    cell: ({ state }) => <State tone={state === 'lost' ? 'bad' : 'good'}>{t.states[state]}</State>,
    value: ({ state }) => t.states[state],
  },
  {
    heading: t.registered,
    inRow: 'label',
    priority: 2,
    cell: ({ registeredAt }) => (
      <time class="whole" dateTime={registeredAt} title={time(registeredAt)}>
        {ago(registeredAt)}
      </time>
    ),
    value: ({ registeredAt }) => registeredAt,
  },
  {
    heading: t.lost,
    inRow: 'label',
    cell: ({ lostAt }) => (lostAt === null ? '–' : ago(lostAt)),
    value: ({ lostAt }) => lostAt,
  },
  {
    heading: t.error,
    cell: ({ lastError }) => failureWords(lastError ?? '–'),
    value: ({ lastError }) => failureWords(lastError ?? ''),
  },
];

export const BoxesPage = () => {
  const { client, can } = useSession();
  const boxes = useList({
    columns: () => columns,
    keyOf: ({ name }) => name,
    read: (query, signal) => client.get('/v1/dispensers', { query, signal }),
  });
  return (
    <>
      <Heading title={t.title}>
        {can('store:write') && (
          <a class="button" href={link('/setup/box')}>
            {texts.setup.titles.box}
          </a>
        )}
      </Heading>
      <p class="help intro">{t.intro}</p>
      <List of={boxes} file="boxes" caption={t.caption} empty={t.none} />
      {can('store:write') && boxes.shown.length > 0 && (
        <p class="help">
          {t.remove} <code>{t.command}</code>
        </p>
      )}
    </>
  );
};
