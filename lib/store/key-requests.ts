import { now, timestamp } from '../clock.ts';
import { keyStage, newKey } from '../keys.ts';
import { loaded, type Source } from '../lists/source.ts';
import { forbidden, invalid, notFound, Problem, unauthorized } from '../problem.ts';
import { presetOf, presets } from '../routes/key-presets.ts';
import type { Invitation, IssueKeyBody, KeyAnswer, KeySecretAnswer, KeyState, RotateKeyBody } from '../routes/keys.ts';
import { scopes as allScopes, type Scope } from '../routes/scopes.ts';
import { answer, type Decision, decide, type RefusedWrites, writeAll } from '../table/decide.ts';
import { partition, sharedKey } from '../table/keys.ts';
import { above, all, any, check, exists, is, isNew, isNot, missing, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany } from '../table/table.ts';
import { type ApiKey, findKey, isLive, isVoid, keyFacts, keyState, revoking } from './api-keys.ts';
import { issuing, listedKeys, rotating, successorEnd } from './issued-keys.ts';
import { type LogRow, logOf } from './operator-log.ts';
import { inOrder, issuerOf, shown, shownKey } from './shown-keys.ts';
import { findStore } from './stores.ts';

/**
 * Changes of keys that a key asks for. The gateway may let a key in for a minute after its end, so each change looks at
 * the asking key in its own transaction. A key changes only what it covers, that is, a key without a scope that it
 * lacks.
 */

/** The key of a request, and its store. */
interface Asking {
  store: string;
  keyId: string;
}

const keyOf = (id: string): Key => sharedKey('KEY', id);

/** Reads the issuers of keys too, and answers the keys as they are shown. */
const shownAll = async (keys: readonly ApiKey[]): Promise<KeyAnswer[]> => {
  const known = new Map(keys.map((key) => [key.id, key]));
  const others = keys.flatMap(({ issuedBy }) => (issuedBy && !known.has(issuedBy) ? [keyOf(issuedBy)] : []));
  for (const issuer of await getMany<ApiKey & Key>(others, { consistent: true })) known.set(issuer.id, issuer);
  return keys.map((key) => shown(key, known.get(key.issuedBy ?? '')));
};

/** The keys of a store in the order of their ids, all of them or those in one state. */
export const listShownKeys = (store: string, state?: KeyState): Source<KeyAnswer> =>
  loaded(
    listedKeys(store),
    ({ sk }) => sk,
    async (rows) => {
      const keys = await getMany<ApiKey & Key>(
        rows.map(({ sk }) => keyOf(sk)),
        { consistent: true },
      );
      const answers = await shownAll(keys);
      return state === undefined ? answers : answers.filter((key) => key.state === state);
    },
  );

/** The key of a store with this id. Throws 404. */
const demandKey = async (store: string, id: string): Promise<ApiKey> => {
  const key = await findKey(id);
  if (key?.store !== store) throw notFound();
  return key;
};

/** Throws 404. */
export const getShownKey = async (store: string, id: string): Promise<KeyAnswer> => {
  return shownKey(await demandKey(store, id));
};

/** The asking key as it is now. Throws 401 if it has ended since the gateway let it in. */
export const demandLive = async ({ keyId }: Pick<Asking, 'keyId'>): Promise<ApiKey> => {
  const key = await findKey(keyId);
  if (!key || !isLive(key)) throw unauthorized();
  return key;
};

/** Throws 403 unless the asking key covers these scopes. */
const demandCovered = ({ scopes: held }: ApiKey, scopes: readonly Scope[]): void => {
  const lacking = allScopes.filter((scope) => scopes.includes(scope) && !held.includes(scope));
  if (lacking.length > 0)
    throw forbidden(`A key changes only keys that may do no more than itself. This one lacks ${lacking.join(', ')}.`);
};

/** The asking key lives. */
const lives = () => all(is('status', 'active'), any(missing('expiresAt'), above('expiresAt', timestamp(now()))));

/** Refuses a change if the asking key has ended, or if the store was deleted. */
const guards = ({ store, keyId }: Asking): Write[] => [
  check(keyOf(keyId), lives()),
  check(sharedKey('STORE', store), exists),
];

/** Throws 401 or 404 if one of `guards` refused; otherwise the step reads again. */
const byGuards =
  ({ store, keyId }: Asking) =>
  (refused: RefusedWrites): undefined => {
    const asking = refused.by<ApiKey>(keyOf(keyId));
    if (asking && !(asking.item && isLive(asking.item))) throw unauthorized();
    if (refused.by(sharedKey('STORE', store))) throw notFound();
    return undefined;
  };

type KeyAction = Extract<LogRow['action'], `key.${string}`>;

const logged = ({ store, keyId }: Asking, action: KeyAction, key: ApiKey, more: object = {}): Write[] =>
  logOf(`key ${keyId}`)(action, store, { ...keyFacts(key), ...more });

