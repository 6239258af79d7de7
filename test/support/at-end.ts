type CleanUp = () => void | Promise<void>;

const cleanUps: CleanUp[] = [];

/**
 * Calls `cleanUp` at the end of the test file, the last one first. Vitest forgets an `afterAll` that a hook or a test
 * calls: in a worker that its files share, the service would run on beside the files that follow.
 */
export const atEnd = (cleanUp: CleanUp): void => void cleanUps.push(cleanUp);

/** Calls them all; throws the first error of any. */
export const cleanUpAll = async (): Promise<void> => {
  const errors: unknown[] = [];
  for (let next = cleanUps.pop(); next; next = cleanUps.pop()) {
    try {
      await next();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};
