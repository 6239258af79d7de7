import type { Resident } from '../../../lib/avatars/residents.ts';
import type { SpendItem } from '../../../lib/avatars/spend.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { holdingOf } from '../../../lib/credit/state.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { customerKey, spendKey } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { columns } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { beginCheck, checkRows, explainFault } from './check.ts';
import { formatOf, formats } from './format.ts';
import { type RawRow, readRows } from './read.ts';

/** Compares customers' sums with the sums in a file that another system exported. */

const comparedSums = ['credit', 'restrictedCredit', 'spent', 'owned'] as const;
type SumName = (typeof comparedSums)[number];

const sum = (help: string): ['integer', ReturnType<typeof optionalSum>, string] => ['integer', optionalSum(), help];
const optionalSum = () => integer(0).optional();

/** A file of sums. Every column except the resident may be missing. A missing sum is not compared. */
const sumsFile: ImportFile = {
  name: 'sums',
  summary: "customers' sums as another system has them",
  columns: columns({
    resident: ['person', identifier(), 'the customer, by UUID or username'],
    credit: sum('their regular credit'),
    restrictedCredit: sum('their restricted credit'),
    spent: sum('what they have spent'),
    owned: sum('how many products they own'),
  }),
  unique: ({ resident }, uuidOf) => ({ resident: [uuidOf(resident)] }),
  importer: () => ({ plan: async () => [] }),
  rows: async function* () {},
};

/** A customer's sum that differs in the file and here. */
export interface SumFault {
  line: number;
  uuid: string;
  username: string;
  sum: SumName;
  file: number;
  here: number;
}

/** A sum over the file's rows that have it, and over the same customers here. */
export interface SumsCompared {
  sum: SumName;
  rows: number;
  file: number;
  here: number;
}

export interface AgainstReport {
  sums: SumsCompared[];
  /** A sentence for each row that could not be compared. */
  faults: string[];
}

const sumsHere = async (store: string, uuids: readonly string[]) => {
  const [customers, spends] = await Promise.all([
    getMany<CreditItem>(
      uuids.map((uuid) => customerKey(store, uuid)),
      { consistent: true },
    ),
    getMany<SpendItem>(
      uuids.map((uuid) => spendKey(store, uuid)),
      { consistent: true },
    ),
  ]);
  const customerAt = new Map(customers.map((item) => [item.sk, item]));
  const spendAt = new Map(spends.map((item) => [item.sk, item]));
  return (uuid: string): Record<SumName, number> => {
    const item = customerAt.get(uuid);
    const spend = spendAt.get(uuid);
    return {
      credit: item ? holdingOf(item, 'regular').balance : 0,
      restrictedCredit: item ? holdingOf(item, 'restricted').balance : 0,
      spent: spend?.sum ?? 0,
      owned: spend?.totalOwned ?? 0,
    };
  };
};

/** Compares every row of a file with the store, and reports each sum that differs to `onFault`. */
export const compareAgainst = async (
  store: string,
  path: string,
  onFault: (fault: SumFault) => void,
): Promise<AgainstReport> => {
  const pass = beginCheck(sumsFile, { store });
  const report: AgainstReport = {
    sums: comparedSums.map((name) => ({ sum: name, rows: 0, file: 0, here: 0 })),
    faults: [],
  };
  const take = async (raws: readonly RawRow[]): Promise<void> => {
    const { rows, faults } = await checkRows(raws, pass);
    for (const [line, found] of faults)
      for (const fault of found) report.faults.push(`line ${line}: ${explainFault(fault)}`);
    const named = rows.map((row) => ({ ...row, ...(row.fields.resident as Resident) }));
    const hereOf = await sumsHere(
      store,
      named.map(({ uuid }) => uuid),
    );
    for (const { line, uuid, username, fields } of named)
      for (const each of report.sums) {
        const told = fields[each.sum];
        if (typeof told !== 'number') continue;
        const here = hereOf(uuid)[each.sum];
        each.rows += 1;
        each.file += told;
        each.here += here;
        if (told !== here) onFault({ line, uuid, username, sum: each.sum, file: told, here });
      }
  };
  let some: RawRow[] = [];
  for await (const row of readRows(sumsFile, path, formatOf(path, undefined, formats))) {
    some.push(row);
    if (some.length < 100) continue;
    await take(some);
    some = [];
  }
  await take(some);
  return { ...report, sums: report.sums.filter(({ rows }) => rows > 0) };
};
