/** One operation of a recorded history. `start` and `end` are places in one order of all starts and ends. */
export interface Operation<S> {
  start: number;
  end: number;
  /** The state after it, if it began in `state` and what it answered fits; else undefined. Leaves `state` as it is. */
  apply: (state: S) => S | undefined;
}

/**
 * Whether the operations could have happened one at a time, each at some moment between its start and its end, and
 * answered what they did; and ended in a state that `isEnd` accepts. Tries every order: for few operations only.
 */
export const isLinearizable = <S>(
  initial: S,
  operations: readonly Operation<S>[],
  isEnd: (state: S) => boolean,
): boolean => {
  const failed = new Set<string>();
  const goesOn = (state: S, left: readonly Operation<S>[]): boolean => {
    if (left.length === 0) return isEnd(state);
    const place = JSON.stringify([left.map(({ start }) => start), state]);
    if (failed.has(place)) return false;
    const firstEnd = Math.min(...left.map(({ end }) => end));
    const found = left.some((operation) => {
      // What started after another had ended cannot have come before it.
      if (operation.start > firstEnd) return false;
      const next = operation.apply(state);
      return next !== undefined && goesOn(next, left.toSpliced(left.indexOf(operation), 1));
    });
    if (!found) failed.add(place);
    return found;
  };
  return goesOn(initial, operations);
};
