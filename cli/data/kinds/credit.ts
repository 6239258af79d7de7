import * as z from 'zod';
import { creditTypes } from '../../../lib/credit/rules.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer, text } from '../../../lib/routes/wire.ts';
import { credit as importer } from '../../plans/credit.ts';
import { foreignId } from '../columns.ts';
import { listCredit } from '../credit-rows.ts';
import type { Kind } from '../kinds.ts';

const by = text({ min: 1, max: 255 }).optional();
const time = timestamp().optional();

const states = z.enum(['open', 'drained', 'expired', 'superseded'], {
  error: 'must be open, drained, expired or superseded',
});

const types = z.enum(creditTypes, { error: 'must be regular or restricted' });

const ofLots = ['id', 'remaining', 'createdAt', 'createdBy', 'endedAt', 'endedBy'];

export const credit: Kind = {
  name: 'credit',
  summary: "customers' credit: a row for each lot, and one without expiresAt for what does not expire",
  columns: [
    { name: 'resident', form: 'text', check: identifier(), help: 'the customer, by UUID or username' },
    { name: 'type', form: 'text', check: types.default('regular'), help: 'regular or restricted' },
    { name: 'amount', form: 'integer', check: integer(0), help: 'in whole L$: what the lot was made with' },
    { name: 'expiresAt', form: 'text', check: time, help: 'when it expires; empty: never' },
    {
      name: 'remaining',
      form: 'integer',
      check: integer(0).optional(),
      help: 'what is left of it; all of it where empty',
    },
    {
      name: 'id',
      form: 'text',
      check: foreignId().optional(),
      help: 'a UUID, or the id that the lot has in another system',
    },
    { name: 'state', form: 'text', check: states.default('open'), help: 'open, or how it ended' },
    { name: 'createdAt', form: 'text', check: time, help: 'when it was added' },
    { name: 'createdBy', form: 'text', check: by, help: 'the request that added it' },
    { name: 'endedAt', form: 'text', check: time, help: 'when it ended, if it has' },
    { name: 'endedBy', form: 'text', check: by, help: 'the request that ended it' },
  ],
  rules: ({ amount, expiresAt, remaining, state, ...others }, report) => {
    if (expiresAt === undefined) {
      if (state !== undefined && state !== 'open') report('state', 'must be open or empty where there is no expiresAt');
      for (const name of ofLots)
        if ({ ...others, remaining }[name] !== undefined) report(name, 'must be empty where there is no expiresAt');
      return;
    }
    if (typeof amount !== 'number') return;
    const left = remaining ?? (state === 'drained' ? 0 : amount);
    if (amount < 1) report('amount', 'must be at least 1 for a lot');
    else if (Number(left) > amount) report('remaining', 'must be at most the amount');
    else if (state === 'drained' && left !== 0) report('remaining', 'must be 0 or empty for a lot that is drained');
    else if (state !== 'drained' && left === 0)
      report('remaining', 'must be over 0; a lot with nothing left is drained');
    if ((state ?? 'open') === 'open')
      for (const name of ['endedAt', 'endedBy'])
        if (others[name] !== undefined) report(name, 'must be empty for a lot that is open');
  },
  id: {
    from: ({ resident, type = 'regular', amount, expiresAt }, uuidOf) =>
      JSON.stringify([uuidOf(resident), type, amount, expiresAt]),
    repeats: ({ expiresAt }) => expiresAt !== undefined,
  },
  unique: ({ id, resident, type = 'regular', expiresAt }, uuidOf): Record<string, string[]> =>
    expiresAt === undefined ? { resident: [`${uuidOf(resident)} ${type}`] } : { id: [id as string] },
  onlyAdded: true,
  importer: (checksOnly) => importer(checksOnly ? new Map() : undefined),
  rows: listCredit,
};
