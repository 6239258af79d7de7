import { type PresetName, presets } from '../../lib/routes/key-presets.ts';
import { scopes as allScopes, type Scope } from '../../lib/routes/scopes.ts';

/** An array of a row ends after this many members. */
const mostMembers = 20;

/** The preset of a key. Most have more scopes than what a row holds, and are known by their beginning. */
export const presetOf = (held: readonly string[]): PresetName | null => {
  const fits = (Object.keys(presets) as PresetName[]).filter((name) => {
    const own: readonly Scope[] = presets[name].scopes;
    const inOrder = allScopes.filter((scope) => own.includes(scope)).slice(0, mostMembers);
    return inOrder.join() === held.join();
  });
  const [name] = fits;
  return name && fits.length === 1 ? name : null;
};
