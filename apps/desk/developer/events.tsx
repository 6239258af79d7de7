import { useEffect, useState } from 'preact/hooks';
import { State } from '../parts/list.tsx';
import { FaultBox, useLoad, Waiting } from '../parts/load.tsx';
import { useSession } from '../session.ts';
import { useLive } from './live.ts';
import { Code, clockTime, Facts } from './parts.tsx';

import { Rows } from './rows.tsx';
import { texts } from './texts.ts';
import { tool } from './tools.ts';

const t = texts.events;

interface StoreEvent {
  id: string;
  type: string;
  at: string;
  sample: boolean;
  who?: string;
  what?: string;
  data: object;
}

const pollMillis = 5000;

/**
 * The store's last events as soon as they are noted, with samples. The API's list has them ten seconds later, without
 * samples.
 */
export const EventsCard = () => {
  const { store } = useSession();
  const { rounds } = useLive();
  const [poll, setPoll] = useState(0);
  // `store trigger` writes its samples in its own process, and the service does not report them.
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setPoll((last) => last + 1), pollMillis);
    return () => clearInterval(timer);
  }, []);
  const events = useLoad(
    () => tool<{ events: StoreEvent[] }>(`store-events?store=${encodeURIComponent(store.id)}`),
    [rounds.events, poll],
  );
  return (
    <section class="card" aria-labelledby="events">
      <header>
        <h2 id="events">{t.title}</h2>
        <span class="help">{t.last}</span>
      </header>
      {events.fault && <FaultBox fault={events.fault} onRetry={events.reload} />}
      {!events.value && !events.fault && <Waiting />}
      {events.value && (
        <Rows
          label={t.caption}
          step={10}
          empty={<p>{t.none}</p>}
          rows={events.value.events.map(({ id, type, at, sample, who, what, data }) => ({
            id,
            summary: (
              <>
                <code class="path" title={type}>
                  {type}
                </code>
                <time class="help" dateTime={at} title={at}>
                  {clockTime(at)}
                </time>
                <span class="about">
                  {sample && <State tone="plain">{t.sample}</State>} {what && <b>{what}</b>}
                  {what && who && ' · '}
                  {who}
                </span>
              </>
            ),
            content: () => (
              <>
                <Facts
                  of={[
                    [t.changed, `${at.slice(0, 10)} ${clockTime(at)} UTC`],
                    [t.id, <code key="id">{id}</code>],
                  ]}
                />
                <Code label={t.data} text={JSON.stringify(data, null, 2)} />
              </>
            ),
          }))}
        />
      )}
    </section>
  );
};
