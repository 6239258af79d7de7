import { setEnvironment } from '../support/engine.ts';
import { startForTests } from '../support/local-service.ts';
import { useMemory } from '../support/memory-db.ts';
import { localTarget, type Target } from './setup.ts';

/** Starts the local service in this worker's process, over tables in memory. It ends with the process. */
export const startInProcess = async (): Promise<Target> => {
  setEnvironment('http://127.0.0.1:1');
  useMemory();
  return localTarget(await startForTests());
};
