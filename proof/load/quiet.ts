import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalDispenser } from '../../local/start/dispenser.ts';
import { checkLists } from '../workload/actions/lists.ts';
import type { Service } from '../workload/client.ts';
import type { KillableService } from './killable-service.ts';
import type { Recorder } from './recorder.ts';
import type { makeTrouble } from './trouble.ts';

/** Longer than the longest pause before a worker retries a delivery. */
const patienceSeconds = 200;

interface Options {
  killable: KillableService;
  dispenser: LocalDispenser;
  trouble: ReturnType<typeof makeTrouble>;
  recorder: Recorder;
  service: Service;
  onProgress: (text: string) => void;
}

/** Ends all faults, waits until nothing is queued or due, and then compares all lists with the book. */
export const bringToRest = async ({ killable, dispenser, trouble, recorder, service, onProgress }: Options) => {
  const { book } = service;
  await trouble.stop();
  killable.setFaults(false);
  await dispenser.behave({});
  const isAllGiven = (): boolean => {
    const notes = new Set(dispenser.inbox().map(({ message }) => message));
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
  await trouble.moveClock();
  while (!(await trouble.sweep()));
  await checkLists(service);
};
