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

/** Starts an engine in memory and leads this process's SDK to it. Returns a function that ends the engine. */
export default async function startTestEngine(): Promise<() => Promise<void>> {
  const engine = await startEngine();
  setEnvironment(engine.endpoint);
  return () => engine.stop();
}
