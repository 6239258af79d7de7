import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { note } from '../terminal/output.ts';

/** The path of a key that only this user of this machine can read. */
const keyFile = (): string =>
  join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'store-integration-service', 'listen.key');

const readOrMake = (): string => {
  const path = keyFile();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      note(`The secret is another one at the next start: ${path} cannot be written. (${message})`);
      return randomBytes(32).toString('hex');
    }
  }
  return readFileSync(path, 'utf8');
};

/**
 * The secret with which `store listen` signs forwarded events. It stays the same for a user, a machine, a deployment
 * and a store, so the local program needs it only once. Its 32 bytes are letters and digits, as in every webhook's
 * secret.
 */
export const listenSecret = (tableName: string, store: string): string => {
  const text = createHmac('sha256', readOrMake()).update(`${tableName}\n${store}`).digest('hex').slice(0, 32);
  return `whsec_${Buffer.from(text).toString('base64')}`;
};
