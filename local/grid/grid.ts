import { type Identifier, uuidPattern } from '../../lib/identifier.ts';

/** An avatar of the made-up virtual world; the name is in canonical form. */
export type Avatar = { uuid: string; username: string };

/** The number of avatars. They are numbered from 0 on. */
export const gridSize = 1_000_000;

const firstNames = (
  'abel aria bela caro dina egon elif emil fine gala hugo ilse jana jori kira koen lara levi lola luis ' +
  'mara mira nils nino nora odin olga otto pola remi rosa runa saga sven tara theo ulla vito yara zeno'
).split(' ');
const lastNames = (
  'arch bay brook cliff cove dale dune fern field ford glen grove heath hill ' +
  'isle lake marsh moor peak reef ridge shore stone vale wood'
).split(' ');

// 40 first names, 25 last names, 100 numbers after the first and 10 after the last give one name for each avatar. Both
// parts end in a digit, so nobody makes up such a name by chance.
const username = (n: number): string => {
  const first = n % firstNames.length;
  const last = Math.floor(n / firstNames.length) % lastNames.length;
  const digits = Math.floor(n / (firstNames.length * lastNames.length));
  return `${firstNames[first]}${Math.floor(digits / 10)}.${lastNames[last]}${digits % 10}`;
};

// The first eight digits, "grid" in ASCII, distinguish these UUIDs from all others.
const uuid = (n: number): string => `67726964-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The avatar with a number. Throws a RangeError if there is none. */
export const avatarAt = (n: number): Avatar => {
  if (!Number.isInteger(n) || n < 0 || n >= gridSize) throw new RangeError(`the grid has no avatar ${n}`);
  return { uuid: uuid(n), username: username(n) };
};

const numberOfName = (name: string): number => {
  const [, first = '', tens, last = '', ones] = /^([a-z]+)(\d{1,2})\.([a-z]+)(\d)$/.exec(name) ?? [];
  const [firstIndex, lastIndex] = [firstNames.indexOf(first), lastNames.indexOf(last)];
  if (firstIndex < 0 || lastIndex < 0) return -1;
  return firstIndex + firstNames.length * (lastIndex + lastNames.length * (Number(tens) * 10 + Number(ones)));
};

const numberOfUuid = (text: string): number => (uuidPattern.test(text) ? Number(text.slice(-12)) : -1);

/** The avatar that an identifier names; undefined if the grid has none. */
export const avatarOf = (identifier: Identifier): Avatar | undefined => {
  const n = identifier.uuid === undefined ? numberOfName(identifier.username) : numberOfUuid(identifier.uuid);
  if (!Number.isInteger(n) || n < 0 || n >= gridSize) return undefined;
  // An identifier in another form (`007`, `1e5`, other first digits) leads to an avatar with another name or UUID.
  const avatar = avatarAt(n);
  return avatar.uuid === identifier.uuid || avatar.username === identifier.username ? avatar : undefined;
};

/**
 * Returns `count` different avatars on a fixed walk through the grid that begins at step `from`. The walk visits each
 * avatar once, so a caller can continue at the next step.
 */
export const strangers = (count: number, from = 0): Avatar[] =>
  // The length of a step and the size have no common factor, so the walk visits everybody before it repeats.
  Array.from({ length: count }, (_, place) => avatarAt(((from + place + 1) * 618_033) % gridSize));
