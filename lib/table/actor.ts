import { AsyncLocalStorage } from 'node:async_hooks';
import { newId, now } from '../clock.ts';
import { uuidPattern } from '../identifier.ts';
import { type ActorType, actorTypes, deletable, watched as watchedAttributes } from '../watched.ts';
import { partition, placeOf } from './keys.ts';
import { type Item, put, type Write } from './language.ts';
import { type Key, ttlAttribute } from './schema.ts';

/**
 * Who makes a change travels with its write. The table signs each write of an attribute that the journal watches, so no
 * verb can forget it. The stream's consumer tells the journal by the signature.
 */

/** Who makes the writes of a request or of a command. */
export interface Actor {
  type: Exclude<ActorType, 'unknown'>;
  /** The id of the API key, or the UUID of the customer. */
  id?: string;
  requestId?: string;
}

/** The number of signatures tells two writes of one request apart. */
const actors = new AsyncLocalStorage<(Actor & { signatures: number }) | undefined>();

/** Runs `work`, whose writes say that `actor` makes them. Without an actor they say nothing. */
export const actedBy = <T>(actor: Actor | undefined, work: () => T): T =>
  actors.run(actor && { ...actor, signatures: 0 }, work);

/** The attribute with the signature of the last signed write. Lists read it with every row, so it is short. */
export interface Signed {
  by?: string;
}

/** A UUID in 22 characters; any other text as it is. */
const packed = (id: string): string =>
  uuidPattern.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url') : id;

const unpacked = (text: string): string =>
  /^[\w-]{22}$/.test(text)
    ? Buffer.from(text, 'base64url')
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    : text;

const base = 36;

/** A new signature: the type's letter and the id, the request, the time, and its number. Undefined if nobody acts. */
const newSignature = (): string | undefined => {
  const actor = actors.getStore();
  if (!actor) return undefined;
  const { type, id = '', requestId = '' } = actor;
  actor.signatures += 1;
  return [type[0] + packed(id), packed(requestId || newId()), now().toString(base), actor.signatures].join('#');
};

/** The actor of a signature, and the time of the write in milliseconds. */
export const actorOf = (signature: string): Actor & { millis: number } => {
  const [who = '', request = '', time = ''] = signature.split('#');
  const type = actorTypes.find((one) => one[0] === who[0]) as Actor['type'];
  const id = unpacked(who.slice(1));
  const isRequest = type === 'key' || type === 'customer';
  const millis = Number.parseInt(time, base);
  return { type, ...(id && { id }), ...(isRequest && { requestId: unpacked(request) }), millis };
};

const watchedOfKinds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(watchedAttributes).map(([kind, names]) => [kind, new Set<string>(names)]),
);

const watchedOf = (key: Key): ReadonlySet<string> | undefined => {
  const { kind, part } = placeOf(key);
  return part === undefined ? watchedOfKinds.get(kind) : undefined;
};

const sets = (values: Item | undefined, watched: ReadonlySet<string>): boolean =>
  Object.keys(values ?? {}).some((name) => watched.has(name));

/** The write, signed if it sets an attribute that the journal watches. To add to an attribute is not to set it. */
export const signed = (write: Write): Write => {
  if (write.kind !== 'put' && write.kind !== 'update') return write;
  const watched = watchedOf(write.kind === 'put' ? write.item : write.key);
  if (!watched) return write;
  if (write.kind === 'put') {
    const by = sets(write.item, watched) ? newSignature() : undefined;
    return by === undefined ? write : { ...write, item: { ...write.item, by } };
  }
  const { set, ifMissing } = write.change;
  const by = sets(set, watched) || sets(ifMissing, watched) ? newSignature() : undefined;
  return by === undefined ? write : { ...write, change: { ...write.change, set: { ...set, by } } };
};

/** A consumer reads the signature of a removal within this time: DynamoDB keeps a record for a day. */
const keepSeconds = 2 * 86_400;

/** The key under which the table keeps the signature of a removal, since the removed item is gone. */
export const removalKey = (key: Key): Key => {
  const { kind, store } = placeOf(key);
  return { pk: partition(store, 'REMOVED'), sk: `${kind}#${key.sk}` };
};

/** True for the removal of a thing by somebody, which the journal tells. An erasure removes other items. */
export const isSignedRemoval = (write: Write): write is Extract<Write, { kind: 'remove' }> => {
  if (write.kind !== 'remove' || !actors.getStore()) return false;
  const { kind, part } = placeOf(write.key);
  return part === undefined && deletable.includes(kind);
};

/** The writes that sign the removals among these writes. They belong in the same transaction. */
export const removalSignatures = (writes: readonly Write[]): Write[] =>
  writes.filter(isSignedRemoval).map(({ key }) => {
    const ends = { [ttlAttribute]: Math.ceil(now() / 1000) + keepSeconds };
    return put({ ...removalKey(key), by: newSignature(), ...ends });
  });
