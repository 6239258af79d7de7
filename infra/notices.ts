import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** Makes the list of licences that must go with every copy of a bundle. */

/** A file with the plain text of the MIT licence. */
const plainMit = join(import.meta.dirname, '../node_modules/zod/LICENSE');

/** The licence of a package that says that it is under MIT, and comes without the text. */
const mit = (holder: string): string =>
  readFileSync(plainMit, 'utf8')
    .replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
    .trim();

interface Notice {
  /** Name, version and licence of a package. */
  of: string;
  text: string;
}

const noticeOf = (root: string): Notice => {
  const { name, version, license, author } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(root).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
  const holder = author?.name ?? author;
  if (files.length === 0 && (license !== 'MIT' || !holder))
    throw new Error(`${name} is in a bundle, and has no licence file.`);
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8').trim());
  return { of: `${name} ${version} (${license})`, text: texts.join('\n\n') || mit(holder) };
};

/**
 * The licences of the packages whose files these are, under a first sentence: each text once, below the packages that
 * have it. Throws for a package without a licence.
 */
export const noticesOf = (first: string, files: readonly string[]): string => {
  const packageOf = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  const roots = new Set(files.flatMap((file) => packageOf.exec(file) ?? []));
  const notices = Map.groupBy([...roots].sort().map(noticeOf), ({ text }) => text);
  const parts = [...notices].map(([text, some]) => `${some.map(({ of }) => of).join('\n')}\n\n${text}`);
  return [first, ...parts, ''].join('\n\n');
};

/** The files that have a part in an output. */
export const filesIn = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
