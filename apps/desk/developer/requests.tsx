import { useState } from 'preact/hooks';
import { go, link, useAddress } from '../address.ts';
import { Heading } from '../parts/heading.tsx';
import { Filter, Search, State } from '../parts/list.tsx';
import { FaultBox, useLoad, usePress } from '../parts/load.tsx';
import { useSay } from '../parts/toast.tsx';
import { keptKey, useSession } from '../session.ts';
import { curlOf } from './curl.ts';
import { EventsCard } from './events.tsx';
import { clearRequests, type ShownRequest, useLive } from './live.ts';
import { Code, Command, Connection, Copy, clockTime, Facts, readable } from './parts.tsx';
import { type Row, Rows } from './rows.tsx';
import { texts } from './texts.ts';
import { tool } from './tools.ts';

const t = texts.requests;

const toneOf = (status: number) => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

/** The messages of a problem, for the person who has to change the request. */
const messagesOf = ({ status, answer }: ShownRequest): readonly string[] => {
  if (status < 400) return [];
  try {
    const { detail, errors = [] } = JSON.parse(answer) as { detail?: string; errors?: string[] };
    return errors.length > 0 ? errors : detail ? [detail] : [];
  } catch {
    return [];
  }
};

/** The key in words: its name, or its id if the service knows no such key. */
const keyName = ({ key, hidden }: ShownRequest): string =>
  key ? (key.name ?? t.unknownKey(key.id)) : hidden.includes('x-api-key') ? t.malformedKey : t.noKey;

interface DetailsProps {
  request: ShownRequest;
  onReplayed: (id: string) => void;
}

/** Copies the request as a command, and sends it again. */
const Replay = ({ request, onReplayed }: DetailsProps) => {
  const { store } = useSession();
  const say = useSay();
  const { id, hidden, key, body } = request;
  const isOurs = key?.id === store.key.id;
  const curl = curlOf(request, location.origin, isOurs ? keptKey() : undefined);
  const replaying = usePress(async () => {
    const replayed = await tool<{ id: string; status: number; isNewKey: boolean }>('replay', { id });
    say(t.replayed(replayed.status, replayed.isNewKey));
    onReplayed(replayed.id);
  });
  return (
    <>
      <div class="buttons">
        {curl !== undefined && <Copy text={curl}>{t.copyCurl}</Copy>}
        {body !== undefined && (
          <button type="button" class="button" aria-disabled={replaying.isBusy} onClick={replaying.press}>
            {t.replay}
          </button>
        )}
        {body === undefined ? (
          <span class="help">{t.notKept}</span>
        ) : (
          !isOurs && hidden.includes('x-api-key') && <span class="help">{t.otherKey}</span>
        )}
      </div>
      {replaying.fault && <FaultBox fault={replaying.fault} />}
    </>
  );
};

