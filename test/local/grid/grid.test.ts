import { expect, test } from 'vitest';
import { type Identifier, parseIdentifier } from '../../../lib/identifier.ts';
import { avatarAt, avatarOf, gridSize, strangers } from '../../../local/grid/grid.ts';
import { volume } from '../../support/volume.ts';

/** Every tenth avatar, and all of them in the proof. */
const step = volume(10, 1);
const everybody = Array.from({ length: gridSize / step }, (_, n) => avatarAt(n * step));

test('each of a million avatars has a name and a UUID of its own, which lead back to it', () => {
  expect(gridSize).toBe(1_000_000);

  // Each avatar is found by its own name and UUID, so no two share one. One assertion covers a million.
  const lost = everybody.filter(
    ({ uuid, username }) => avatarOf({ uuid })?.username !== username || avatarOf({ username })?.uuid !== uuid,
  );
  expect(lost).toEqual([]);
});

test('every name is in canonical form, with a digit in both parts, and every UUID begins alike', () => {
  const odd = everybody.filter(
    ({ uuid, username }) =>
      !/^[a-z]+\d+\.[a-z]+\d+$/.test(username) ||
      !uuid.startsWith('67726964-') ||
      parseIdentifier(username)?.username !== username ||
      parseIdentifier(uuid)?.uuid !== uuid,
  );
  expect(odd).toEqual([]);
});

test.each([-1, 1_000_000, 0.5, Number.NaN])('the number %d has no avatar', (n) => {
  expect(() => avatarAt(n)).toThrow(RangeError);
});

test.each([
  { username: 'mira.vale' },
  { username: 'mira42' },
  { username: 'mira42.vale' },
  { username: 'mira042.vale7' },
  { username: 'mira07.vale7' },
  { username: 'mira100.vale7' },
  { username: 'mira42.vale07' },
  { username: 'mira42.mira7' },
  { username: 'Mira42.vale7' },
  { username: 'mira42.vale7\n' },
  { uuid: '67726964-0000-4000-8000-000001000000' },
  { uuid: '67726964-0000-4000-8000-00000000000a' },
  { uuid: '67726964-0000-4000-8000-0000000001e5' },
  { uuid: '67726964-0000-4000-8000-0000000000x5' },
  { uuid: '67726965-0000-4000-8000-000000000005' },
  { uuid: '67726964-0000-4000-8001-000000000005' },
] satisfies Identifier[])('nobody is %o', (identifier) => {
  expect(avatarOf({ username: 'mira42.vale7' })).toBeDefined();
  expect(avatarOf({ uuid: '67726964-0000-4000-8000-000000000005' })).toBeDefined();

  expect(avatarOf(identifier)).toBeUndefined();
});

test('an identifier leads to the avatar that has it, or to nobody', () => {
  const words = ['mira', 'zeno', 'vale', 'wood', 'arch', 'mir', ''];
  const digits = ['', '0', '7', '07', '42', '042', '100', '1e1'];
  const parts = words.flatMap((word) => digits.map((digit) => word + digit));
  const names = parts.flatMap((first) => parts.map((last) => `${first}.${last}`));

  const found = names.map((username) => avatarOf({ username })?.username);

  expect(found).toEqual(
    names.map((name) => (/^(mira|zeno)(0|7|42)\.(vale|wood|arch)(0|7)$/.test(name) ? name : undefined)),
  );
});

test('the walk of strangers meets nobody twice', () => {
  expect(strangers(3)).toEqual(strangers(4).slice(0, 3));
  expect(strangers(2, 2)).toEqual(strangers(4).slice(2));
  expect(new Set(strangers(gridSize).map(({ uuid }) => uuid)).size).toBe(gridSize);
});
