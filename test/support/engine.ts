import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '../../local/engines/engine.ts';

/** Sets what the service reads of its environment, with this address of the table. */
export const setEnvironment = (endpoint: string): void =>
  void Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    CURSOR_SECRET: 'a secret that only the tests know, and nobody else',
    KEY_STAGE: 'test',
  });

/** Starts an engine and leads this process's SDK to it. Returns a function that ends the engine. */
const start = async (dir?: string): Promise<() => Promise<void>> => {
  const engine = await startEngine(dir);
  setEnvironment(engine.endpoint);
  return () => engine.stop();
};

/** Starts one in memory. Vitest calls it with an argument. */
export default function startInMemory(): Promise<() => Promise<void>> {
  return start();
}

/** Starts an engine in a folder, in which many changes of a table with a stream are quicker. */
export const startInFolder = async (): Promise<() => Promise<void>> => {
  const dir = mkdtempSync(join(tmpdir(), 'store-engine-'));
  const stop = await start(dir);
  return async () => {
    await stop();
    rmSync(dir, { recursive: true });
  };
};
