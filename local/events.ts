import type { ServerResponse } from 'node:http';
import { now, timestamp } from '../lib/clock.ts';
import type { Answered } from './gateway.ts';

/** The console's live events: server-sent, at `GET /_dev/events`. */

/** Calls of the table and queue, and units of capacity. */
export interface Cost {
  calls: number;
  units: number;
  /** The row of the function, which made them. */
  route: string;
}

/** An answered request of the API, with the cost if it reached a function. */
export interface ServedRequest extends Partial<Cost> {
  id: string;
  time: string;
  method: string;
  url: string;
  status: number;
  millis: number;
  /** The beginnings of both bodies. */
  sent: string;
  answer: string;
}

const maxShownBytes = 4096;

/** A copy of the text's beginning: a slice of a large text would keep all of it in memory. */
const shortened = (text: Buffer): string =>
  text.length > maxShownBytes ? `${text.toString('utf8', 0, maxShownBytes)}…` : text.toString('utf8');

/** An answered request as the console shows it, with the cost from its function's log line. */
export const served = ({ body, answer, ...answered }: Answered, cost: Cost | undefined): ServedRequest => ({
  ...answered,
  time: timestamp(now()),
  ...cost,
  sent: shortened(body),
  answer: shortened(Buffer.from(answer)),
});

const kept = 200;
const flushMillis = 100;
/** A reader with a longer backlog is dropped. It connects again and gets the kept requests. */
const maxBacklogBytes = 4 * 1024 * 1024;

const readers = new Set<ServerResponse>();
let recent: ServedRequest[] = [];
let unsent: ServedRequest[] = [];
let flushTimer: NodeJS.Timeout | undefined;

export const clockState = () => ({ now: timestamp(now()), aheadSeconds: Math.round((now() - Date.now()) / 1000) });

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Sends an event to every reader. */
export const publish = (event: string, data: object = {}): void => {
  if (readers.size === 0) return;
  const text = frame(event, data);
  for (const reader of readers) {
    if (reader.writableLength > maxBacklogBytes) reader.destroy();
    else reader.write(text);
  }
};

/** Packs thousands of requests in a second into a few events, each with as many as the page shows. */
const flush = (): void => {
  flushTimer = undefined;
  publish('requests', { requests: unsent.slice(-kept), skipped: Math.max(0, unsent.length - kept) });
  unsent = [];
};

export const noteRequest = (request: ServedRequest): void => {
  recent.push(request);
  // Trimming at twice the length spares a copy per request.
  if (recent.length > 2 * kept) recent = recent.slice(-kept);
  if (readers.size === 0) return;
  unsent.push(request);
  flushTimer ??= setTimeout(flush, flushMillis).unref();
};

/** Makes a response a reader, which gets the kept requests first. */
export const follow = (response: ServerResponse): void => {
  // The unsent requests are among the recent ones: this reader must not get them twice.
  clearTimeout(flushTimer);
  flush();
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(`retry: 1000\n${frame('hello', { clock: clockState(), requests: recent.slice(-kept) })}`);
  readers.add(response);
  response.on('close', () => readers.delete(response));
};

/** Ends every stream and forgets the kept requests. */
export const stopEvents = (): void => {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  recent = [];
  unsent = [];
  for (const reader of readers) reader.end();
};
