import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { type SendMessageBatchCommandInput, type SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { logSink } from '../../lib/log.ts';
import { processOverride } from '../../lib/process.ts';
import { db } from '../../lib/table/client.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { engine } from '../../lib/table/table.ts';
import { nameOf } from '../../test/lib/table/memory.ts';
import { Injected, type Machine, type Work, works } from './machine.ts';

/**
 * Points everything that the service needs from its surroundings to the machine of the work that asks: clock,
 * randomness, timers, table, queue, dispenser, log and the state of its process. Everything else in this Node process
 * stays as before.
 */

/** Replaces a member of an object, for the work of machines only. Answers a function that restores the member. */
const replace = (object: object, name: string, own: (work: Work, ...args: never[]) => unknown): (() => void) => {
  const others = Reflect.get(object, name) as (...args: never[]) => unknown;
  const put = (member: unknown): void => {
    Reflect.set(object, name, member);
    syncBuiltinESMExports();
  };
  put(function (this: unknown, ...args: never[]): unknown {
    const work = works.getStore();
    return work ? own(work, ...args) : others.apply(this, args);
  });
  return () => put(others);
};

const sentTo = (machine: Machine, { input }: { input: unknown }): Promise<object> => {
  const { Entries, MessageBody = '' } = input as SendMessageBatchCommandInput & SendMessageCommandInput;
  const bodies = Entries ? Entries.map((entry) => entry.MessageBody ?? '') : [MessageBody];
  return machine.call('queue', true, () => {
    machine.send(bodies);
    // The queue delivers at least once.
    if (machine.random.chance(machine.trouble.faults)) machine.send(bodies);
    return {};
  });
};

/** A dispenser that knows what it gave. Its answer may be lost, or be an error of the region. */
const dispenser = (machine: Machine, body: string): Promise<number> =>
  machine.call('dispenser', true, () => {
    if (!machine.isQuiet && machine.random.chance(machine.trouble.faults)) return 503;
    const id = body.split('\n')[3] ?? '';
    machine.given.set(id, (machine.given.get(id) ?? 0) + 1);
    return 200;
  });

interface Scanned {
  ExpressionAttributeValues: { ':owner': string };
  ExclusiveStartKey?: Key | undefined;
}

const scanPage = 100;

/** A page of a scan, which only the command makes, for the items of one store. Each page is from another moment. */
const scanned = (machine: Machine, { ExpressionAttributeValues, ExclusiveStartKey }: Scanned): Promise<object> =>
  machine.call('scan', false, () => {
    const owner = ExpressionAttributeValues[':owner'];
    const ours = (machine.table.items() as (Item & Key)[]).filter(({ pk }) => pk.startsWith(owner));
    const named = ours.map((item) => ({ name: nameOf(item), item })).sort((a, b) => (a.name < b.name ? -1 : 1));
    const after = ExclusiveStartKey && nameOf(ExclusiveStartKey);
    const left = named.filter(({ name }) => after === undefined || name > after).map(({ item }) => item);
    const Items = left.slice(0, scanPage);
    return { Items, LastEvaluatedKey: left.length > scanPage ? Items.at(-1) : undefined };
  });

type Handler = (response: object) => void;

/** The part of Node's request that calls of a dispenser use. */
const requestOf = (machine: Machine, onAnswer: Handler): object => {
  let onError: (error: Error) => void = () => undefined;
  const request = {
    on: (_: string, handler: typeof onError) => {
      onError = handler;
      return request;
    },
    destroy: () => request,
    end: (body: string) => {
      dispenser(machine, body).then(
        (statusCode) => onAnswer({ statusCode, headers: {}, [Symbol.asyncIterator]: async function* () {} }),
        onError,
      );
    },
  };
  return request;
};

/** The largest balance that set and increment may make. */
export const creditLimit = 1000;

const variables: Readonly<Record<string, string>> = {
  TABLE_NAME: 'simulated',
  CURSOR_SECRET: 'a secret that only the simulation knows, and nobody else',
  CREDIT_LIMIT: String(creditLimit),
  DELIVERY_QUEUE_URL: 'https://sqs/deliveries',
};

const replaceTable = (): void => {
  const names = ['get', 'getSome', 'getTogether', 'query', 'write', 'transact', 'removeSome'] as const;
  for (const name of names)
    Object.defineProperty(engine, name, {
      get: () => works.getStore()?.machine.engine[name],
      ...{ configurable: true, enumerable: true },
    });
};

const log = ({ machine, operation }: Work, fields: object): void => {
  machine.trace?.push(`${operation}: ${JSON.stringify(fields)}`);
  if ('invariant' in fields || ('history' in fields && fields.history === 'unreadable'))
    machine.alarms.push(JSON.stringify(fields));
};

const stateOf = ({ process: { states } }: Work, make: () => unknown): unknown => {
  if (!states.has(make)) states.set(make, make());
  return states.get(make);
};

/**
 * Replaces the surroundings with the machines. Answers a function that ends this, except for the table and the
 * variables, which every test file restores (test/support/restore.ts).
 */
export const simulate = (): (() => void) => {
  replaceTable();
  Object.assign(process.env, variables);
  const replaced = [
    replace(source, 'now', ({ machine, process: { skew } }) => Math.floor(machine.time + skew)),
    replace(source, 'bytes', ({ machine }, count: number) => machine.random.bytes(count)),
    replace(source, 'random', ({ machine }) => machine.random.next()),
    replace(resolver, 'lookup', async () => [{ address: '8.8.8.8' }]),
    replace(logSink, 'write', log),
    replace(processOverride, 'stateOf', stateOf),
    replace(timers, 'setTimeout', ({ machine }, millis: number) => machine.sleep(millis)),
    replace(https, 'request', ({ machine }, _: URL, __: object, onAnswer: Handler) => requestOf(machine, onAnswer)),
    replace(db, 'send', ({ machine }, { input }: { input: Scanned }) => scanned(machine, input)),
    replace(AbortSignal, 'timeout', () => ({ aborted: false, addEventListener: () => undefined })),
    replace(SQSClient.prototype, 'send', ({ machine }, command: { input: unknown }) => sentTo(machine, command)),
  ];
  return () => {
    for (const giveBack of replaced) giveBack();
  };
};

/** True for a failure that the machine made up, also if it is the cause of another error. */
export const isInjected = (error: unknown): boolean =>
  error instanceof Injected || (error instanceof Error && error.cause !== undefined && isInjected(error.cause));
