import * as z from 'zod';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import type { GiftLine } from '../../../lib/operator/give-credit.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { columns, optionalTime } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import type { Format } from './format.ts';
import { type LinesOfFile, readLines } from './read-lines.ts';

/** A line of a file of gifts, with the resident's name. */
export interface NamedGift extends GiftLine {
  username: string;
}

export type GiftFile = LinesOfFile<NamedGift>;

/** A file of gifts, which is checked like an imported file. */
export const giftFile: ImportFile = {
  name: 'gifts',
  summary: 'credit for many customers, a row each',
  columns: columns({
    resident: ['person', identifier(), 'who gets it, by UUID or username'],
    amount: ['integer', integer(1), 'in whole L$'],
    type: [
      'text',
      z.enum(creditTypes, { error: 'must be regular or restricted' }).default('regular'),
      'regular or restricted',
    ],
    expiresAt: ['end', optionalTime, 'when it expires; empty: never'],
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

interface GiftFields {
  resident: Resident;
  amount: number;
  type: CreditType;
  expiresAt?: string;
}

/** Reads and checks a whole file of gifts. Throws if it cannot be read. */
export const readGiftFile = (store: string, path: string, asked?: Format): Promise<GiftFile> =>
  readLines<GiftFields, NamedGift>(giftFile, store, path, asked, ({ resident, ...fields }, number) => ({
    ...fields,
    ...resident,
    number,
  }));
