/** Replaces the state that a process keeps. With it, a simulation runs several processes in one. */
export const processOverride: { stateOf?: <T>(make: () => T) => T } = {};

/** The state that a process keeps between requests. It is made when it is first needed. */
export const perProcess = <T>(make: () => T): (() => T) => {
  let own: { state: T } | undefined;
  return () => {
    if (processOverride.stateOf) return processOverride.stateOf(make);
    own ??= { state: make() };
    return own.state;
  };
};
