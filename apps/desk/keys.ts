import { type PresetName, presets } from '../../lib/routes/key-presets.ts';
import type { KeyResponse, KeySecretResponse } from '../client/client.ts';

/** The keys of a store, as *Team* and the set-up of objects see them. */

/** The presets of people, from the least to the most. */
export const peoplePresets = ['designer', 'support', 'manager', 'all'] as const satisfies readonly PresetName[];

/** True if a key belongs to a person: one was invited, or it is a preset for people. */
export const isOfPerson = ({ invitedUntil, preset }: KeyResponse): boolean =>
  invitedUntil !== null || (peoplePresets as readonly (string | null)[]).includes(preset);

/** True for a key that works, or that somebody can still accept. */
export const isCurrent = ({ state }: KeyResponse): boolean => ['invited', 'active', 'rotated'].includes(state);

/** True if a key with the scopes `held` may make and end keys with these. */
export const covers = (held: readonly string[], scopes: readonly string[]): boolean =>
  scopes.every((scope) => held.includes(scope));

export const coversPreset = (held: readonly string[], preset: PresetName): boolean =>
  covers(held, presets[preset].scopes);

/** The current keys that a key has issued, the keys that these have issued, and so on. */
export const madeBy = (keys: readonly KeyResponse[], id: string): KeyResponse[] => {
  const found = new Set([id]);
  // An issuer may come later in the list than what it has issued.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { id: one, issuedBy, replaces } of keys)
      if (found.has(issuedBy?.id ?? '') || found.has(replaces ?? '')) found.add(one);
  }
  return keys.filter((key) => key.id !== id && found.has(key.id) && isCurrent(key));
};

/** The link of an invitation. Its code is in the fragment, which no browser sends. */
export const invitationLink = ({ code }: KeySecretResponse): string =>
  `${location.origin}${location.pathname}#invitation=${code}`;

const dayMillis = 86_400_000;

/** True for a key that nobody has renewed and that ends within two weeks, as the doctor of the command warns. */
export const endsSoon = ({ state, expiresAt }: KeyResponse): boolean =>
  state === 'active' && expiresAt !== null && Date.parse(expiresAt) - Date.now() < 14 * dayMillis;

/** The time at which a key ends that lives for some days; undefined for none. */
export const endAfter = (days: string | undefined): string | undefined =>
  days ? new Date(Date.now() + Number(days) * dayMillis).toISOString() : undefined;
