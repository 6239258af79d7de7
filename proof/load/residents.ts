import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { putResident } from '../../cli/deployment/residents.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { db, dbOnce, tableName } from '../../lib/table/client.ts';
import { startEngine } from '../../local/engines/engine.ts';
import { ensureTable } from '../../local/engines/table.ts';

export const makeResidents = (count: number): Resident[] =>
  Array.from({ length: count }, (_, index) => ({
    uuid: `10ad10ad-0000-0000-0000-${String(index + 1).padStart(12, '0')}`,
    username: `load${index}.tester`,
  }));

/** Starts the engine of a table, and leads this process's calls to it. In a test they go to the engine of its file. */
export const startTableEngine = async (tableDir: string): Promise<Awaited<ReturnType<typeof startEngine>>> => {
  const engine = await startEngine(tableDir);
  const { protocol, hostname, port } = new URL(engine.endpoint);
  const endpoint = { protocol, hostname, port: Number(port), path: '/' };
  for (const { config } of [db, dbOnce])
    Object.assign(config, { isCustomEndpoint: true, endpoint: async () => endpoint });
  return engine;
};

/** Writes residents to the table, since the API cannot. */
export const seedResidents = async (tableDir: string, residents: readonly Resident[]): Promise<void> => {
  const engine = await startTableEngine(tableDir);
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  await ensureTable(client, tableName());
  client.destroy();
  for (const resident of residents) await putResident(resident);
  await engine.stop();
};
