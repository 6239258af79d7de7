import { setTimeout as sleep } from 'node:timers/promises';

/** Whoever wants to hear of an audit while it runs. */
export interface Listener {
  /** A sentence about one fault. */
  onFault: (fault: string) => void;
  /** How many things have been looked at so far. */
  onChecked: (count: number) => void;
}

/** One sort of thing that an audit looks at. Answers how many there were. */
export type Check = (store: string, listener: Listener) => Promise<number>;

const sideBySide = 25;

/** Does `work` for every row, some side by side, and answers how many there were. */
export const forEvery = async <T>(
  rows: AsyncIterable<T>,
  { onChecked }: Listener,
  work: (row: T) => Promise<void>,
): Promise<number> => {
  let count = 0;
  let batch: T[] = [];
  for await (const row of rows) {
    count += 1;
    batch.push(row);
    if (batch.length < sideBySide) continue;
    await Promise.all(batch.map(work));
    batch = [];
    onChecked(count);
  }
  await Promise.all(batch.map(work));
  return count;
};

const maxLooks = 5;

/**
 * What is wrong by several looks: what is read item by item may be changed in between, so a fault counts only if every
 * look finds one.
 */
export const faultsOf = async (look: () => Promise<string[]>): Promise<string[]> => {
  for (let looks = 1; ; looks++) {
    const faults = await look();
    if (faults.length === 0 || looks === maxLooks) return faults;
    await sleep(20 * looks);
  }
};
