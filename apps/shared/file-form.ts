/** Recognises files that are not text in UTF-8. The command and the desk both report them. */

const beginsWith = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, i) => bytes[i] === byte);

/** Recognises UTF-16 by its byte order mark, or because many bytes are NUL. */
const isUtf16 = (bytes: Uint8Array): boolean => {
  const some = bytes.subarray(0, 512);
  const isMarked = beginsWith(bytes, 0xfe, 0xff) || beginsWith(bytes, 0xff, 0xfe);
  return isMarked || some.filter((byte) => byte === 0).length > some.length / 4;
};

const asCsv = 'Save it as "CSV UTF-8"';

/**
 * Tells from the first bytes what a file is if it is not CSV, and what to do. The text continues a sentence whose
 * subject is the file. Undefined if the file may be CSV.
 */
export const otherForm = (bytes: Uint8Array): string | undefined => {
  if (beginsWith(bytes, 0x50, 0x4b, 3, 4)) return `is a workbook (or another packed file), not CSV. ${asCsv}`;
  if (beginsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return `is an old workbook, not CSV. ${asCsv}`;
  if (beginsWith(bytes, 0x25, 0x50, 0x44, 0x46)) return 'is a PDF, not CSV. Download it as CSV';
  if (isUtf16(bytes)) return 'is UTF-16. Save it as UTF-8 (in a spreadsheet: "CSV UTF-8")';
  const isMarkup = /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, 512)));
  return isMarkup ? 'is XML or a web page, not CSV. Download or save it as CSV' : undefined;
};