const hourMillis = 3_600_000;

/** A key that can make keys ends within this time. The local service is not bound by it. */
const longestMillis = 366 * 24 * hourMillis;

/** Throws 400 unless a new key with these scopes may end then. */
const demandEnd = (scopes: readonly Scope[], expiresAt: string | undefined): void => {
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now()) throw invalid('expiresAt must be in the future.');
  if (!scopes.includes('keys:write') || keyStage() === 'test') return;
  if (expiresAt === undefined || Date.parse(expiresAt) > now() + longestMillis)
    throw invalid('expiresAt must be at most 366 days ahead: the key could make other keys.');
};

const mostInHour = 20;
const mostEver = 10_000;

/** The keys and invitations that a store has made through the API. */
interface KeyCount extends Key {
  total: number;
  /** The newest of the hours in which one was made, as `2030-01-31T12`, and how many in it. */
  hour: string;
  inHour: number;
}

/**
 * The write that counts a new key, on condition that no other was made meanwhile. Throws 429 beyond 20 in a clock hour,
 * and 400 beyond 10,000.
 */
const counting = async (store: string): Promise<Write> => {
  const key = { pk: partition(store, 'COUNT'), sk: 'keys' };
  const known = await get<KeyCount>(key);
  const { total = 0 } = known ?? {};
  if (total >= mostEver)
    throw invalid('This store has made 10,000 keys here: whoever operates the service makes further ones.');
  const hour = timestamp(now()).slice(0, 13);
  const inHour = known?.hour === hour ? known.inHour : 0;
  if (inHour >= mostInHour) {
    const seconds = Math.ceil((hourMillis - (now() % hourMillis)) / 1000);
    const words = `A store makes at most ${mostInHour} keys and invitations in an hour: make further ones in the next.`;
    throw new Problem(429, words, [], { 'Retry-After': String(seconds) });
  }
  const set = { total: total + 1, hour, inHour: inHour + 1 };
  return update(key, { set, when: known ? is('total', total) : isNew });
};

/** Issues a key or, with `inviteHours`, makes an invitation. Throws 400, 401, 403, 404 and 429 as *Keys* says. */
export const issueFor = (
  asking: Asking,
  { name, preset, scopes: some = [], expiresAt, inviteHours }: IssueKeyBody,
): Promise<KeySecretAnswer> =>
  decide(async () => {
    const scopes = preset ? presets[preset].scopes : some;
    demandEnd(scopes, expiresAt);
    const issuer = await demandLive(asking);
    demandCovered(issuer, scopes);
    const counted = await counting(asking.store);
    const invitedUntil = inviteHours === undefined ? undefined : timestamp(now() + inviteHours * hourMillis);
    const { store, keyId: issuedBy } = asking;
    const { key, text, items } = issuing({ store, name, scopes, stage: keyStage(), expiresAt, issuedBy, invitedUntil });
    const secret = invitedUntil === undefined ? { key: text, code: null } : { key: null, code: text };
    return writeAll([check(keyOf(issuedBy), lives()), ...items, counted, ...logged(asking, 'key.issued', key)], {
      answer: { ...shown(key, issuer), ...secret },
      ifRefused: byGuards(asking),
    });
  });

/** Makes a decision about a key of the store that the asking key covers. Throws 401, 403 and 404. */
const decideOn = <R>(
  asking: Asking,
  id: string,
  step: (key: ApiKey, asker: ApiKey) => Decision<R> | Promise<Decision<R>>,
): Promise<R> =>
  decide(async () => {
    const asker = await demandLive(asking);
    const key = id === asker.id ? asker : await demandKey(asking.store, id);
    demandCovered(asker, key.scopes);
    return step(key, asker);
  });

/** Gives a key another name. Throws 401, 403 and 404. */
export const renameFor = (asking: Asking, id: string, name: string): Promise<KeyAnswer> =>
  decideOn(asking, id, async (key) => {
    const renamed = { ...key, name };
    const result = shown(renamed, await issuerOf(key));
    if (key.name === name) return answer(result);
    const isSelf = id === asking.keyId;
    const [asker, store] = guards(asking) as [Write, Write];
    const write = update(keyOf(id), { set: { name }, when: all(is('name', key.name), isSelf ? lives() : undefined) });
    const writes = [write, ...(isSelf ? [] : [asker]), store, ...logged(asking, 'key.changed', renamed)];
    return writeAll(writes, { answer: result, ifRefused: byGuards(asking) });
  });

/** When the successor of a key ends. Throws 400 as `demandEnd`. */
const endAfter = (old: ApiKey, expiresAt: string | undefined): string | undefined => {
  if (expiresAt !== undefined || !old.scopes.includes('keys:write') || keyStage() === 'test') {
    const end = expiresAt ?? successorEnd(old);
    demandEnd(old.scopes, end);
    return end;
  }
  const most = timestamp(now() + longestMillis);
  const same = successorEnd(old) ?? most;
  return same < most ? same : most;
};

