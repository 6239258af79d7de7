/**
 * Where a process keeps its own state. A simulation puts another in its place, so that several processes run in one.
 */
export const keeper: { stateOf?: <T>(make: () => T) => T } = {};

/** The state that a process keeps between requests, made when it is first asked for. */
export const ofProcess = <T>(make: () => T): (() => T) => {
  let own: { state: T } | undefined;
  return () => {
    if (keeper.stateOf) return keeper.stateOf(make);
    own ??= { state: make() };
    return own.state;
  };
};
