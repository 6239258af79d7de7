/**
 * The text whose SHA-256 becomes the UUID of a row with another system's id, or without one. The same store, kind and
 * text always give the same UUID, so a repeated import finds its rows.
 */
export const textOfId = (store: string, kind: string, text: string): string => `${store}\n${kind}\n${text}`;

/** The UUID of a hash in hexadecimal digits. */
export const idOfHash = (hash: string): string =>
  // RFC 9562 reserves version 8 for UUIDs that an application makes in its own way.
  [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join(
    '-',
  );
