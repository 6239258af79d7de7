import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as z from 'zod';
import { now, timestamp } from '../../lib/clock.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import type { Identifier } from '../../lib/identifier.ts';
import { identifier, integer } from '../../lib/routes/wire.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { columns, optionalTime } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { residentOf } from '../kinds/rows.ts';
import { beginCheck, checkRows, explainFault } from './check.ts';
import { type Format, formatOf, formats } from './format.ts';
import { type RawRow, readRows } from './read.ts';

/** A line of a file of gifts: credit that one resident gets. */
export interface GiftLine {
  /** Its number among the lines of the file, from 1 on. */
  number: number;
  resident: Resident;
  type: CreditType;
  amount: number;
  expiresAt?: string | undefined;
}

export interface GiftFile {
  lines: GiftLine[];
  /** The SHA-256 of the file. */
  digest: string;
  /** A sentence for each value that is wrong, with its line. */
  faults: string[];
}

/** A file of gifts, which is checked like that of an import. */
const giftFile: ImportFile = {
  name: 'gifts',
  summary: 'credit for many customers, a row each',
  columns: columns({
    resident: ['text', identifier(), 'who gets it, by UUID or username'],
    amount: ['integer', integer(1), 'in whole L$'],
    type: [
      'text',
      z.enum(creditTypes, { error: 'must be regular or restricted' }).default('regular'),
      'regular or restricted',
    ],
    expiresAt: ['text', optionalTime, 'when it expires; empty: never'],
  }),
  checkRow: ({ expiresAt }, report) => {
    if (typeof expiresAt === 'string' && expiresAt <= timestamp(now())) report('expiresAt', 'must be in the future');
  },
  unique: ({ resident, type, expiresAt }, uuidOf): Record<string, string[]> => ({
    resident: [[uuidOf(resident), type, expiresAt ?? ''].join(' ')],
  }),
  onlyAdded: true,
  importer: () => ({ plan: async () => [] }),
  rows: async function* () {},
};

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
};

interface GiftFields {
  resident: Identifier;
  amount: number;
  type: CreditType;
  expiresAt?: string;
}

/** Reads and checks a whole file of gifts. Throws where it cannot be read. */
export const readGiftFile = async (store: string, path: string, asked?: Format): Promise<GiftFile> => {
  const format = formatOf(path, asked, formats);
  const pass = beginCheck(giftFile, store);
  const file: GiftFile = { lines: [], digest: '', faults: [] };
  let count = 0;
  const take = async (raws: RawRow[]): Promise<void> => {
    const { rows, faults, setting } = await checkRows(raws, pass);
    const good = new Map(rows.map(({ line, fields }) => [line, fields as unknown as GiftFields]));
    for (const { line } of raws) {
      count += 1;
      const fields = good.get(line);
      if (fields) file.lines.push({ ...fields, number: count, resident: residentOf(setting, fields.resident) });
      for (const fault of faults.get(line) ?? []) file.faults.push(`line ${line}: ${explainFault(fault)}`);
    }
  };
  let some: RawRow[] = [];
  for await (const row of readRows(giftFile, path, format)) {
    some.push(row);
    if (some.length < 100) continue;
    await take(some);
    some = [];
  }
  await take(some);
  return { ...file, digest: await digestOf(path) };
};
