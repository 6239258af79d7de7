import type { Route } from '../../lib/routes/route.ts';
import type { Effort } from '../workload/client.ts';
import type { Sample } from './faults.ts';

/** Latency in milliseconds, to a tenth. */
interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface Kill {
  at: number;
  what: 'service' | 'engine';
  /** The seconds for which the service was down. */
  seconds: number;
}

const percentiles = (millis: readonly number[]): Percentiles => {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(10 * (sorted[Math.floor(sorted.length * part)] ?? 0)) / 10;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
};

const median = (values: readonly number[]): number => percentiles(values).p50;

/** Memory of one start of the service, in MB. The heap counts right after a garbage collection. */
export interface Memory {
  /** Seconds from the first to the last sample. */
  seconds: number;
  early: { rss: number; heapUsed: number };
  late: { rss: number; heapUsed: number };
}

/** Compares the second quarter of a start's run, when all code is warm, with the last quarter. */
const memoryOf = (samples: readonly (Sample & { at: number })[]): Memory => {
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const between = (from: number, to: number) => {
    const some = samples.filter(({ at }) => at >= first + from * (last - first) && at <= first + to * (last - first));
    const megabytes = (values: readonly number[]): number => Math.round(median(values) / 100_000) / 10;
    return {
      rss: megabytes(some.map(({ rss }) => rss)),
      heapUsed: megabytes(some.filter(({ collected }) => collected).map(({ heapUsed }) => heapUsed)),
    };
  };
  return { seconds: Math.round(last - first), early: between(0.25, 0.5), late: between(0.75, 1) };
};

/** The worst figures of any request, with its endpoint. */
const newWorst = () => ({
  refusalsInARow: { count: 0, endpoint: '' },
  wait: { seconds: 0, endpoint: '', heard: {} as Record<string, number> },
});

const addTo = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const sortedCounts = (counts: Map<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)));

/** Records rate, latency and memory. */
export const createRecorder = () => {
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 100) / 10;
  const reads: number[] = [];
  const writes: number[] = [];
  const statuses = new Map<string, number>();
  const endpoints = new Map<string, number>();
  const complaints = new Map<string, number>();
  const memory: (Sample & { at: number; start: number })[] = [];
  const kills: Kill[] = [];
  const worst = newWorst();
  let lost = 0;
  let complaint = '';

  return {
    seconds,
    onAnswer: ({ id, method, status }: Route, answered: number, millis: number): void => {
      (method === 'GET' ? reads : writes).push(millis);
      addTo(statuses, String(answered));
      if (answered === status) addTo(endpoints, id);
    },
    onLost: (): void => {
      lost += 1;
    },
    onSettled: ({ id }: Route, { heard, refusalsInARow, millis }: Effort): void => {
      const seconds = Math.round(millis / 100) / 10;
      if (refusalsInARow > worst.refusalsInARow.count) worst.refusalsInARow = { count: refusalsInARow, endpoint: id };
      if (seconds <= worst.wait.seconds) return;
      const counts = new Map<string, number>();
      for (const status of heard) addTo(counts, status);
      worst.wait = { seconds, endpoint: id, heard: sortedCounts(counts) };
    },
    onSample: (sample: Sample, start: number): void => {
      memory.push({ at: seconds(), start, ...sample });
    },
    /**
     * Takes a line of the service's error output. Of a stack it keeps the first line and the first of our functions.
     */
    onComplaint: (line: string): void => {
      const place = /at (?:async )?(\S+) .*?((?:lib|functions|local)\/(?!store\/meter)\S+?):\d/.exec(line);
      if (/^\S/.test(line)) complaint = line.replace(/127\.0\.0\.1:\d+/g, 'loopback');
      if (complaint && (place || !/Error|Exception/.test(complaint))) {
        addTo(complaints, place ? `${complaint} (${place[1]}, ${place[2]})` : complaint);
        complaint = '';
      }
    },
    /** The number of queued deliveries in the latest sample. */
    queued: () => memory.at(-1)?.queued,
    onKill: (kill: Kill): void => {
      kills.push(kill);
    },
    answers: (): number => reads.length + writes.length,
    /** True once every row has answered correctly. */
    hasAnswered: (rows: readonly Route[]): boolean => rows.every(({ id }) => endpoints.has(id)),
    summary: () => ({
      seconds: seconds(),
      answers: reads.length + writes.length,
      answersPerSecond: Math.round((reads.length + writes.length) / seconds()),
      attemptsWithoutAnswer: lost,
      statuses: sortedCounts(statuses),
      millis: { reads: percentiles(reads), writes: percentiles(writes) },
      worst,
      complaints: sortedCounts(complaints),
      kills,
      memory: memoryOf(memory.filter(({ start }) => start === memory.at(-1)?.start)),
      endpoints: sortedCounts(endpoints),
    }),
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
