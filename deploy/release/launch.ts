import { createHash } from 'node:crypto';

/** Makes the launch.yaml of a release. It names the checksum of the archive that it installs. */

const unset = '- { Name: OWN, Value: none }';

/**
 * Writes an archive's version and checksum into the template. So a person who trusts the template can trust the
 * archive.
 */
export const launchOf = (template: Buffer, version: string, archive: Buffer): Buffer => {
  const [before, after, ...others] = template.toString().split(unset);
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error(`deploy/launch.yaml must have one line with ${unset}.`);
  const sum = createHash('sha256').update(archive).digest('hex');
  return Buffer.from(`${before}- { Name: OWN, Value: ${version} ${sum} }${after}`);
};
