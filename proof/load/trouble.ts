import { setTimeout as sleep } from 'node:timers/promises';
import { source } from '../../lib/clock.ts';
import type { LocalDispenser } from '../../local/start/dispenser.ts';
import type { Book } from '../workload/book.ts';
import { noteOf } from '../workload/checks/deliveries.ts';
import type { KillableService } from './killable-service.ts';
import type { Recorder } from './recorder.ts';

const clockEverySeconds = 4;
/** Less than the age at which a dispenser refuses an order, since its clock moves a moment before the service's. */
const clockStepSeconds = 240;
const spellEverySeconds = 10;
const spellSeconds = 2;
const spells = ['error', 'lost', 'garbage', 'slow'] as const;
/** Longer than the longest pause before a worker retries a delivery. */
const patienceSeconds = 200;

/** Moves the clock of this process and of the service. A later start of the service continues with it. */
export const createClock = () => {
  let advancedMillis = 0;
  source.now = () => Date.now() + advancedMillis;
  return {
    advancedMillis: () => advancedMillis,
    advance: (seconds: number): void => {
      advancedMillis += seconds * 1000;
    },
  };
};

/** Calls the local service's development endpoints. Undefined if the call fails, as it may under faults. */
const dev = async (baseUrl: string, path: string, body: object): Promise<Record<string, unknown> | undefined> => {
  try {
    const response = await fetch(`${baseUrl}/_dev/${path}`, { method: 'POST', body: JSON.stringify(body) });
    return response.ok ? ((await response.json()) as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

interface Options {
  /** The seconds during which the service is killed now and then. Afterwards it must only handle the load. */
  killSeconds: number;
  killEverySeconds: number;
  baseUrl: string;
  killable: KillableService;
  dispenser: LocalDispenser;
  clock: ReturnType<typeof createClock>;
  recorder: Recorder;
  book: Book;
  onProgress: (text: string) => void;
}

/** Waits until nothing is queued, and the dispenser has given everything that was acknowledged. */
const untilAllGiven = async ({ dispenser, recorder, book, onProgress }: Options): Promise<void> => {
  const isAllGiven = (): boolean => {
    const notes = new Set(dispenser.inbox().map(({ message }) => noteOf(message)));
    return (
      recorder.queued() === 0 && [...book.deliveries].every(([note, { isRefunded }]) => isRefunded || notes.has(note))
    );
  };
  const until = recorder.seconds() + patienceSeconds;
  for (let round = 0; !isAllGiven() && recorder.seconds() < until; round++) {
    // A registration puts waiting deliveries on the queue again.
    if (round % 4 === 0) await dispenser.registerAgain();
    onProgress(`${dispenser.inbox().length} given of ${book.deliveries.size} deliveries, ${recorder.queued()} queued`);
    await sleep(2500);
  }
};

/**
 * Kills service and engine in turn, moves the clock and sweeps, and lets the dispenser misbehave. It does one step
 * after another, so that a starting service does not get the time twice.
 */
export const makeTrouble = (options: Options) => {
  const { killSeconds, killEverySeconds, baseUrl, killable, dispenser, clock, recorder } = options;
  let over = false;

  const moveClock = async (): Promise<void> => {
    clock.advance(clockStepSeconds);
    await dev(baseUrl, 'clock', { advanceSeconds: clockStepSeconds });
    await dev(baseUrl, 'sweep', {});
  };

  const kill = async (what: 'service' | 'engine'): Promise<void> => {
    const at = recorder.seconds();
    await (what === 'service' ? killable.killService() : killable.killEngine());
    await killable.start();
    killable.setFaults(true);
    recorder.onKill(at, what);
  };

  const run = async (): Promise<void> => {
    let kills = 0;
    for (let second = 1; !over; second++) {
      await sleep(1000);
      const elapsed = recorder.seconds();
      // Kills each at least once, even on a machine that restarts them slowly.
      if ((elapsed < killSeconds || kills < 2) && elapsed >= (kills + 1) * killEverySeconds)
        await kill(kills++ % 2 === 0 ? 'service' : 'engine');
      if (second % clockEverySeconds === 0) await moveClock();
      const mode = spells[Math.floor(second / spellEverySeconds) % spells.length];
      if (second % spellEverySeconds === 5 && mode) await dispenser.behave({ mode, millis: 300 });
      if (second % spellEverySeconds === 5 + spellSeconds) {
        await dispenser.behave({});
        // A registration puts waiting deliveries on the queue again.
        await dispenser.registerAgain();
      }
    }
  };
  const running = run();

  return {
    /** Ends all faults, after the current step, and waits until nothing is queued or due. */
    bringToRest: async (): Promise<void> => {
      over = true;
      await running;
      killable.setFaults(false);
      await dispenser.behave({});
      await untilAllGiven(options);
      await moveClock();
      // It answers how many lots were due.
      while ((await dev(baseUrl, 'sweep', {}))?.lots !== 0);
    },
  };
};
