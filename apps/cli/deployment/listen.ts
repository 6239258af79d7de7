import { timestamp } from '../../../lib/clock.ts';
import { post } from '../../../lib/delivery/call.ts';
import { webhookTimeoutMillis } from '../../../lib/delivery/settings.ts';
import { eventKeys, isEvent, type NotedEvent, notedAtOf } from '../../../lib/events/events.ts';
import { signedMessage } from '../../../lib/events/send.ts';
import type { EventType } from '../../../lib/routes/events.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { pause } from '../terminal/interrupt.ts';

const pollMillis = 500;

/**
 * A new event may have a place in the list before an event that was already read, but at most this much earlier. Two
 * consumers write events at the same time, and the index is behind the table.
 */
const settleMillis = 10_000;

const pageSize = 500;

/** The command gives up when the table has not answered for this time. */
const patienceMillis = 60_000;

interface EventFeed {
  store: string;
  types: readonly EventType[];
  /** The event after which to begin; undefined for the newest event. */
  after: string | undefined;
  signal: AbortSignal;
  /** Called when the table does not answer, once until it answers again. */
  onTrouble: (error: unknown) => void;
}

type FeedPosition = Key & { rank: string };

const rankMillis = (rank: string): number => Date.parse(notedAtOf({ rank }));

/**
 * Yields the new events of a store and the samples of `store trigger`, each once, until the signal ends it. The first
 * list is empty; after it no event is missed. It reads the table and not the API, so it does not wait until the API's
 * list is complete. Throws if the table does not answer for a minute.
 */
export async function* follow(followed: EventFeed): AsyncGenerator<NotedEvent[]> {
  const { store, types, after, signal, onTrouble } = followed;
  const lists = [...types, 'sample' as const];
  /** The ids of the last seconds' events, with their ranks. */
  const seen = new Map<string, string>();
  let newest = after ?? '';

  const note = (places: readonly FeedPosition[]): void => {
    for (const { sk, rank } of places) seen.set(sk, rank);
    const { rank = '' } = places.at(-1) ?? {};
    if (rank > newest) newest = rank;
    // Events come almost in order, so older ones can be forgotten.
    const earliest = rankMillis(newest) - 2 * settleMillis;
    for (const [sk, old] of seen) {
      if (rankMillis(old) >= earliest) break;
      seen.delete(sk);
    }
  };
  const read = async (places: readonly FeedPosition[]): Promise<NotedEvent[]> => {
    const unseen = places.filter(({ sk, rank }) => !seen.has(sk) && rank > (after ?? ''));
    const items = await getMany<NotedEvent>(unseen, { consistent: true });
    note(unseen);
    // An erasure may have removed the data of an event meanwhile.
    return items.filter((item) => isEvent(item) && types.includes(item.type));
  };
  const recent = (): Promise<FeedPosition[]> => {
    const first = newest === '' ? undefined : timestamp(rankMillis(newest) - settleMillis);
    return eventKeys(store, lists, { first })({ descending: false });
  };

  if (after === undefined) {
    // The newest event tells where the list ends, since the clock of this machine may be wrong.
    note(await eventKeys(store, lists, {})({ descending: true, limit: 1 }));
    note(await recent());
  }
  yield [];
  if (after !== undefined)
    for (let more = true; more && !signal.aborted; ) {
      const from = { position: newest, inclusive: false };
      const places = await eventKeys(store, lists, {})({ descending: false, from, limit: pageSize });
      more = places.length === pageSize;
      yield await read(places);
    }
  let failingSince: number | undefined;
  for (; !signal.aborted; await pause(pollMillis, signal)) {
    let events: NotedEvent[] = [];
    try {
      events = await read(await recent());
      failingSince = undefined;
    } catch (error) {
      if (failingSince === undefined) onTrouble(error);
      failingSince ??= Date.now();
      if (Date.now() - failingSince > patienceMillis) throw error;
    }
    yield events;
  }
}

/** How a local program answered an event. */
export interface ListenOutcome {
  /** The status of the last answer; undefined if there was none. */
  status?: number;
  /** Why the last call failed without an answer. */
  error?: string;
  attempts: number;
  /** The duration of the last attempt. */
  millis: number;
}

export const isTaken = ({ status = 0 }: ListenOutcome): boolean => status >= 200 && status < 300;

/** The pauses before the second and later attempts, in milliseconds. */
const pauses = [500, 2000, 5000];

/** A local program may listen on only one of the two addresses of `localhost`. */
const addressesOf = ({ hostname }: URL): string[] =>
  hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];

const isRefused = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';

type Request = Parameters<typeof post>[1];

const postTo = async (url: URL, request: Request, signal: AbortSignal): Promise<{ status: number }> => {
  const [ip = '', ...others] = addressesOf(url);
  const send = (address: string) => post({ url, ip: address, family: address.includes(':') ? 6 : 4 }, request, signal);
  const [other] = others;
  return send(ip).catch((error) => (isRefused(error) && other ? send(other) : Promise.reject(error)));
};

/**
 * Sends an event to a local program as a webhook would. If the program does not accept it, tries a few times more; an
 * answer of 410 ends the attempts, as for webhooks. Calls `onFailure` before each further attempt. Never throws.
 */
export const forward = async (
  url: URL,
  { sk: id, type, at, data, sample }: NotedEvent,
  secret: string,
  signal: AbortSignal,
  onFailure: (outcome: ListenOutcome) => void = () => {},
): Promise<ListenOutcome> => {
  for (let attempts = 1; ; attempts++) {
    // The program checks the message's time by this machine's clock. The service's clock may have been moved.
    const request = signedMessage({ id, type, at, data, ...(sample && { sample }) }, [secret], Date.now());
    const timeout = webhookTimeoutMillis();
    const timedOut = AbortSignal.timeout(timeout);
    const started = performance.now();
    const millis = () => Math.round(performance.now() - started);
    const outcome: ListenOutcome = await postTo(url, request, AbortSignal.any([signal, timedOut])).then(
      ({ status }) => ({ status, attempts, millis: millis() }),
      ({ code, message }: NodeJS.ErrnoException) => {
        const error = timedOut.aborted ? `no answer in ${timeout} ms` : String(code ?? message);
        return { error, attempts, millis: millis() };
      },
    );
    const next = pauses[attempts - 1];
    if (isTaken(outcome) || outcome.status === 410 || next === undefined || signal.aborted) return outcome;
    onFailure(outcome);
    await pause(next, signal);
    if (signal.aborted) return outcome;
  }
};
