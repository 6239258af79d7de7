import { useEffect, useState } from 'preact/hooks';
import { renewKey } from './stores.tsx';

/**
 * The live events of the local service. One stream serves every page that shows them, also after restarts of the
 * service.
 */

/** An answered request of the API, as `local/start/events.ts` sends it. */
export interface ShownRequest {
  id: string;
  time: string;
  method: string;
  url: string;
  status: number;
  millis: number;
  /** Calls of the table and queue, and units of capacity, if it reached a function. */
  calls?: number;
  units?: number;
  headers: readonly (readonly [name: string, value: string])[];
  /** The names of headers whose values are secret. */
  hidden: readonly string[];
  /** The key by its id, with its name and store if the service knows it. Missing for a text that is not a key. */
  key?: { id: string; name?: string; store?: string };
  /** Fields that the endpoint does not know: of the body and, with a question mark, of the query. */
  ignored: readonly string[];
  isOfDesk: boolean;
  /** The body as it was sent. Missing if it is too long or not text. */
  body?: string;
  /** The beginnings of both bodies. */
  sent: string;
  answer: string;
}

interface Clock {
  aheadMillis: number;
}

type Subject = 'credit' | 'deliveries' | 'events';

export interface LiveState {
  connection: 'waiting' | 'live' | 'lost';
  /** The newest comes first. */
  requests: readonly ShownRequest[];
  /** All requests since the list was cleared, also ones that are not kept. */
  seen: number;
  /** How far the service's clock is ahead of this machine's. */
  aheadMillis: number;
  /** These grow when something has changed, so that pages read it again. */
  rounds: Readonly<Record<Subject, number>>;
}

const maxRequests = 250;
const pauseMillis = 200;

let live: LiveState = {
  connection: 'waiting',
  requests: [],
  seen: 0,
  aheadMillis: 0,
  rounds: { credit: 0, deliveries: 0, events: 0 },
};
const watchers = new Set<() => void>();

const change = (next: Partial<LiveState>): void => {
  live = { ...live, ...next };
  for (const watcher of watchers) watcher();
};

const waiting = new Set<Subject>();

/** Many changes at almost the same time are one round. */
const bump = (...subjects: readonly Subject[]): void => {
  if (waiting.size === 0)
    setTimeout(() => {
      const rounds = { ...live.rounds };
      for (const subject of waiting) rounds[subject] += 1;
      waiting.clear();
      change({ rounds });
    }, pauseMillis);
  for (const subject of subjects) waiting.add(subject);
};

/** `requests`: the newest comes last. */
const add = (requests: readonly ShownRequest[], skipped = 0): Partial<LiveState> => {
  const known = new Set(live.requests.map(({ id }) => id));
  const added = requests.filter(({ id }) => !known.has(id)).toReversed();
  return {
    requests: [...added, ...live.requests].slice(0, maxRequests),
    seen: live.seen + added.length + skipped,
  };
};

/** Reads again what requests may have changed. */
const bumpAfter = (requests: readonly ShownRequest[]): void => {
  const writes = requests.filter(({ method, status }) => method !== 'GET' && status < 400);
  if (writes.some(({ url }) => /\/(customers|sales|giftcards)\b/.test(url))) bump('credit');
  if (writes.some(({ url }) => /\/(products|deliveries|dispenser|sales)\b/.test(url))) bump('deliveries');
};

const listeners: Record<string, (data: never) => void> = {
  hello: ({ clock, requests }: { clock: Clock; requests: ShownRequest[] }) => {
    // After a restart the service has none of the earlier requests.
    const isSame = live.requests.some(({ id }) => requests.some((request) => request.id === id));
    if (!isSame) live = { ...live, requests: [], seen: 0 };
    if (live.connection === 'lost') renewKey().catch(() => undefined);
    change({ connection: 'live', aheadMillis: clock.aheadMillis, ...add(requests) });
    bump('credit', 'deliveries', 'events');
  },
  requests: ({ requests, skipped }: { requests: ShownRequest[]; skipped: number }) => {
    change(add(requests, skipped));
    bumpAfter(requests);
  },
  clock: ({ aheadMillis }: Clock) => {
    change({ aheadMillis });
    bump('credit', 'deliveries', 'events');
  },
  credit: () => bump('credit'),
  deliveries: () => bump('deliveries'),
  events: () => bump('events'),
};

let source: EventSource | undefined;

const follow = (): void => {
  const opened = new EventSource('/_dev/events');
  source = opened;
  for (const [event, listen] of Object.entries(listeners))
    opened.addEventListener(event, (message) => listen(JSON.parse(message.data) as never));
  opened.addEventListener('error', () => {
    change({ connection: 'lost' });
    // A starting service refuses the stream, and the browser does not retry after a refusal.
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => source === opened && follow(), 1000);
  });
};

const watch = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  if (!source) follow();
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    source?.close();
    source = undefined;
  };
};

/** The state of the service, which changes while the page is open. */
export const useLive = (): LiveState => {
  const [shown, setShown] = useState(live);
  useEffect(() => {
    setShown(live);
    return watch(() => setShown(live));
  }, []);
  return shown;
};

export const clearRequests = (): void => change({ requests: [], seen: 0 });

/** The service's time, in milliseconds. */
export const serviceNow = (): number => Date.now() + live.aheadMillis;
