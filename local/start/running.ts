import { join } from 'node:path';
import { isAlive, readJson, type ServiceFile } from './state.ts';

/** Looks for local services that already run on this machine. */

/** Says whether a local service answers at this address. */
export const isLocalService = async (baseUrl: string): Promise<boolean> => {
  try {
    const response = await fetch(`${baseUrl}/_dev/clock`, { signal: AbortSignal.timeout(3000) });
    return 'now' in ((await response.json()) as object);
  } catch {
    return false;
  }
};

/** The id of another process that holds the data directory, if it is alive. */
export const findHolder = (dataDir: string): number | undefined => {
  try {
    const holder = readJson<{ pid: number }>(join(dataDir, 'lock.json'));
    return holder && holder.pid !== process.pid && isAlive(holder.pid) ? holder.pid : undefined;
  } catch {
    // The directory cannot be read. The start says why.
    return undefined;
  }
};

/** The process of the service that holds the data directory, and the link that signs in at its desk, if it answers. */
export const findRunning = async (dataDir: string): Promise<{ pid: number; link: string } | undefined> => {
  const pid = findHolder(dataDir);
  const service = pid === undefined ? undefined : readJson<ServiceFile>(join(dataDir, 'service.json'));
  if (pid === undefined || !service || !(await isLocalService(service.baseUrl))) return undefined;
  return { pid, link: deskLink(service) };
};

/** The link to the desk that signs in with the demo store's key. */
export const deskLink = ({ baseUrl, keys }: Pick<ServiceFile, 'baseUrl' | 'keys'>): string =>
  `${baseUrl}/desk#key=${keys.all}`;
