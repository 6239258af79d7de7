import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { source } from '../../lib/clock.ts';
import { virtualClock } from '../../local/grid/world/clock.ts';
import { createWorld } from '../../local/grid/world/world.ts';

/** Runs programs of the documents in languages other than TypeScript. */

/** False on a machine without Python, which proves nothing about programs in Python. That of CI has it. */
export const hasPython = (): boolean => {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  console.warn('There is no python3 here: the programs in Python were not run.');
  expect(process.env.CI).toBeUndefined();
  return false;
};

/** The avatar who owns the object of the script and touches it. */
export const avatar = '99999999-2222-3333-4444-555555555555';

/** Runs a script in an object of a made-up region. `told` is all that it says. */
export const runScript = (script: string, send: Parameters<typeof createWorld>[0]['send']) => {
  const told: string[] = [];
  const clock = virtualClock(source.now());
  let giveAddress: ((url: string) => void) | undefined;
  const world = createWorld({
    ...{ clock, delays: false, nameOf: () => undefined, uuidOf: () => undefined, mayLookUp: () => true },
    ...{ onSay: (_: unknown, text: string) => void told.push(text), onMessage: () => {}, lookUp: () => {}, send },
    grantUrl: (give) => {
      giveAddress = give;
    },
  });
  const object = world.rez({ owner: avatar, name: 'reader', script, notecards: {}, items: [] });
  clock.advance(1);
  return { world, object, clock, told, grant: (url: string) => giveAddress?.(url) };
};
