import { useEffect, useRef } from 'preact/hooks';
import { link } from '../address.ts';
import { deliveryColumns } from '../pages/deliveries.tsx';
import { Heading } from '../parts/heading.tsx';
import { State, Table } from '../parts/list.tsx';
import { FaultBox, Show, useLoad, usePress } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { keptKey, useSession } from '../session.ts';
import { useLive } from './live.ts';
import { Code, Command, Connection, clockTime, readable } from './parts.tsx';
import { Rows } from './rows.tsx';
import { texts } from './texts.ts';
import { tool } from './tools.ts';

const t = texts.faults;

type Mode = keyof typeof t.modes;

interface Gift {
  deliveryId: string;
  message: string;
  time: string;
}

interface Faults {
  mode: Mode;
  queue: { ready: number; taken: number };
  deadLetters: readonly { messageId: string; sentAt: string; body: string; readable: boolean }[];
  deadLetterCount: number;
  inbox: readonly Gift[];
}

/** How the store's dispenser behaves. */
const Dispenser = ({ mode, at }: { mode: Mode; at: string }) => {
  const wanted = useRef(mode);
  const { press, fault } = usePress(async () => {
    await tool(`dispenser?${at}`, { mode: wanted.current });
  });
  return (
    <section class="card" aria-labelledby="dispenser">
      <h2 id="dispenser">{t.dispenser}</h2>
      <fieldset class="modes">
        <legend class="hidden-text">{t.dispenserIs}</legend>
        {Object.entries(t.modes).map(([value, [label]]) => (
          <label key={value}>
            <input
              type="radio"
              name="mode"
              checked={value === mode}
              onChange={() => {
                wanted.current = value as Mode;
                press();
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p class="help">
        <output>{t.modes[mode][1]}</output>
      </p>
      {fault && <FaultBox fault={fault} />}
    </section>
  );
};

const DeadLetters = ({ of: { queue, deadLetters, deadLetterCount } }: { of: Faults }) => {
  const say = useSay();
  const redriving = usePress(async () => say(t.redriven((await tool<{ redriven: number }>('redrive', {})).redriven)));
  return (
    <section class="card" aria-labelledby="queue">
      <header>
        <h2 id="queue">{t.queue}</h2>
        <span class="help">{t.counts(queue.ready, queue.taken)}</span>
      </header>
      <header>
        <h3>{t.dead}</h3>
        <span class="help" id="dead-count">
          {deadLetterCount === 0 ? t.deadNone : t.deadCount(deadLetterCount)}
        </span>
        {deadLetters.some((letter) => letter.readable) && (
          <button type="button" class="button" aria-disabled={redriving.isBusy} onClick={redriving.press}>
            {t.redrive}
          </button>
        )}
      </header>
      {redriving.fault && <FaultBox fault={redriving.fault} />}
      {deadLetters.length > 0 && (
        <Rows
          label={t.dead}
          step={20}
          empty=""
          rows={deadLetters.map(({ messageId, sentAt, body, readable: isOurs }) => ({
            id: messageId,
            summary: (
              <>
                <State tone={isOurs ? 'warn' : 'bad'}>{isOurs ? t.readable : t.unreadable}</State>
                <code class="path">{body}</code>
                <time class="help" dateTime={sentAt}>
                  {clockTime(sentAt)}
                </time>
              </>
            ),
            content: () => (
              <>
                <Code label={t.message} text={readable(body)} />
                {!isOurs && <p class="help">{t.notOurs}</p>}
              </>
            ),
          }))}
        />
      )}
    </section>
  );
};

const shown = 10;

/** The newest deliveries, with what the avatars really got, which the dispenser may not have said. */
const Deliveries = ({ inbox, round }: { inbox: Faults['inbox']; round: number }) => {
  const { client, can } = useSession();
  const deliveries = useLoad((signal) => client.get('/v1/deliveries', { query: { limit: shown }, signal }), [round]);
  const product = useLoad((signal) => client.get('/v1/products', { query: { limit: 1 }, signal }), []);
  const example = product.value?.data[0];
  const gifts = new Map(inbox.map((gift) => [gift.deliveryId, gift]));
  const columns = deliveryColumns(can('products:deliver'), deliveries.reload);
  return (
    <section class="card" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">{t.deliveries}</h2>
        <a href={link('/deliveries')}>{t.allDeliveries}</a>
      </header>
      <Show of={deliveries}>
        {({ data }) =>
          data.length > 0 ? (
            <Table
              caption={t.deliveries}
              rows={data}
              keyOf={({ id }) => id}
              empty=""
              columns={[
                ...columns.slice(0, -1),
                {
                  heading: t.avatar,
                  cell: ({ id, state }) => {
                    const gift = gifts.get(id);
                    if (!gift) return '–';
                    return state === 'delivered' ? (
                      <span class="whole">{t.got(clockTime(gift.time))}</span>
                    ) : (
                      t.gotSilently
                    );
                  },
                },
                { heading: t.note, cell: ({ id }) => gifts.get(id)?.message || '–' },
                ...columns.slice(-1),
              ]}
            />
          ) : (
            <>
              <p class="help">{example ? t.noDelivery : t.noProduct}</p>
              {example && (
                <Command
                  label={t.example}
                  text={`curl -H 'X-API-Key: ${keptKey() ?? ''}' -d '{"recipientIdentifier": "ada", "message": "Enjoy!"}' '${location.origin}/v1/products/${example.id}/actions/deliver'`}
                />
              )}
            </>
          )
        }
      </Show>
    </section>
  );
};

const pauseMillis = 2000;

/** Makes the dispenser misbehave, and shows how deliveries survive it. */
export const FaultsPage = () => {
  const { store, can } = useSession();
  const { rounds } = useLive();
  const at = `store=${encodeURIComponent(store.id)}`;
  const faults = useLoad(() => tool<Faults>(`faults?${at}`), [rounds.deliveries]);
  const isBusy = faults.value !== undefined && faults.value.queue.ready + faults.value.queue.taken > 0;
  // No event tells when a message's pause is over.
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(faults.reload, pauseMillis);
    return () => clearInterval(timer);
  }, [isBusy]);
  return (
    <>
      <Heading title={t.title}>
        <Connection />
      </Heading>
      <Show of={faults}>
        {(value) => (
          <div class="stack">
            <div class="charts">
              <Dispenser mode={value.mode} at={at} />
              <DeadLetters of={value} />
            </div>
            {can('deliveries:read', 'products:read') && (
              <Deliveries inbox={value.inbox} round={rounds.deliveries + value.queue.ready + value.queue.taken} />
            )}
          </div>
        )}
      </Show>
    </>
  );
};
