import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRequired } from '../../kinds/columns.ts';
import { exportFiles } from '../../kinds/kinds.ts';

const document = readFileSync(new URL('../../../../docs/operate/import-export.md', import.meta.url), 'utf8');

test.each(exportFiles.map((kind) => [kind.name, kind] as const))(
  'the document names every column of %s with its meaning, and the required ones',
  (name, kind) => {
    const [, section = ''] = document.split(`\n### ${name}\n`);
    const [columns = ''] = section.split('\n##');

    const rows = columns.split('\n').filter((line) => line.startsWith('| `'));

    expect(rows.map((row) => [row.split('`')[1], row.split(' | ')[1], row.includes('**required**')])).toEqual(
      kind.columns.map((column) => [column.name, column.help, isRequired(column)]),
    );
  },
);
