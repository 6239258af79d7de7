import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Files } from './archive.ts';
import { assemblyOf, clientOf, sbomOf } from './build.ts';
import { type Head, headOf } from './head.ts';
import { launchOf } from './launch.ts';
import { notesOf, sumsOf } from './notes.ts';
import { changesOf, launchPath, recordOf, scripts, versionFaults, versionOf } from './version.ts';

/**
 * Makes all files of a release, the same bytes each time (`npm run release`). docs/release.md has the steps around it.
 */

const root = resolve(import.meta.dirname, '../..');

/** The files that are copied from the commit. */
const copiesOf = (version: string, { read, archive }: Head): Files => {
  const source = `store-integration-service-${version}`;
  const copied = scripts.map((path) => [basename(path), read(path) as Buffer]);
  const packed = archive(source);
  return {
    [`${source}.tar.gz`]: packed,
    [basename(launchPath)]: launchOf(read(launchPath) as Buffer, version, packed),
    [`openapi-${version}.json`]: read('docs/openapi.json') as Buffer,
    ...Object.fromEntries(copied),
  };
};

const makeRelease = (version: string, head: Head): Files => {
  const files = {
    ...copiesOf(version, head),
    ...clientOf(root),
    ...assemblyOf(root, version, head.time),
    ...sbomOf(root),
  };
  const changes = changesOf(head.read, version) as string;
  const noted: Files = { ...files, 'NOTES.md': Buffer.from(notesOf({ version, commit: head.commit, changes }, files)) };
  return { ...noted, SHA256SUMS: Buffer.from(sumsOf(noted)) };
};

/** Lists the files of an earlier release in a folder. Throws if the folder holds any other file. */
const earlierIn = (out: string): string[] => {
  const names = existsSync(out) ? readdirSync(out) : [];
  const sums = names.includes('SHA256SUMS') ? readFileSync(join(out, 'SHA256SUMS'), 'utf8') : '';
  const other = names.find((name) => name !== 'SHA256SUMS' && !sums.includes(`  ${name}\n`));
  if (other === undefined) return names;
  throw new Error(`${out} holds ${other}, which is not of a release. Name an empty folder with --out.`);
};

interface Options {
  out: string;
  record?: boolean;
}

const release = ({ out, record }: Options): void => {
  const head = headOf(root);
  const faults = versionFaults(head.read);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const version = versionOf(head.read);
  const earlier = earlierIn(out);
  console.log(`Making the files of ${version} from commit ${head.commit.slice(0, 12)}`);
  const files = makeRelease(version, head);
  mkdirSync(out, { recursive: true });
  for (const name of earlier) rmSync(join(out, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content);
  console.log(`${sumsOf(files)}\n${Object.keys(files).length} files in ${out}`);
  if (!record) return;
  writeFileSync(join(root, recordOf(version)), files[`openapi-${version}.json`] as Buffer);
  console.log(`${recordOf(version)} is written: commit it, and lint compares with it from then on.`);
};

const options = new Command('npm run release --')
  .description(
    'Makes all files of a release from the commit that is checked out: the source, the template and its functions, the ' +
      'client, the scripts, the OpenAPI document, the list of packages, notes and checksums. The same commit gives the ' +
      'same bytes. Refuses where files differ from the commit, or name different versions: docs/release.md.',
  )
  .option('--out <folder>', 'where to put the files; an earlier release there is replaced', 'release')
  .option('--record', 'also keeps the OpenAPI document in docs/releases/, which npm run lint compares later ones with')
  .allowExcessArguments(false)
  .showHelpAfterError('Run npm run release -- --help for all options.')
  .parse()
  .opts<Options>();

try {
  release(options);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}
