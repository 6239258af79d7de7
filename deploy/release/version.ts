import type { Head } from './head.ts';

/** Finds the version in package.json, and all other places that name it. */

const scriptNames = ['cashier', 'dispenser', 'shelf', 'terminal', 'updater', 'vendor'];

export const scripts = scriptNames.map((name) => `apps/inworld/${name}.lsl`);

export const launchPath = 'deploy/launch.yaml';

/** The path of a release's OpenAPI document, with which later changes are compared. */
export const recordOf = (version: string): string => `docs/releases/openapi-${version}.json`;

type Read = Head['read'];

const textOf = (read: Read, path: string): string => {
  const content = read(path);
  if (!content) throw new Error(`The commit has no ${path}.`);
  return content.toString();
};

export const versionOf = (read: Read): string => JSON.parse(textOf(read, 'package.json')).version;

/** The version's part of the changelog, without its heading; undefined if there is none. */
export const changesOf = (read: Read, version: string): string | undefined =>
  textOf(read, 'CHANGELOG.md')
    .split(/^## /m)
    .find((part) => part.startsWith(`[${version}]`))
    ?.replace(/^.*\n/, '')
    .trim();

/** Reads the version that a file names itself. */
const namedIn: Record<string, (text: string) => string | undefined> = {
  'package-lock.json': (text) => JSON.parse(text).version,
  'docs/openapi.json': (text) => JSON.parse(text).info.version,
  [launchPath]: (text) => /^ {2}Release:\n(?: {4}.*\n)*? {4}Default: (.*)$/m.exec(text)?.[1],
  ...Object.fromEntries(scripts.map((path) => [path, (text) => /^string VERSION = "(.*)";/m.exec(text)?.[1]])),
};

/** A sentence for each place that differs from package.json. */
export const versionFaults = (read: Read): string[] => {
  const version = versionOf(read);
  const others = Object.entries(namedIn)
    .map(([path, named]) => [path, named(textOf(read, path))])
    .filter(([, named]) => named !== version)
    .map(([path, named]) => `${path} has the version ${named}, and package.json ${version}.`);
  const record = read(recordOf(version));
  if (!changesOf(read, version))
    others.push(
      `CHANGELOG.md says nothing of ${version}: give its part Unreleased the heading "## [${version}] - DATE".`,
    );
  if (record && !record.equals(read('docs/openapi.json') as Buffer))
    others.push(
      `${recordOf(version)} holds another document than docs/openapi.json: ${version} was released before. Set a new version.`,
    );
  return others;
};
