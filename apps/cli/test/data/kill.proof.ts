import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { getSpend } from '../../../../lib/avatars/spend.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { randomFrom } from '../../../../test/support/faults.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable, wholeTable } from '../../../../test/support/service.ts';
import { importFile } from '../../data/import.ts';
import { kindOf } from '../support/kinds.ts';

const seed = Number(process.env.IMPORT_KILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const [people, purchases] = [
  Number(process.env.IMPORT_KILL_RESIDENTS ?? 2000),
  Number(process.env.IMPORT_KILL_PURCHASES ?? 1000),
];
const random = randomFrom(seed);
const below = (bound: number): number => Math.floor(random() * bound);

const dir = tempDir();
const child = new URL('../support/import-child.ts', import.meta.url).pathname;

const uuidOf = (number: number): string => `${String(number).padStart(8, '0')}-0bad-0000-0000-000000000000`;

/** Starts an import in a process of its own, and kills it after this many rows. Returns true if it was killed. */
const importAndKill = async (
  kind: string,
  store: string,
  path: string,
  rows: number,
  delayMillis: number,
): Promise<boolean> => {
  const running = spawn(process.execPath, [child, kind, store, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(running, 'exit');
  for await (const text of running.stdout) if (Number(String(text).trim().split('\n').at(-1)) >= rows) break;
  await sleep(delayMillis);
  running.kill('SIGKILL');
  const [, signal] = await ended;
  return signal === 'SIGKILL';
};

test(`an import that is killed at a random row continues with no row doubled or lost (IMPORT_KILL_SEED=${seed})`, async () => {
  await freshTable();
  const { id: store } = await createStore('Killed');
  const bought = Array.from({ length: purchases }, () => ({
    buyer: below(people),
    product: below(50),
    price: below(1000),
    day: below(28) + 1,
  }));
  const files = {
    residents: [
      'uuid,username,formerNames',
      ...Array.from({ length: people }, (_, i) => `${uuidOf(i)},person${i},${i % 3 ? '' : `old${i}`}`),
    ],
    products: ['name,price', ...Array.from({ length: 50 }, (_, i) => `Product ${i},5`)],
    // The rows have no ids, so equal rows must be recognised too.
    purchases: [
      'resident,product,price,at',
      ...bought.map(({ buyer, product, price, day }) =>
        `person${buyer},Product ${product},${price},2020-01-${day}T00:00:00Z`.replace(/-(\d)T/, '-0$1T'),
      ),
    ],
    sales: [
      'id,product,buyer,base,total,paid,at',
      ...bought.map(
        ({ buyer, product, price, day }, i) =>
          `S${i},Product ${product},person${buyer},${price},${price},${price},2020-02-${String(day).padStart(2, '0')}T00:00:00Z`,
      ),
    ],
  };
  const killed: boolean[] = [];

  for (const [kind, lines] of Object.entries(files)) {
    const path = join(dir, `${kind}.csv`);
    writeFileSync(path, lines.join('\n'));
    if (kind !== 'products') killed.push(await importAndKill(kind, store, path, below(lines.length - 500), below(40)));
    const report = await importFile(kindOf(kind), store, path);
    expect(report).toMatchObject({ imported: true, rejected: 0, changed: 0 });
  }

  expect(killed).toEqual([true, true, true]);
  const kindsOfItems = (await wholeTable()).map(({ pk }) => /(?:^|#)([A-Z]+)(?:#|$)/.exec(String(pk))?.[1]);
  const count = (kind: string): number => kindsOfItems.filter((one) => one === kind).length;
  expect([count('RESIDENT'), count('NAME'), count('PURCHASE'), count('SALE')]).toEqual([
    people,
    people + Math.ceil(people / 3),
    purchases,
    purchases,
  ]);
  const sums = new Map<number, number>();
  for (const { buyer, price } of bought) sums.set(buyer, (sums.get(buyer) ?? 0) + price);
  for (const [buyer, sum] of [...sums].slice(0, 200)) {
    const owned = new Set(bought.filter((one) => one.buyer === buyer).map(({ product }) => product)).size;
    expect(await getSpend(store, { uuid: uuidOf(buyer) })).toMatchObject({ sum: 2 * sum, totalOwned: owned });
  }
});
