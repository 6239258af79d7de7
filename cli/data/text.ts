import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure } from '../errors.ts';

const utf16 = (path: string): Failure =>
  new Failure(`${path} is UTF-16. Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"), and import that.`);

/** Whether a file begins as UTF-16 does: with its mark, or with every other byte a NUL. */
const looksLikeUtf16 = (start: Buffer): boolean => {
  const mark = start.length >= 2 ? start.readUInt16BE(0) : 0;
  const some = start.subarray(0, 512);
  return mark === 0xfffe || mark === 0xfeff || some.filter((byte) => byte === 0).length > some.length / 4;
};

const newlines = (text: string): number => text.split('\n').length - 1;

/** A file's text, piece by piece, without a byte order mark. Throws with what to do where it is no UTF-8 text. */
export async function* readText(path: string): AsyncGenerator<string> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new Failure(`There is no file ${path}. Check the path.`);
  if (info.isDirectory()) throw new Failure(`${path} is a directory. Name a file in it.`);
  if (info.size === 0) throw new Failure(`${path} is empty. A file begins with a row that names its columns.`);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  /** The text of some bytes; without any, what the end of the file leaves undecoded. */
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const good = new TextDecoder('utf-8').decode(bytes);
      const near = line + newlines(good.slice(0, Math.max(good.indexOf('\ufffd'), 0)));
      throw new Failure(
        `${path} is not UTF-8: line ${near} has a byte that is none. Save it as UTF-8, and import that.`,
      );
    }
  };
  let isFirst = true;
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    if (isFirst && looksLikeUtf16(bytes)) throw utf16(path);
    isFirst = false;
    const text = decode(bytes);
    line += newlines(text);
    yield text;
  }
  yield decode();
}
