import { createHash } from 'node:crypto';
import type { Files } from './archive.ts';

/** Writes the text of a release for people, and the checksums of its files. */

/** The purpose of each file in a release. Their order is the order in which people need them. */
const purposes: [RegExp, string][] = [
  [/^store-integration-service-/, 'the source: all that you need to run, deploy or change the service'],
  [/^launch\.yaml$/, 'puts the service into your AWS account from the console of CloudFormation'],
  [/\.lsl$/, 'a script for an object in the virtual world'],
  [/^store-integration-client-/, 'the typed client, for `npm install`'],
  [/^openapi-/, 'the OpenAPI 3.1 document of the API'],
  [
    /^cloud-assembly-/,
    'the template and the functions as `npm run synth` makes them, with the firewall and no settings',
  ],
  [/^sbom/, 'all packages that the source locks, as CycloneDX'],
];

const order = (name: string): number => purposes.findIndex(([pattern]) => pattern.test(name));

interface Noted {
  version: string;
  commit: string;
  /** The version's part of the changelog. */
  changes: string;
}

export const notesOf = ({ version, commit, changes }: Noted, files: Files): string => {
  // Links within the repository would lead nowhere from the text of a release.
  const text = changes.replaceAll(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1').replaceAll(/^###/gm, '##');
  const rows = Object.keys(files)
    .sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1))
    .map((name) => `| \`${name}\` | ${purposes[order(name)]?.[1]} |`);
  return [
    `# Store Integration Service ${version}`,
    text,
    '## Files',
    ['| File | Content |', '|---|---|', ...rows].join('\n'),
    '`sha256sum --check SHA256SUMS` compares what you downloaded with the sums of the release.',
    `The commit is ${commit}. In a clone at it, \`npm ci\` and \`npm run release\` make the same files.`,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
};

/** Writes SHA256SUMS for `sha256sum --check`. */
export const sumsOf = (files: Files): string =>
  Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`)
    .join('');
