import { newId, now, timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { answerOnce } from '../../lib/table/idempotency.ts';
import { isInjected } from './environment.ts';
import { type Machine, type Process, works } from './machine.ts';

/**
 * How a request ended for its client. `at` is the time of the service when it took up the attempt that was answered.
 */
export type Outcome =
  | { kind: 'answered'; body: unknown; at: string }
  | { kind: 'refused'; status: number; at: string; text: string }
  /** Nobody can tell from its answers whether it took effect. */
  | { kind: 'unknown' };

export interface Request {
  operation: string;
  /** With an Idempotency-Key, or idempotent by itself: the client repeats it until it is answered. */
  isRepeatable: boolean;
  idempotencyKey?: string | undefined;
  store: string;
  /** `by` is the id of this attempt. */
  run: (by: string) => Promise<unknown>;
}

/** Has a process do a piece of work, which may die. Answers undefined then. */
export const serve = <T>(
  machine: Machine,
  processes: readonly Process[],
  operation: string,
  run: () => Promise<T>,
): Promise<{ value: T } | { error: unknown } | undefined> =>
  new Promise((resolve) => {
    const { random, trouble } = machine;
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

const mostAttempts = 9;

/** Sends a request as a client does, again and again where it may. */
export const send = async (machine: Machine, processes: readonly Process[], request: Request): Promise<Outcome> => {
  const { random } = machine;
  const { operation, store, idempotencyKey, isRepeatable } = request;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    let at = '';
    const run = async (): Promise<unknown> => {
      const by = `${operation}.${attempt}`;
      const handler = (): Promise<unknown> => {
        at = timestamp(now());
        return request.run(by);
      };
      if (idempotencyKey === undefined) return handler();
      const answerOf = (body: unknown) => ({ statusCode: 200, headers: {}, body: JSON.stringify(body) });
      const once = { store, keyId: 'key', idempotencyKey, request: operation, answerOf };
      const { answer } = await answerOnce(once, handler);
      return JSON.parse(answer.body);
    };
    const result = await serve(machine, processes, operation, run);
    if (result && 'value' in result) return { kind: 'answered', body: result.value, at };
    const error = result?.error;
    const status = error instanceof Problem ? error.status : 500;
    if (error instanceof Problem && status < 500 && status !== 409)
      return { kind: 'refused', status, at, text: error.message };
    if (result && status === 500 && !isInjected(error))
      machine.alarms.push(`${operation} failed by itself: ${error instanceof Error ? error.stack : error}`);
    // A 503 says that nothing was changed.
    if (status === 500 && !isRepeatable) return { kind: 'unknown' };
    await machine.sleep(random.below(random.chance(0.2) ? 60_000 : 500));
  }
  return { kind: 'unknown' };
};

/** An id that a client makes. */
export const idOfClient = (machine: Machine, process: Process): string =>
  works.run(
    { machine, process, operation: '', callsLeft: Number.POSITIVE_INFINITY, isDead: false, onDeath: () => undefined },
    () => newId(),
  );
