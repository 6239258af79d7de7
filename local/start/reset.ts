import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Asks the person at the terminal whether to delete data that they may have made. Without a terminal, --reset is
 * enough.
 */
export const mayReset = async (dataDir: string): Promise<boolean> => {
  if (!process.stdin.isTTY || !process.stdout.isTTY || !existsSync(join(dataDir, 'state.json'))) return true;
  // Loaded only here: nearly no start asks.
  const { confirm } = await import('@clack/prompts');
  const message = `Delete all data in ${dataDir}, what you have made there too, and begin with a new demo?`;
  if ((await confirm({ message, initialValue: false })) === true) return true;
  console.log('Nothing was deleted.');
  return false;
};
