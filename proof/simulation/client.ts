import { now, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { answerOnce } from '../../lib/table/idempotency.ts';
import { isInjected } from './environment.ts';
import { type Machine, works } from './machine.ts';
import type { World } from './world.ts';

/** An operation in its schedule, and everything that it acts on. */
export interface Part {
  machine: Machine;
  world: World;
  name: string;
}

/** How a request ended for its client. `at` is the service's time at which it began the answered attempt. */
export type Outcome =
  | { kind: 'answered'; body: unknown; at: string }
  | { kind: 'refused'; status: number; at: string; text: string }
  /** Its answers do not tell whether it took effect. */
  | { kind: 'unknown' };

export interface Sending {
  /** It has an Idempotency-Key or is idempotent by itself: the client repeats it until it is answered. */
  isRepeatable: boolean;
  idempotencyKey?: string | undefined;
}

export const repeatable: Sending = { isRepeatable: true };

/** Half of all requests have an Idempotency-Key. */
export const sendingOf = ({ machine, name }: Part): Sending => {
  const idempotencyKey = machine.random.chance(0.5) ? `key of ${name}` : undefined;
  return { idempotencyKey, isRepeatable: idempotencyKey !== undefined };
};

/** Makes a process do a piece of work, during which it may die. Answers undefined then. */
const serve = <T>(
  machine: Machine,
  operation: string,
  run: () => Promise<T>,
): Promise<{ value: T } | { error: unknown } | undefined> =>
  new Promise((resolve) => {
    const { random, trouble, processes } = machine;
    const callsLeft = random.chance(trouble.deaths) ? 1 + random.below(12) : Number.POSITIVE_INFINITY;
    const onDeath = (): void => resolve(undefined);
    const work = { machine, process: random.of(processes), operation, callsLeft, isDead: false, onDeath };
    works.run(work, () => {
      run().then(
        (value) => work.isDead || resolve({ value }),
        (error) => work.isDead || resolve({ error }),
      );
    });
  });

/** Makes a process do work that nobody waits for. */
export const serveAlone = async ({ machine, name }: Part, run: () => Promise<unknown>): Promise<Outcome> => {
  await serve(machine, name, run);
  return { kind: 'unknown' };
};

const mostAttempts = 9;

/**
 * Sends a request like a client, again and again if it may. `run` is told the client's key, and the id of the attempt.
 */
export const send = async (
  { machine, world: { store }, name }: Part,
  { idempotencyKey, isRepeatable }: Sending,
  run: (asker: { by: string; keyId: string }) => Promise<unknown>,
): Promise<Outcome> => {
  const { random } = machine;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    let at = '';
    const result = await serve(machine, name, async () => {
      const handler = (): Promise<unknown> => {
        at = timestamp(now());
        return run({ by: `${name}.${attempt}`, keyId: 'key' });
      };
      if (idempotencyKey === undefined) return handler();
      const answerOf = (body: unknown) => ({ statusCode: 200, headers: {}, body: JSON.stringify(body) });
      const { answer } = await answerOnce({ store, keyId: 'key', idempotencyKey, request: name, answerOf }, handler);
      return JSON.parse(answer.body);
    });
    if (result && 'value' in result) return { kind: 'answered', body: result.value, at };
    const error = result?.error;
    const status = error instanceof Problem ? error.status : 500;
    if (error instanceof Problem && status < 500 && status !== 409)
      return { kind: 'refused', status, at, text: error.message };
    if (result && status === 500 && !isInjected(error))
      machine.alarms.push(`${name} failed by itself: ${error instanceof Error ? error.stack : error}`);
    // A 503 says that nothing was changed.
    if (status === 500 && !isRepeatable) return { kind: 'unknown' };
    await machine.sleep(random.below(random.chance(0.2) ? 60_000 : 500));
  }
  return { kind: 'unknown' };
};
