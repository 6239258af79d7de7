import type { Route } from '../../lib/routes/route.ts';
import { createTally } from '../workload/tally.ts';
import type { Sample } from './faults.ts';

interface Kill {
  at: number;
  what: 'service' | 'engine';
  /** The seconds for which the service was down. */
  seconds: number;
}

const roundToTenth = (value: number): number => Math.round(10 * value) / 10;

/** Latency in milliseconds, to a tenth. */
const percentiles = (millis: readonly number[]) => {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (part: number): number => roundToTenth(sorted[Math.floor(sorted.length * part)] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
};

const megabytes = (bytes: readonly number[]): number => roundToTenth(percentiles(bytes).p50 / 1_000_000);

/**
 * Memory of one start of the service, in MB: in the second quarter of its run, when all code is warm, and in the last
 * quarter. The heap counts right after a garbage collection.
 */
const memoryOf = (samples: readonly (Sample & { at: number })[]) => {
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const between = (from: number, to: number) => {
    const some = samples.filter(({ at }) => at >= first + from * (last - first) && at <= first + to * (last - first));
    return {
      rss: megabytes(some.map(({ rss }) => rss)),
      heapUsed: megabytes(some.filter(({ collected }) => collected).map(({ heapUsed }) => heapUsed)),
    };
  };
  return { seconds: Math.round(last - first), early: between(0.25, 0.5), late: between(0.75, 1) };
};

const maxHeapGrowth = 10;
const maxRssGrowth = 0.25;
/** A younger process is still growing: on a busy machine 204 MB became 276 with the same heap. */
const grownUpSeconds = 300;
const maxYoungGrowth = 100;

export const memoryFaults = ({ seconds, early, late }: ReturnType<typeof memoryOf>): string[] => {
  if (!(early.heapUsed > 0 && late.heapUsed > 0)) return [`${seconds} s are too short a life to compare memory in`];
  const faults: string[] = [];
  if (late.heapUsed >= early.heapUsed + maxHeapGrowth)
    faults.push(`the heap grew from ${early.heapUsed} MB to ${late.heapUsed} MB`);
  const allowance = seconds < grownUpSeconds ? maxYoungGrowth : 0;
  if (late.rss > early.rss * (1 + maxRssGrowth) + allowance)
    faults.push(`the process grew from ${early.rss} MB to ${late.rss} MB`);
  return faults;
};

/** Records rate, latency and memory. */
export const createRecorder = () => {
  const started = performance.now();
  const seconds = (): number => roundToTenth((performance.now() - started) / 1000);
  const [reads, writes]: [number[], number[]] = [[], []];
  const [statuses, endpoints, complaints] = [createTally(), createTally(), createTally()];
  const memory: (Sample & { at: number; start: number })[] = [];
  const kills: Kill[] = [];
  let lost = 0;
  let complaint = '';

  return {
    seconds,
    onAnswer: ({ id, method, status }: Route, answered: number, millis: number): void => {
      (method === 'GET' ? reads : writes).push(millis);
      statuses.add(String(answered));
      if (answered === status) endpoints.add(id);
    },
    onLost: (): void => {
      lost += 1;
    },
    onSample: (sample: Sample, start: number): void => {
      memory.push({ at: seconds(), start, ...sample });
    },
    /**
     * Takes a line of the service's error output. It keeps a stack's first line, and the first line about the service's
     * own code.
     */
    onComplaint: (line: string): void => {
      const place = /at (?:async )?(\S+) .*?((?:lib|functions|local)\/(?!store\/meter)\S+?):\d/.exec(line);
      if (/^\S/.test(line)) complaint = line.replace(/127\.0\.0\.1:\d+/g, 'loopback');
      if (complaint && (place || !/Error|Exception/.test(complaint))) {
        complaints.add(place ? `${complaint} (${place[1]}, ${place[2]})` : complaint);
        complaint = '';
      }
    },
    /** The number of queued deliveries in the latest sample. */
    queued: () => memory.at(-1)?.queued,
    onKill: (at: number, what: Kill['what']): void => {
      kills.push({ at, what, seconds: roundToTenth(seconds() - at) });
    },
    answers: (): number => reads.length + writes.length,
    /** True once every row has answered correctly. */
    hasAnswered: (rows: readonly Route[]): boolean => rows.every(({ id }) => id in endpoints.toJSON()),
    summary: () => ({
      seconds: seconds(),
      answers: reads.length + writes.length,
      answersPerSecond: Math.round((reads.length + writes.length) / seconds()),
      attemptsWithoutAnswer: lost,
      statuses: statuses.toJSON(),
      millis: { reads: percentiles(reads), writes: percentiles(writes) },
      complaints: complaints.toJSON(),
      kills,
      memory: memoryOf(memory.filter(({ start }) => start === memory.at(-1)?.start)),
      endpoints: endpoints.toJSON(),
    }),
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
