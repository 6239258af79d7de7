/** The things after some of them were chosen, or not chosen any more. */
export const choose = <R>(
  chosen: readonly R[],
  things: readonly R[],
  isChosen: boolean,
  keyOf: (thing: R) => string,
): R[] => {
  const keys = new Set(things.map(keyOf));
  const others = chosen.filter((thing) => !keys.has(keyOf(thing)));
  return isChosen ? [...others, ...things] : others;
};

/** How many of the things are chosen. */
export const partOf = <R>(
  chosen: readonly R[],
  things: readonly R[],
  keyOf: (thing: R) => string,
): 'none' | 'some' | 'all' => {
  const keys = new Set(chosen.map(keyOf));
  const found = things.filter((thing) => keys.has(keyOf(thing))).length;
  return found === 0 ? 'none' : found < things.length ? 'some' : 'all';
};

/** All things of a list. If there are more than `most`, one more than that, which tells that there are too many. */
export const readAtMost = async <R>(all: AsyncIterable<R>, most = Number.POSITIVE_INFINITY): Promise<R[]> => {
  const found: R[] = [];
  for await (const thing of all) {
    found.push(thing);
    if (found.length > most) break;
  }
  return found;
};
