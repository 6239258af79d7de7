/**
 * Refuses waiting rows if all rows that they need are refused, and then the rows that wait for these. Returns the rows
 * that it refused. A file may be one long chain, so a row is looked at only when a row that it needs is refused.
 */
export const refuseWaiting = <R extends { line: number }>(
  waiting: readonly R[],
  linesOf: (row: R) => readonly number[],
  isRefused: (line: number) => boolean,
  refuse: (row: R) => void,
): R[] => {
  const isLost = (row: R): boolean => linesOf(row).every(isRefused);
  const waitingFor = new Map<number, R[]>();
  for (const row of waiting)
    for (const line of linesOf(row)) {
      const others = waitingFor.get(line);
      if (others) others.push(row);
      else waitingFor.set(line, [row]);
    }
  const lost = new Set(waiting.filter(isLost));
  // The loop also visits rows that it adds to the set itself.
  for (const row of lost) {
    refuse(row);
    for (const other of waitingFor.get(row.line) ?? []) if (isLost(other)) lost.add(other);
  }
  return [...lost];
};
