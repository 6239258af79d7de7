import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { type SendMessageBatchCommandInput, type SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { logSink } from '../../lib/log.ts';
import { keeper } from '../../lib/process.ts';
import { engine } from '../../lib/table/table.ts';
import { Injected, type Machine, type Work, works } from './machine.ts';

/**
 * Leads all that the service asks of its surroundings to the machine of the work that asks: clock, randomness, timers,
 * table, queue, dispenser, log and the state of its process. Everything else in this Node process goes on as before.
 */

const own = <T>(machines: (work: Work) => T, others: () => T): T => {
  const work = works.getStore();
  return work ? machines(work) : others();
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

/** A dispenser that knows what it gave. Its answer may not come, or be an error of the region. */
const dispenser = (machine: Machine, body: string): Promise<number> =>
  machine.call('dispenser', true, () => {
    if (!machine.isQuiet && machine.random.chance(machine.trouble.faults)) return 503;
    const id = body.split('\n')[3] ?? '';
    machine.given.set(id, (machine.given.get(id) ?? 0) + 1);
    return 200;
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

const elsewhere = new Map<() => unknown, unknown>();

/** Clock, randomness, address look-up, log and the state of a process. */
const replaceSources = (): void => {
  const [{ now, bytes, random }, { lookup }, { write: log }] = [{ ...source }, { ...resolver }, { ...logSink }];
  source.now = () => own(({ machine, process }) => Math.floor(machine.time + process.skew), now);
  source.bytes = (count) =>
    own(
      ({ machine }) => machine.random.bytes(count),
      () => bytes(count),
    );
  source.random = () => own(({ machine }) => machine.random.next(), random);
  resolver.lookup = (host) =>
    own(
      async () => [{ address: '8.8.8.8' }],
      () => lookup(host),
    );
  logSink.write = (fields) =>
    own(
      ({ machine, operation }) => {
        machine.trace?.push(`${operation}: ${JSON.stringify(fields)}`);
        if ('invariant' in fields || (fields as { history?: string }).history === 'unreadable')
          machine.alarms.push(JSON.stringify(fields));
      },
      () => log(fields),
    );
  keeper.stateOf = <T>(make: () => T): T => {
    const states = works.getStore()?.process.states ?? elsewhere;
    if (!states.has(make)) states.set(make, make());
    return states.get(make) as T;
  };
};

const replaceTable = (): void => {
  const engineOf = () => (works.getStore() as Work).machine.engine;
  Object.assign(engine, {
    get: (...args) => engineOf().get(...args),
    getSome: (...args) => engineOf().getSome(...args),
    getTogether: (...args) => engineOf().getTogether(...args),
    query: (...args) => engineOf().query(...args),
    write: (...args) => engineOf().write(...args),
    transact: (...args) => engineOf().transact(...args),
    removeSome: (...args) => engineOf().removeSome(...args),
  } satisfies typeof engine);
};

/** Timers, calls of a dispenser and the queue. Answers a function that gives Node's own back. */
const replaceCalls = (): (() => void) => {
  const builtins = { setTimeout: timers.setTimeout, request: https.request };
  const { timeout } = AbortSignal;
  const { send } = SQSClient.prototype;
  const neverAborted = { aborted: false, addEventListener: () => undefined } as unknown as AbortSignal;
  timers.setTimeout = ((millis: number, ...rest: [undefined]) =>
    own<Promise<unknown>>(
      ({ machine }) => machine.sleep(millis),
      () => builtins.setTimeout(millis, ...rest),
    )) as typeof timers.setTimeout;
  https.request = ((...args: Parameters<typeof https.request>) =>
    own<unknown>(
      ({ machine }) => requestOf(machine, args[2] as unknown as Handler),
      () => builtins.request(...args),
    )) as typeof https.request;
  syncBuiltinESMExports();
  AbortSignal.timeout = (millis) =>
    own(
      () => neverAborted,
      () => timeout.call(AbortSignal, millis),
    );
  SQSClient.prototype.send = function (this: SQSClient, ...args: [{ input: unknown }]) {
    return own<unknown>(
      ({ machine }) => sentTo(machine, args[0]),
      () => send.apply(this, args as never),
    );
  } as typeof send;
  return () => {
    Object.assign(timers, { setTimeout: builtins.setTimeout });
    Object.assign(https, { request: builtins.request });
    syncBuiltinESMExports();
    AbortSignal.timeout = timeout;
    SQSClient.prototype.send = send;
  };
};

/** Puts the machines in the place of the surroundings. Answers a function that ends this. */
export const simulate = (): (() => void) => {
  const kept = [source, resolver, logSink, engine, keeper].map((object) => ({ object, members: { ...object } }));
  const env = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  replaceSources();
  replaceTable();
  const giveCallsBack = replaceCalls();
  Object.assign(process.env, variables);
  return () => {
    for (const { object, members } of kept) {
      for (const name of Object.keys(object)) if (!(name in members)) Reflect.deleteProperty(object, name);
      Object.assign(object, members);
    }
    giveCallsBack();
    for (const [name, value] of env)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
};

/** True for a failure that the machine made up, also as the cause of another. */
export const isInjected = (error: unknown): boolean =>
  error instanceof Injected || (error instanceof Error && error.cause !== undefined && isInjected(error.cause));