const Details = ({ request, onReplayed }: DetailsProps) => {
  const { store } = useSession();
  const { id, method, url, time, headers, hidden, key, ignored, sent, answer } = request;
  const path = url.split('?')[0] ?? '';
  const messages = messagesOf(request);
  return (
    <>
      {messages.length > 0 && (
        <ul class={`notice is-${toneOf(request.status)}`} aria-label={t.problem}>
          {messages.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {ignored.length > 0 && (
        <div class="notice is-warn">
          <p>
            <b>{t.ignored(ignored.length)}</b>{' '}
            {ignored.map((name) => (
              <span key={name}>
                <code>{name}</code>{' '}
              </span>
            ))}
          </p>
        </div>
      )}
      <Replay request={request} onReplayed={onReplayed} />
      <Facts
        of={[
          [t.request, <code key="request">{`${method} ${path}`}</code>],
          ...[...new URLSearchParams(url.slice(path.length))].map(
            ([name, value]) => [name, <code key="value">{value}</code>] as const,
          ),
          [t.key, key?.store && key.store !== store.id ? t.keyOfStore(keyName(request), key.store) : keyName(request)],
          [t.id, <code key="id">{id}</code>],
          [t.at, `${time.slice(0, 10)} ${clockTime(time)} UTC`],
        ]}
      />
      <h3>{t.headers}</h3>
      <Facts
        of={[
          ...hidden.map((name) => [name, <i key="hidden">{t.hidden}</i>] as const),
          ...headers.map(([name, value]) => [name, <code key="value">{value}</code>] as const),
        ]}
      />
      {sent !== '' && <h3>{t.sent}</h3>}
      {sent !== '' && <Code label={t.sent} text={readable(sent)} />}
      {answer !== '' && <h3>{t.answered}</h3>}
      {answer !== '' && <Code label={t.answered} text={readable(answer)} />}
    </>
  );
};

const statuses: Record<string, (status: number) => boolean> = {
  ok: (status) => status < 400,
  problems: (status) => status >= 400,
  client: (status) => status >= 400 && status < 500,
  server: (status) => status >= 500,
};

const anyStatus = (): boolean => true;

/** The base URL, a key, and a first call to make. */
const CallIt = () => {
  const service = useLoad(() => tool<{ engine: string }>('service'), []);
  const { store } = useSession();
  const key = keptKey() ?? '';
  const base = location.origin;
  return (
    <section class="card" aria-labelledby="call">
      <header>
        <h2 id="call">{t.call}</h2>
        <span class="help">{service.value && t.on(store.name, service.value.engine)}</span>
      </header>
      <Facts
        of={[
          [
            t.base,
            <span key="base" class="copyable">
              <code>{base}</code>
              <Copy label={t.copyBase} text={base} />
            </span>,
          ],
          [
            'X-API-Key',
            <span key="key" class="copyable">
              <code>{key}</code>
              <Copy label={t.copyKey} text={key} />
            </span>,
          ],
        ]}
      />
      <Command label={t.example} text={`curl -H 'X-API-Key: ${key}' '${base}/v1/products?limit=3'`} />
    </section>
  );
};

const requestRow = (request: ShownRequest, onReplayed: (id: string) => void): Row => {
  const { id, method, url, status: answered, time, millis, calls, units = 0, ignored } = request;
  return {
    id,
    isProblem: answered >= 400,
    summary: (
      <>
        <State tone={toneOf(answered)}>{answered}</State>
        <b class="method">{method}</b>
        <span class="path" title={url}>
          {url}
        </span>
        <time class="help" dateTime={time} title={time}>
          {clockTime(time)}
        </time>
        <span class="help about">
          {t.cost(millis, calls, units)} · {keyName(request)}{' '}
          {ignored.length > 0 && <State tone="warn">{t.ignoredShort(ignored.length)}</State>}
        </span>
      </>
    ),
    content: () => <Details request={request} onReplayed={onReplayed} />,
  };
};

/** Filters of the list: by path, key and status, and whether it includes the desk's own requests. */
const Filters = ({ keys, ofDesk }: { keys: readonly string[]; ofDesk: number }) => {
  const { path: page, query } = useAddress();
  return (
    <>
      <div class="filters">
        <Search name="path" label={t.path} />
        <Filter name="key" label={t.key} options={[['', texts.all], ...keys.map((name) => [name, name] as const)]} />
        <Filter name="status" label={t.status} options={[['', texts.all], ...Object.entries(t.statuses)]} />
      </div>
      <div class="buttons spaced">
        <label class="check">
          <input
            type="checkbox"
            checked={query.own === 'all'}
            onChange={({ currentTarget }) =>
              go(link(page, { ...query, own: currentTarget.checked ? 'all' : undefined }))
            }
          />{' '}
          {t.own(ofDesk)}
        </label>
        <button type="button" class="button is-quiet" onClick={clearRequests}>
          {t.clear}
        </button>
      </div>
    </>
  );
};

export const RequestsPage = () => {
  const live = useLive();
  const { query } = useAddress();
  const [replayed, setReplayed] = useState<string>();
  const { path = '', key = '', status = '', own = '' } = query;
  const fits = statuses[status] ?? anyStatus;
  const requests = live.requests.filter((one) => own === 'all' || !one.isOfDesk || one.id === replayed);
  const found = requests.filter(
    (one) =>
      one.url.toLowerCase().includes(path.toLowerCase()) && (key === '' || keyName(one) === key) && fits(one.status),
  );
  const keys = [...new Set([...requests.map(keyName), ...(key === '' ? [] : [key])])].sort();
  const ofDesk = live.requests.filter(({ isOfDesk }) => isOfDesk).length;
  const isFiltered = path !== '' || key !== '' || status !== '';
  const rows = found.map((request) => requestRow(request, setReplayed));
  return (
    <>
      <Heading title={t.title}>
        <Connection />
      </Heading>
      <div class="columns is-developer">
        <section class="card" aria-labelledby="list">
          <header>
            <h2 id="list">{t.list}</h2>
            <span class="help">{t.seen(live.seen)}</span>
          </header>
          <Filters keys={keys} ofDesk={ofDesk} />
          <Rows
            label={t.caption}
            rows={rows}
            open={replayed}
            step={50}
            empty={<p>{requests.length > 0 && isFiltered ? t.noneFound : t.none}</p>}
          />
        </section>
        <div class="stack">
          <CallIt />
          <EventsCard />
        </div>
      </div>
    </>
  );
};
