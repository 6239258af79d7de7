import { readFileSync } from 'node:fs';
import { redocly } from './redocly.ts';
import { mayGrow } from './schema-texts.ts';

interface DocumentChange {
  path: string;
  kind: 'added' | 'removed' | 'modified';
  impact: 'patch' | 'minor' | 'major';
  property?: string;
  verdicts: { ruleId: string; message: string; location: { pointer: string } }[];
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

type Verdict = DocumentChange['verdicts'][number];

/** Makes the test for verdicts that break no client, since its document says that the enumeration grows. */
const growthIn = (base: string) => {
  const { schemas } = JSON.parse(readFileSync(base, 'utf8')).components;
  return ({ ruleId, location }: Verdict): boolean => {
    const name = /^#\/components\/schemas\/(\w+)\/enum$/.exec(location.pointer)?.[1] ?? '';
    return ruleId === 'enum-values-added' && mayGrow(schemas[name] ?? {});
  };
};

/**
 * The changes between two versions of the document (paths of files) that break clients, one on each line. Throws if
 * Redocly fails.
 */
export const breaksBetween = (base: string, revision: string): string[] => {
  const { output, errors } = redocly('diff', base, revision, '--format', 'json', '--lint-config', 'error');
  if (!output.startsWith('{')) throw new Error(`redocly diff failed: ${errors}${output}`);
  const { changes } = JSON.parse(output) as { changes: DocumentChange[] };
  const isGrowth = growthIn(base);
  return changes.flatMap((change) => {
    const reasons = [
      changesMeaning(change),
      ...(change.impact === 'major' ? change.verdicts.filter((v) => !isGrowth(v)).map((v) => v.message) : []),
    ];
    return reasons.flatMap((reason) => (reason === undefined ? [] : [`${describePlace(change)}: ${reason}`]));
  });
};