/**
 * Issues a key that replaces another one, which ends after the overlap. Throws 400 unless that one is active, for an
 * end that is not allowed, and beyond the limits of `counting`; 401, 403, 404 and 429.
 */
export const rotateFor = (
  asking: Asking,
  id: string,
  { overlapHours, expiresAt }: RotateKeyBody,
): Promise<KeySecretAnswer> =>
  decideOn(asking, id, async (old, asker) => {
    if (keyState(old, undefined) !== 'active') throw invalid('Only an active key can be rotated.');
    const end = endAfter(old, expiresAt);
    const counted = await counting(asking.store);
    const overlapEnd = timestamp(now() + overlapHours * hourMillis);
    const until = old.expiresAt !== undefined && old.expiresAt < overlapEnd ? old.expiresAt : overlapEnd;
    const made = rotating(old, { stage: keyStage(), until, expiresAt: end, issuedBy: asking.keyId });
    // A transaction names no item twice, and the write that ends the asking key finds it active.
    const asked = id === asking.keyId ? [] : [check(keyOf(asking.keyId), lives())];
    const log = logged(asking, 'key.rotated', made.key, { replaces: id, until });
    return writeAll([...asked, ...made.items, made.ending, counted, ...log], {
      answer: { ...shown(made.key, asker), key: made.text, code: null },
      ifRefused: byGuards(asking),
    });
  });

/** Revokes a key for ever. A revoked key stays as it is. Throws 400 for the asking key; 401, 403 and 404. */
export const revokeFor = (asking: Asking, id: string): Promise<KeyAnswer> =>
  decideOn(asking, id, async (key) => {
    if (id === asking.keyId) throw invalid('A key cannot revoke itself. It ends itself by signing out.');
    const issuer = await issuerOf(key);
    if (key.status === 'revoked') return answer(shown(key, issuer));
    const revoked: ApiKey = { ...key, status: 'revoked', revokedAt: timestamp(now()) };
    return writeAll([revoking(id), ...guards(asking), ...logged(asking, 'key.revoked', revoked)], {
      answer: shown(revoked, issuer),
      ifRefused: byGuards(asking),
    });
  });

/**
 * The invitation whose code asks, while it can be accepted. Throws 401 if it ended, 400 if it was used, or if its
 * issuer was revoked.
 */
const demandInvitation = async (id: string): Promise<ApiKey & { invitedUntil: string }> => {
  const key = await findKey(id);
  const { invitedUntil = '', acceptedAt } = key ?? {};
  const at = timestamp(now());
  if (!key || key.status === 'revoked' || invitedUntil <= at) throw unauthorized();
  if (acceptedAt !== undefined)
    throw invalid(`This invitation was used already, at ${acceptedAt}. Ask for another one if it was not you.`);
  if (key.expiresAt !== undefined && key.expiresAt <= at) throw unauthorized();
  if (isVoid(key, await issuerOf(key)))
    throw invalid('This invitation is void: the key that made it was revoked. Ask for another one.');
  return { ...key, invitedUntil };
};

/** The offer of an invitation. Throws 400, 401 and 404. */
export const getInvitation = async ({ store: id, keyId }: Asking): Promise<Invitation> => {
  const { name, scopes, expiresAt = null, invitedUntil } = await demandInvitation(keyId);
  const store = await findStore(id);
  if (!store) throw notFound();
  const preset = presetOf(scopes) ?? null;
  return { store: { id, name: store.name }, name, preset, scopes: inOrder(scopes), expiresAt, invitedUntil };
};

/** Nobody else has revoked the issuer of an invitation. */
const notVoiding = any(isNot('status', 'revoked'), is('endedItself', true));

/** Accepts an invitation: the key gets a secret that nobody has seen. Throws 400, 401 and 404. */
export const acceptFor = (asking: Asking): Promise<KeySecretAnswer> =>
  decide(async () => {
    const invited = await demandInvitation(asking.keyId);
    const issuer = await issuerOf(invited);
    const { hash, text } = newKey(keyStage(), invited.id);
    const acceptedAt = timestamp(now());
    const accepted: ApiKey = { ...invited, status: 'active', hash, acceptedAt };
    const writes = [
      update(keyOf(invited.id), { set: { status: 'active', hash, acceptedAt }, when: is('status', 'invited') }),
      check(sharedKey('STORE', asking.store), exists),
      ...(issuer ? [check(keyOf(issuer.id), notVoiding)] : []),
      ...logged(asking, 'key.accepted', accepted),
    ];
    return writeAll(writes, {
      answer: { ...shown(accepted, issuer), key: text, code: null },
      ifRefused: (refused) => {
        if (refused.by(sharedKey('STORE', asking.store))) throw notFound();
        return undefined;
      },
    });
  });
