/** One operation of a recorded history. `start` and `end` are positions in the sequence of all starts and ends. */
export interface Operation<S> {
  start: number;
  end: number;
  /**
   * The state after the operation if it began in `state`; undefined if its answer contradicts that. Does not change
   * `state`.
   */
  apply: (state: S) => S | undefined;
}

/**
 * True if some order of the operations explains their answers and ends in a state that `isEnd` accepts. Each operation
 * counts as one moment between its start and its end. Tries every order, so the history must be short.
 */
export const isLinearizable = <S>(
  initial: S,
  operations: readonly Operation<S>[],
  isEnd: (state: S) => boolean,
): boolean => {
  const failed = new Set<string>();
  const goesOn = (state: S, left: readonly Operation<S>[]): boolean => {
    if (left.length === 0) return isEnd(state);
    const place = (): string => JSON.stringify([left.map(({ start }) => start), state]);
    // Most histories are explained by the first order that is tried.
    if (failed.size > 0 && failed.has(place())) return false;
    const firstEnd = Math.min(...left.map(({ end }) => end));
    const found = left.some((operation) => {
      // An operation that started after another ended cannot come before it.
      if (operation.start > firstEnd) return false;
      const next = operation.apply(state);
      return next !== undefined && goesOn(next, left.toSpliced(left.indexOf(operation), 1));
    });
    if (!found) failed.add(place());
    return found;
  };
  return goesOn(initial, operations);
};
