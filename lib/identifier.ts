/** A resident as a request names them: by avatar UUID (lower case) or by username (canonical form). */
export type Identifier = { uuid: string; username?: never } | { username: string; uuid?: never };

export const nilUuid = '00000000-0000-0000-0000-000000000000';

// The virtual world's keys follow no RFC 9562 version or variant, so only the form is checked.
export const uuidPattern = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
const usernamePattern = /^([A-Za-z0-9]{1,31})(?:[. ]([A-Za-z0-9]{1,31}))?$/;

/** One regular expression made of several, with surrounding blanks, for the API reference. */
const formOf = (...patterns: RegExp[]): string =>
  `^\\s*(?:${patterns.map(({ source }) => source.slice(1, -1)).join('|')})\\s*$`;

export const usernameForm = formOf(usernamePattern);
export const identifierForm = formOf(uuidPattern, usernamePattern);

/**
 * A resident's name in canonical form: lower case, dot-joined, `.resident` dropped. `Ada Resident`, `ada.resident` and
 * `ADA` are one resident. Undefined if the text is not a username.
 */
const canonicalUsername = (text: string): string | undefined => {
  const match = usernamePattern.exec(text.trim());
  if (!match?.[1]) return undefined;
  const first = match[1].toLowerCase();
  const last = (match[2] ?? 'Resident').toLowerCase();
  return last === 'resident' ? first : `${first}.${last}`;
};

/** Parses a username or avatar UUID; undefined for other text and for the nil UUID, which means "none" inworld. */
export const parseIdentifier = (text: string): Identifier | undefined => {
  const trimmed = text.trim();
  if (uuidPattern.test(trimmed)) return trimmed === nilUuid ? undefined : { uuid: trimmed.toLowerCase() };
  const username = canonicalUsername(trimmed);
  return username === undefined ? undefined : { username };
};
