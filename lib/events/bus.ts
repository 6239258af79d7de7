import { setTimeout as sleep } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { storeOf } from '../table/keys.ts';
import type { NotedEvent } from './events.ts';

/** Puts noted events on an EventBridge bus, as CloudEvents. */

const client = new EventBridgeClient({ maxAttempts: 3 });

/** An event as a CloudEvent 1.0. Its `subject` is the id of the thing or the store that it is about. */
const cloudEventOf = ({ pk, sk: id, type, at, data: text }: NotedEvent) => {
  const store = storeOf({ pk });
  const data = JSON.parse(text);
  return {
    specversion: '1.0',
    id,
    source: `/stores/${store}`,
    type,
    subject: data.id ?? data.uuid ?? data.couponId ?? store,
    time: at,
    datacontenttype: 'application/json',
    data,
  };
};

/** The entry of a record of the table's stream. */
export const eventEntry = ({ dynamodb }: DynamoDBRecord): PutEventsRequestEntry => {
  const event = unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]) as NotedEvent;
  return {
    EventBusName: process.env.EVENT_BUS,
    Source: process.env.EVENT_SOURCE,
    DetailType: event.type,
    Time: new Date(event.at),
    Detail: JSON.stringify(cloudEventOf(event)),
  };
};

/** EventBridge takes ten entries in a call, with 256 KiB in all. */
const maxEntries = 10;
const maxBytes = 200_000;

/** Cuts entries into calls. Answers their indexes. */
const cut = (entries: readonly PutEventsRequestEntry[]): number[][] => {
  const calls: number[][] = [];
  let bytes = 0;
  entries.forEach(({ Detail = '' }, index) => {
    const last = calls.at(-1);
    bytes += Buffer.byteLength(Detail);
    if (last && last.length < maxEntries && bytes <= maxBytes) last.push(index);
    else {
      calls.push([index]);
      bytes = Buffer.byteLength(Detail);
    }
  });
  return calls;
};

/** The bus will never take an entry with one of these errors. */
const lasting = new Set(['InvalidArgument', 'MalformedDetail']);

/** An entry that the bus did not take. `isLasting`: it never will. */
export interface RefusedEntry {
  index: number;
  code: string;
  isLasting: boolean;
}

const pausesMillis = [100, 400, 1600];

/** Puts entries on the bus, and tries refused ones a few times more. Answers the entries that the bus did not take. */
export const putOnBus = async (entries: readonly PutEventsRequestEntry[]): Promise<RefusedEntry[]> => {
  const refused: RefusedEntry[] = [];
  const put = async (indexes: readonly number[], pauses: readonly number[]): Promise<void> => {
    const Entries = indexes.map((index) => entries[index] as PutEventsRequestEntry);
    const answers = await client
      .send(new PutEventsCommand({ Entries }), { abortSignal: AbortSignal.timeout(10_000) })
      .then(({ Entries: results = [] }) => results.map(({ ErrorCode }) => ErrorCode))
      .catch((error: Error) => indexes.map(() => error.name));
    const failed = indexes.flatMap((index, place) => {
      const code = answers[place];
      return code === undefined ? [] : [{ index, code, isLasting: lasting.has(code) }];
    });
    const [pause, ...rest] = pauses;
    const again = pause === undefined ? [] : failed.filter(({ isLasting }) => !isLasting);
    refused.push(...failed.filter((one) => !again.includes(one)));
    if (again.length === 0) return;
    await sleep(pause);
    await put(
      again.map(({ index }) => index),
      rest,
    );
  };
  for (const indexes of cut(entries)) await put(indexes, pausesMillis);
  return refused;
};
