import type { ServerResponse } from 'node:http';
import { now, timestamp } from '../lib/clock.ts';
import type { Answered } from './gateway.ts';

/** What the console shows as it happens: server-sent events at `GET /_dev/events`. */

/** An answered request of the API. */
export interface ServedRequest {
  id: string;
  time: string;
  method: string;
  url: string;
  status: number;
  millis: number;
  /** Calls of the table and queue, and units of capacity; absent where no function was called. */
  calls?: number;
  units?: number;
  /** Both bodies, cut off where they are long. */
  sent: string;
  answer: string;
}

const maxShownBytes = 4096;

/** The text's beginning, as a copy: a part of a large text would keep all of it in memory. */
const shortened = (text: Buffer): string =>
  text.length > maxShownBytes ? `${text.toString('utf8', 0, maxShownBytes)}…` : text.toString('utf8');

/** An answered request as it is shown, with what its log line says, if its function was called. */
export const served = (
  { body, answer, ...answered }: Answered,
  cost: { calls: number; units: number } | undefined,
): ServedRequest => ({
  ...answered,
  time: timestamp(now()),
  ...cost,
  sent: shortened(body),
  answer: shortened(Buffer.from(answer)),
});

const kept = 200;
const flushMillis = 100;
/** A reader that falls behind so far is let go; it connects again and gets what is kept. */
const maxBacklogBytes = 4 * 1024 * 1024;

const readers = new Set<ServerResponse>();
let recent: ServedRequest[] = [];
let unsent: ServedRequest[] = [];
let flushTimer: NodeJS.Timeout | undefined;

export const clockState = () => ({ now: timestamp(now()), aheadSeconds: Math.round((now() - Date.now()) / 1000) });

const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Tells every reader. */
export const publish = (event: string, data: object = {}): void => {
  if (readers.size === 0) return;
  const text = frame(event, data);
  for (const reader of readers) {
    if (reader.writableLength > maxBacklogBytes) reader.destroy();
    else reader.write(text);
  }
};

/** Thousands of requests in a second become a few events, with as many of the latest as the page shows. */
const flush = (): void => {
  flushTimer = undefined;
  publish('requests', { requests: unsent.slice(-kept), skipped: Math.max(0, unsent.length - kept) });
  unsent = [];
};

export const noteRequest = (request: ServedRequest): void => {
  recent.push(request);
  // Shortened now and then, not each time.
  if (recent.length > 2 * kept) recent = recent.slice(-kept);
  if (readers.size === 0) return;
  unsent.push(request);
  flushTimer ??= setTimeout(flush, flushMillis).unref();
};

/** Makes a response a reader: it begins with all that is kept. */
export const follow = (response: ServerResponse): void => {
  // What is still unsent is among the recent ones: nobody may get it twice.
  clearTimeout(flushTimer);
  flush();
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(`retry: 1000\n${frame('hello', { clock: clockState(), requests: recent.slice(-kept) })}`);
  readers.add(response);
  response.on('close', () => readers.delete(response));
};

/** Ends every stream, and forgets what was kept. */
export const stopEvents = (): void => {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  recent = [];
  unsent = [];
  for (const reader of readers) reader.end();
};
