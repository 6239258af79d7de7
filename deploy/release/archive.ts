import { basename, dirname } from 'node:path/posix';
import { gzipSync } from 'node:zlib';

/** The files of a release or of an archive, by name. */
export type Files = Record<string, Buffer>;

/** Compresses. The header names no file, no time and no system. */
export const gzip = (bytes: Uint8Array): Buffer => {
  const zipped = gzipSync(bytes, { level: 9 });
  // "Unknown" instead of this machine's system.
  zipped[9] = 255;
  return zipped;
};

const blockBytes = 512;

/** A number as octal digits, with a NUL at the end. */
const octal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, '0')}\0`;

/** The header of a file in ustar, the format of POSIX. `time` is in seconds. */
const headerOf = (path: string, size: number, time: number): Buffer => {
  const [folder, name] = [dirname(path), basename(path)];
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(folder) > 155)
    throw new Error(`${path} is too long for an archive.`);
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(time, 12), 100);
  // While the sum of all bytes is made, its own bytes are blanks.
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  header.write(folder, 345);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return header;
};

/** Makes an archive of files in one folder. Its bytes depend only on these values. */
export const tarOf = (folder: string, files: Files, time: number): Buffer =>
  Buffer.concat([
    ...Object.entries(files)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, content]) => [
        headerOf(`${folder}/${name}`, content.length, time),
        content,
        Buffer.alloc(-content.length & (blockBytes - 1)),
      ]),
    Buffer.alloc(2 * blockBytes),
  ]);
