import { execFileSync } from 'node:child_process';

/**
 * The proofs that a change needs. `.ci/run` always runs the linters, `npm test` and the slow files whose turn it is as
 * well. `npm test` is never cut, because it shows ties between houses that nobody has thought of.
 */
export interface Parts {
  /** Files of the project `proof`, by the beginning of their path. All of them run, in turn or not. */
  proofs: string[];
  /** Files of the pages in Chromium, by a part of their name; `all` are those of this turn. */
  browser: string[];
  stack: string[];
  deployed: string[];
  /** All planted faults of the simulation. */
  mutants: boolean;
}

const ofCommand: Partial<Parts> = {
  proofs: ['apps/cli/', 'deploy/', 'docs/', 'test/local/start/launchers'],
  browser: ['desk-links'],
};
const ofDesk: Partial<Parts> = { proofs: ['apps/client/'], browser: ['all'], stack: ['test/infra/desk.test.ts'] };
const ofPage: Partial<Parts> = { browser: ['apps/page/'], stack: ['test/infra/desk.test.ts'] };
const ofTexts: Partial<Parts> = { proofs: ['docs/', 'apps/reference/'], browser: ['reference'] };

/** The proofs that a change of a path needs, by its beginning. One that begins with none of these needs everything. */
const byPath: [beginning: string, ...parts: Partial<Parts>[]][] = [
  ['apps/cli/', ofCommand],
  // The machines audit the table by them.
  ['apps/cli/kinds/', { proofs: ['proof/'] }],
  ['apps/cli/person/', { proofs: ['proof/'] }],
  ['apps/shared/', ofCommand, ofDesk],
  ['apps/desk/', ofDesk],
  ['apps/page/', ofPage],
  ['apps/client/', ofDesk],
  ['apps/inworld/', { proofs: ['proof/world/', 'docs/test/samples'], browser: ['desk-first-day'] }],
  ['apps/reference/', ofTexts],
  ['docs/', ofTexts],
  ['docs/evidence/quotas.md', { stack: ['test/infra/quotas.test.ts'] }],
  ['deploy/', { proofs: ['deploy/'], deployed: ['deploy/test/launch.proof.ts'] }],
  ['proof/', { proofs: ['proof/'] }],
  ['proof/simulation/', { mutants: true }],
  ['proof/workload/', { mutants: true }],
];

/** Settings of packages and tools, which decide what runs at all. */
const settings = /(?:^|\/)(?:package(?:-lock)?\.json|[\w.]*config\.(?:ts|json))$/;

/** The parts that a change of these files needs; `all` if it may have effects anywhere. */
export const partsOf = (changed: readonly string[]): Parts | 'all' => {
  const found: Partial<Parts>[] = [];
  for (const file of changed) {
    const rows = byPath.filter(([beginning]) => file.startsWith(beginning));
    if (rows.length === 0 || settings.test(file)) return 'all';
    found.push(...rows.flatMap(([, ...parts]) => parts));
  }
  const union = (name: 'proofs' | 'browser' | 'stack' | 'deployed'): string[] => {
    const names = [...new Set(found.flatMap((parts) => parts[name] ?? []))];
    return names.includes('all') ? ['all'] : names;
  };
  return {
    proofs: union('proofs'),
    browser: union('browser'),
    stack: union('stack'),
    deployed: union('deployed'),
    mutants: found.some(({ mutants }) => mutants),
  };
};

/** The parts as a shell reads them. */
export const assignmentsOf = (parts: Parts | 'all'): string =>
  parts === 'all'
    ? 'parts=all'
    : Object.entries({ parts: 'some', ...parts })
        .map(([name, value]) => `${name}='${[value].flat().join(' ')}'`)
        .join('\n');

/** The files that differ from a commit; undefined if the commit is not an ancestor of this one. */
const changedSince = (base: string): string[] | undefined => {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' });
  try {
    git('merge-base', '--is-ancestor', base, 'HEAD');
    // Without --no-renames, a file that moved would count in its new place alone.
    return git('diff', '--name-only', '--no-renames', base, 'HEAD').split('\n').filter(Boolean);
  } catch {
    return undefined;
  }
};

if (import.meta.main) {
  const { CI_BASE: base = '', PROOF_PART: part } = process.env;
  const changed = base === '' || part === '1/1' ? undefined : changedSince(base);
  console.log(assignmentsOf(changed === undefined ? 'all' : partsOf(changed)));
}
