import { startEngine } from '../../local/engine.ts';

/** Starts one engine in memory for the whole run. Each test file makes its own table in it. */
export default async function setup(): Promise<() => Promise<void>> {
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
