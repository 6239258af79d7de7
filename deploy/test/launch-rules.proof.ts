import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/files.ts';
import { errorsIn } from '../../test/support/template-rules.ts';
import { includedLaunch } from './launch-included.ts';

test('launch.yaml breaks none of CloudFormation’s own rules', () => {
  const { template } = includedLaunch();
  const [whole, broken] = ['launch.json', 'broken.json'].map((name) => join(tempDir(), name)) as [string, string];
  writeFileSync(whole, JSON.stringify(template));
  template.Resources.Project.Properties.TimeoutInHours = 1;
  writeFileSync(broken, JSON.stringify(template));

  expect(errorsIn(whole)).toEqual([]);
  expect(errorsIn(broken).join()).toContain('TimeoutInHours');
});
