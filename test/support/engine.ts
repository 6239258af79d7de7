import { startEngine } from '../../local/engines/engine.ts';

/** Starts an engine in memory and leads this process's SDK to it. Returns a function that ends the engine. */
export default async function startTestEngine(): Promise<() => Promise<void>> {
  const engine = await startEngine();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    CURSOR_SECRET: 'a secret that only the tests know, and nobody else',
    KEY_STAGE: 'test',
  });
  return () => engine.stop();
}
