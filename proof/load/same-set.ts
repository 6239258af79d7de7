/** Compares two sets. A missing element was lost; a surplus one was doubled, or made by a refused request. */
export const sameSet = (what: string, there: readonly string[], known: Iterable<string>): string[] => {
  const [found, expected] = [new Set(there), new Set(known)];
  const lost = [...expected].filter((one) => !found.has(one));
  const surplus = [...found].filter((one) => !expected.has(one));
  return [
    ...lost.map((one) => `${what} ${one} was acknowledged, but is not there`),
    ...surplus.map((one) => `${what} ${one} is there, but was never acknowledged`),
    ...(found.size < there.length ? [`${there.length - found.size} of ${what} are there twice`] : []),
  ];
};
