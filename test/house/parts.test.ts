import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { houses, service } from '../support/houses.ts';
import { assignmentsOf, type Parts, partsOf } from './parts.ts';

/** The parts that `.ci/run` runs where it knows the commit that was tested before. */

test.each([
  ...service.map((house) => [`${house}/changed.ts`]),
  ...['package-lock.json', 'vitest.config.ts', '.ci/run', '.github/workflows/ci.yml', 'README.md', 'store'].map((f) => [
    f,
  ]),
  ['apps/new/changed.ts'],
  ['proof/vitest.config.ts'],
  ['apps/desk/tsconfig.json'],
])('a change of %s needs everything, also beside one of a house', (file) => {
  expect(partsOf([file])).toBe('all');
  expect(partsOf(['apps/desk/app.tsx', file])).toBe('all');
});

test('a change of a house around the service needs what other houses show of it', () => {
  const around = houses.filter((house) => !service.some((one) => one === house));

  for (const house of around) expect(partsOf([`${house}/changed.ts`]), house).not.toBe('all');
  expect(partsOf(['apps/desk/app.tsx', 'apps/inworld/vendor.lsl'])).toEqual({
    proofs: ['apps/client/', 'proof/world/', 'docs/test/samples'],
    browser: ['all'],
    stack: ['test/infra/desk.test.ts'],
    deployed: [],
    mutants: false,
  });
  expect(partsOf(['apps/cli/kinds/sales.ts'])).toMatchObject({
    proofs: expect.arrayContaining(['apps/cli/', 'proof/']),
  });
  expect(partsOf(['proof/simulation/world.ts'])).toMatchObject({ proofs: ['proof/'], mutants: true });
  expect(partsOf([])).toMatchObject({ proofs: [], browser: [], mutants: false });
});

test('each part names files that there are', () => {
  const all = houses.flatMap((house) => {
    const parts = partsOf([`${house}/changed.ts`, 'apps/cli/kinds/changed.ts']);
    return parts === 'all' ? [] : [parts];
  });
  const named = (name: 'proofs' | 'browser' | 'stack' | 'deployed'): string[] => [
    ...new Set(all.flatMap((parts: Parts) => parts[name])),
  ];
  const proofs = globSync('{test,apps,deploy,docs,proof}/**/*.proof.ts');
  const pages = globSync('apps/{desk,page}/test/browser/**/*.test.ts');

  expect(named('proofs').length).toBeGreaterThan(6);
  expect(named('proofs').filter((part) => !proofs.some((path) => path.startsWith(part)))).toEqual([]);
  expect(named('browser').filter((part) => part !== 'all' && !pages.some((path) => path.includes(part)))).toEqual([]);
  expect([...named('stack'), ...named('deployed')].filter((path) => !existsSync(path))).toEqual([]);
});

const printed = (env: NodeJS.ProcessEnv): string =>
  execFileSync(process.execPath, ['test/house/parts.ts'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });

test('without a base, with one that is no ancestor, or for a full run, everything is due', () => {
  for (const env of [{}, { CI_BASE: '' }, { CI_BASE: '0'.repeat(40) }, { CI_BASE: 'HEAD', PROOF_PART: '1/1' }])
    expect(printed(env)).toBe('parts=all\n');
  expect(assignmentsOf(partsOf(['apps/reference/changed.ts']))).toBe(
    "parts='some'\nproofs='docs/ apps/reference/'\nbrowser='reference'\nstack=''\ndeployed=''\nmutants='false'",
  );
});
