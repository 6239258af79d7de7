/**
 * Reads names of avatars as people copy them. The API takes only a username or a UUID, so the command and the desk find
 * it in the copied text. This file imports nothing, since the desk needs it.
 */

const uuid = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
/** The profile of an avatar, in a viewer or on the web: `secondlife:///app/agent/UUID/about`. */
const inAddress = new RegExp(`/(?:agent|resident)/(${uuid})(?![0-9a-f])`, 'i');
const inBrackets = new RegExp(`^[{[("'<](${uuid})[}\\])"'>]$`, 'i');
const profile = /^https?:\/\/my\.secondlife\.com\/([a-z0-9]{1,31}(?:\.[a-z0-9]{1,31})?)\/?$/i;
const username = /^[a-z0-9]{1,31}(?:[. ][a-z0-9]{1,31})?$/i;

/** Finds the name or UUID in a text, such as `ada.lovelace` in `Ada the Great (ada.lovelace)`. Trims any other text. */
export const copiedName = (text: string): string => {
  if (text.length > 1000) return text;
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .trim()
    .split(/\s+/)
    .join(' ');
  const found = (inAddress.exec(plain) ?? inBrackets.exec(plain) ?? profile.exec(plain))?.[1];
  if (found !== undefined) return found;
  const start = plain.lastIndexOf('(');
  const behind = plain.slice(start + 1, -1).trim();
  return start >= 0 && plain.endsWith(')') && username.test(behind) ? behind : plain;
};
