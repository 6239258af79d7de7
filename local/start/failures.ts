import type { LocalOptions } from './options.ts';
import { findHolder, isLocalService } from './running.ts';

/** Advises a person if the local service could not start. */

const anotherPort = 'npm start -- --port 0 takes any that is free.';
const anotherFolder = 'choose another one: npm start -- --data-dir <folder>.';

const whoHasThePort = async ({ port, dataDir }: LocalOptions): Promise<string> => {
  const holder = findHolder(dataDir);
  if (holder !== undefined)
    return `The service is starting here already, as process ${holder}: its link appears in its terminal in some seconds.`;
  const baseUrl = `http://127.0.0.1:${port}`;
  return (await isLocalService(baseUrl))
    ? `Another local service is already running on port ${port}, with other data: ${baseUrl}/desk. Stop it with Ctrl-C in its terminal, or choose another port: ${anotherPort}`
    : `Port ${port} is taken by another program. End that one, or choose another port: ${anotherPort}`;
};

/** Turns an error of the start into a message that says what to do. */
export const explainFailure = async (
  { code = '', syscall, path, message }: NodeJS.ErrnoException,
  options: LocalOptions,
): Promise<string> => {
  const { port, dataDir } = options;
  if (code === 'EADDRINUSE') return whoHasThePort(options);
  if (syscall === 'listen' && ['EACCES', 'EPERM'].includes(code))
    return `Port ${port} may not be used: the system keeps it, as it keeps most below 1024. Choose another: ${anotherPort}`;
  if (path === undefined) return message;
  if (['EEXIST', 'ENOTDIR'].includes(code)) return `${dataDir} is a file, or in one. For the data ${anotherFolder}`;
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return `The folder ${dataDir} may not be written. Change who may write there, or ${anotherFolder} (${message})`;
  return message;
};
