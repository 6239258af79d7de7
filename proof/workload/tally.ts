/** Counts words. A report lists them sorted. */
export const createTally = (words: Iterable<string> = []) => {
  const counts = new Map<string, number>();
  const add = (word: string): void => void counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const word of words) add(word);
  return { add, toJSON: (): Record<string, number> => Object.fromEntries([...counts].sort()) };
};

export type Tally = ReturnType<typeof createTally>;
