import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweep } from '../../lib/credit/sweep.ts';
import { sendDue } from '../../lib/events/due.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { sendUnsent } from '../../lib/sale/sweep.ts';
import { unitsOf } from '../support/budgets-whole.ts';
import { idleCosts } from '../support/idle-cost.ts';
import { monthOf, shops } from '../support/month-cost.ts';
import { freshTable } from '../support/service.ts';
import { everythingOn, templateOf } from '../support/stack.ts';

const page = readFileSync(new URL('../../docs/operate/costs.md', import.meta.url), 'utf8');
const sum = (rows: Record<string, number>): number => Object.values(rows).reduce((total, one) => total + one, 0);

await freshTable();
await createStore('Till');
const others = [
  () => sendUnsent(),
  () =>
    sendDue(
      async () => {},
      () => true,
    ),
];
const idleSweep = await unitsOf(() => sweep('test', () => true, others));

test('a deployment costs at most 3 dollars in an idle month, without the firewall', () => {
  expect(sum(idleCosts(templateOf(), idleSweep))).toBeLessThanOrEqual(3);
});

test('docs/operate/costs.md has each row of an idle month, and their sum', () => {
  const rows = idleCosts(templateOf(), idleSweep);

  for (const [row, dollars] of Object.entries(rows))
    expect(page, row).toMatch(new RegExp(`^\\| ${row}\\b.* \\| ${dollars.toFixed(2)}\\b`, 'm'));
  expect(page).toContain(`(${idleSweep.reads} RRU, ${idleSweep.writes} WRU)`);
  expect(page).toContain(`| **Sum** | **${sum(rows).toFixed(2)}**`);
});

test('docs/operate/costs.md says what each setting adds to it', () => {
  const before = idleCosts(templateOf(), idleSweep);
  const added = (settings: Record<string, string>): string =>
    (sum(idleCosts(templateOf(settings), idleSweep)) - sum(before)).toFixed(2);
  const { firewall, ownEncryptionKey, eventBus, exportBucket, tracing } = everythingOn;

  const pages = { firewall, ownEncryptionKey, eventBus, exportBucket, dashboard: 'true' };
  for (const [name, value] of Object.entries(pages))
    expect(page, name).toMatch(
      new RegExp(`^\\| \`${name}\` \\| ${added({ [name]: value }).replace('.', '\\.')} a month`, 'm'),
    );
  expect(added({ tracing })).toBe('0.00');
});

test('a log line that an alarm counts is no metric, and so costs nothing, while nobody writes it', () => {
  const filters = templateOf(everythingOn).ofType('AWS::Logs::MetricFilter');

  expect(filters.length).toBeGreaterThan(0);
  for (const [id, { Properties }] of filters)
    expect(Properties.MetricTransformations[0], id).not.toHaveProperty('DefaultValue');
});

test('docs/operate/costs.md says what a month costs three shops', () => {
  const kilobytes = Number(/([\d.]+) KB each/.exec(page)?.[1]);
  const months = shops.map((shop) => monthOf(shop, sum(idleCosts(templateOf(), idleSweep)), kilobytes));

  for (const row of Object.keys(months[0] ?? {}) as (keyof (typeof months)[0])[]) {
    const mark = row.startsWith('**') ? '**' : '';
    const cells = months.map((month) => `${mark}${month[row].toFixed(2)}${mark}`);
    expect(page).toContain(`| ${row} | ${cells.join(' | ')} |`);
  }
  for (const [name, key] of [
    ['sales a day', 'sales'],
    ['vendors', 'vendors'],
    ['lists opened at the desk a day', 'pages'],
  ] as const)
    expect(page).toContain(`| ${name} | ${shops.map((shop) => shop[key].toLocaleString('en')).join(' | ')} |`);
});
