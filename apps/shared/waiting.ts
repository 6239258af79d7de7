/**
 * Refuses rows of a file that wait only for refused rows, and then the rows that wait for them. Returns the rows that
 * it refused. A file may be one long chain of such rows, so each row is looked at when what it waits for is refused.
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
  // The loop also visits rows that are added to the set during the loop.
  for (const row of lost) {
    refuse(row);
    for (const other of waitingFor.get(row.line) ?? []) if (isLost(other)) lost.add(other);
  }
  return [...lost];
};
