import type { Functions } from '../lsl/library.ts';
import { memoryBytes, ScriptReset } from '../lsl/script.ts';
import { inventory } from './inventory.ts';
import { Body } from './object.ts';
import { people } from './people.ts';
import { prims } from './prims.ts';
import { speech } from './speech.ts';
import { web } from './web.ts';

/** LSL's functions for the timer and memory of the script itself. */
const own = (body: Body): Functions => ({
  'void llSetTimerEvent(float)': (interval: number) => body.setTimer(interval),
  'void llSleep(float) waits': (duration: number) => {
    // A script sleeps even in a region without other delays.
    body.seconds += Math.max(0, duration);
  },
  'void llResetScript()': () => {
    throw new ScriptReset();
  },
  'integer llGetFreeMemory()': () => memoryBytes - body.script().memory().used,
  'integer llGetUsedMemory()': () => body.script().memory().used,
});

/** LSL's functions for linkset data. Each call uses the present linkset of the script's prim. */
const memory = ({ id, prim }: Body): Functions =>
  Object.fromEntries(
    Object.keys(prim.linkset.data.functionsOf(id)).map((signature) => [
      signature,
      (...values: never[]) => prim.linkset.data.functionsOf(id)[signature]?.(...values),
    ]),
  );

/**
 * The functions with which a script acts on its object and the world, within the limits that the platform documents.
 */
const tables = [inventory, prims, speech, web, memory, people, own];

/** Makes the state of a script in a prim, with its functions. */
export const createBody = (...parts: ConstructorParameters<typeof Body>): Body & { functions: Functions } => {
  const body = new Body(...parts);
  const functions: Functions = Object.assign({}, ...tables.map((table) => table(body)));
  return Object.assign(body, { functions });
};
