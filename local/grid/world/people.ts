import { newKey } from '../keys.ts';
import type { Functions } from '../lsl/library.ts';
import { isKey, nullKey, ScriptError, Vector } from '../lsl/values.ts';
import type { Body } from './object.ts';

const lookUp = (body: Body, kind: 'key' | 'username', of: string): string =>
  body.around.mayLookUp() ? body.dataserver((tell) => body.around.lookUp(kind, of, tell)) : nullKey;

const environment = ({ around }: Body, name: string): string => {
  if (name === 'simulator_hostname') return around.host();
  // In Unix seconds.
  if (name === 'region_start_time') return String(Math.floor(around.regionStartedAt() / 1000));
  throw new ScriptError(`llGetEnv: this world does not know ${name}`);
};

/** LSL's functions for the object itself, its region, avatars and their L$. */
export const people = (body: Body): Functions => ({
  'key llGetOwnerKey(key)': (of: string) => body.around.ownerOf(of) ?? of,
  'key llGetOwner()': () => body.prim.owner,
  'key llGetKey()': () => body.id,
  'vector llGetAgentSize(key)': (avatar: string) =>
    body.around.isPresent(avatar) ? new Vector(0.45, 0.6, 1.9) : new Vector(0, 0, 0),
  // A prim without a group is in the group of the null key.
  'integer llSameGroup(key)': (of: string) => {
    const { group } = body.prim;
    const isThere = body.around.isPresent(of) && of !== nullKey;
    return Number((of === nullKey ? '' : of) === group || (isThere && body.around.groupOf(of) === group));
  },
  'vector llGetPos()': () => new Vector(128, 64, 22),
  'string llGetObjectName()': () => body.name,
  'string llGetRegionName()': () => body.around.region(),
  'string llGetEnv(string)': (name: string) => environment(body, name),
  'integer llGetUnixTime()': () => Math.floor(body.clock.now() / 1000),
  // In UTC, with microseconds.
  'string llGetTimestamp()': () => new Date(body.clock.now()).toISOString().replace('Z', '000Z'),
  // In UTC.
  'string llGetDate()': () => new Date(body.clock.now()).toISOString().slice(0, 10),
  'key llDetectedKey(integer)': (place: number) => body.detected[place] ?? nullKey,
  'key llRequestUserKey(string)': (username: string) => lookUp(body, 'key', username),
  'key llRequestUsername(key)': (uuid: string) => lookUp(body, 'username', uuid),
  'string llGetUsername(key)': (uuid: string) => body.around.nameOf(uuid) ?? '',
  'void llRequestPermissions(key, integer)': (of: string, wanted: number) => {
    // Nobody can give permissions for a group.
    if (!body.prim.isDeeded) body.around.dialog(of, `permissions ${wanted}`, ['Allow', 'Deny'], Number.NaN);
  },
  'integer llGetPermissions()': () => body.granted,
  'key llTransferLindenDollars(key, integer)': (to: string, amount: number) => {
    const transaction = newKey();
    const tell = (error?: string): void =>
      void body.script().send('transaction_result', transaction, error ? 0 : 1, error ?? `${to},${amount}`);
    body.later(() => {
      if ((body.granted & 2) === 0) tell('MISSING_PERMISSION_DEBIT');
      else if (body.prim.isDeeded) tell('GROUP_OWNED');
      else if (!isKey(to)) tell('INVALID_DESTINATION');
      else if (amount <= 0) tell('INVALID_AMOUNT');
      else if (!body.around.mayTransfer()) tell('THROTTLED');
      else body.around.transfer(to, amount, tell, transaction);
    });
    return transaction;
  },
});
