import { mkdirSync } from 'node:fs';
import { startFauxqs } from 'fauxqs';

/** The SQS server that the deliveries go through. */
export interface Queue {
  name: string;
  endpoint: string;
  stop: () => Promise<void>;
}

/**
 * Starts an SQS server that keeps its messages in `dir`, or in memory if there is none. Where AWS_ENDPOINT_URL_SQS is
 * set, that server is used instead.
 */
export const startQueue = async (dir?: string): Promise<Queue> => {
  const given = process.env.AWS_ENDPOINT_URL_SQS;
  if (given) return { name: `the queue at ${given}`, endpoint: given, stop: async () => {} };
  if (dir) mkdirSync(dir, { recursive: true });
  const server = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1', ...(dir && { dataDir: dir }) });
  return { name: 'fauxqs', endpoint: `http://127.0.0.1:${server.port}`, stop: () => server.stop() };
};
