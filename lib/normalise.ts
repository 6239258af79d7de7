/** Text without Unicode's format characters (category Cf). Most of them are invisible. */
export const withoutFormat = (text: string): string => text.replace(/\p{Cf}/gu, '');

/**
 * Blanks, and the format characters that have no meaning at an end of a text. Tag characters are not included: the
 * flags of England, Scotland and Wales end with one.
 */
const edge = /[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]/;

/** Text without blanks and invisible characters at its ends; empty if it holds only blanks and format characters. */
export const trimmed = (text: string): string => {
  if (withoutFormat(text).trim() === '') return '';
  let start = 0;
  let end = text.length;
  while (edge.test(text.charAt(start))) start += 1;
  while (edge.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

/** Normalises text for comparison without case: no format characters, NFKC, lower case, and one form of sigma. */
export const normalised = (text: string): string =>
  withoutFormat(text).normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');

/** True for texts that look the same, in any case, with or without blanks around them. */
export const isSameText = (one: string, other: string): boolean => normalised(one).trim() === normalised(other).trim();

/**
 * The characters that normalise to more than four times their length: U+FDFA is one character, and becomes eighteen.
 */
const growing =
  /([\u3307\u3315-\u3317\u3319\u331a\u3320\u332b\u332e\u3332\u3334\u3336\u3347\u334a\u3356\u33ae\u33af\ufdfa\ufdfb])/;

/** Normalises text, but keeps the characters that would grow most as they are. */
const leavingGrowing = (text: string): string =>
  text
    .split(growing)
    .map((part) => (growing.test(part) ? part : normalised(part)))
    .join('');

/** The text that a search looks through. It is at most four times as long as the original. */
export const searchText = (text: string): string => {
  const whole = normalised(text);
  return whole.length <= 4 * text.length ? whole : leavingGrowing(text);
};

/**
 * The forms in which a search's term may occur in a `searchText`: one, or two if it has a character that grows most.
 */
export const searchForms = (term: string): string[] => [...new Set([normalised(term), leavingGrowing(term)])];
