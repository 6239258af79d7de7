import { redocly } from './redocly.ts';

interface DocumentChange {
  path: string;
  kind: 'added' | 'removed' | 'modified';
  impact: 'patch' | 'minor' | 'major';
  property?: string;
  verdicts: { message: string }[];
}

/** `#/paths/~1v1~1coupons/get` in a readable form. */
const describePlace = ({ path, property }: DocumentChange): string => {
  const place = decodeURIComponent(path.replace('#/paths/', '')).replaceAll('~1', '/');
  return property === undefined ? place : `${place} ${property}`;
};

/** Finds changes that Redocly's rules call harmless, but after which a client gets another result without an error. */
const changesMeaning = ({ path, kind, property }: DocumentChange): string | undefined => {
  if (property === 'default') return 'A default was changed.';
  if (kind === 'removed' && /\/requestBody\/.*\/properties\/[^/]+$/.test(path))
    return 'A field of a request was removed.';
  return undefined;
};

/**
 * The changes between two versions of the document (paths of files) that break clients, one on each line. Throws if
 * Redocly fails.
 */
export const breaksBetween = (base: string, revision: string): string[] => {
  const { output, errors } = redocly('diff', base, revision, '--format', 'json', '--lint-config', 'error');
  if (!output.startsWith('{')) throw new Error(`redocly diff failed: ${errors}${output}`);
  const { changes } = JSON.parse(output) as { changes: DocumentChange[] };
  return changes.flatMap((change) => {
    const reasons = [
      changesMeaning(change),
      ...(change.impact === 'major' ? change.verdicts.map((v) => v.message) : []),
    ];
    return reasons.flatMap((reason) => (reason === undefined ? [] : [`${describePlace(change)}: ${reason}`]));
  });
};
