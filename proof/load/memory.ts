import type { Memory } from './recorder.ts';

const maxHeapGrowth = 10;
const maxRssGrowth = 0.25;
/** A younger process is still growing: on a busy machine 204 MB became 276 with the same heap. */
const grownUpSeconds = 300;
const maxYoungGrowth = 100;

/** Compares memory in the second and the last quarter of the last start's run. Sizes are in MB. */
export const memoryFaults = ({ seconds, early, late }: Memory): string[] => {
  if (!(early.heapUsed > 0 && late.heapUsed > 0)) return [`${seconds} s are too short a life to compare memory in`];
  const faults: string[] = [];
  if (late.heapUsed >= early.heapUsed + maxHeapGrowth)
    faults.push(`the heap grew from ${early.heapUsed} MB to ${late.heapUsed} MB`);
  const allowance = seconds < grownUpSeconds ? maxYoungGrowth : 0;
  if (late.rss > early.rss * (1 + maxRssGrowth) + allowance)
    faults.push(`the process grew from ${early.rss} MB to ${late.rss} MB`);
  return faults;
};
