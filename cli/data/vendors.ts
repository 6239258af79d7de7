/**
 * The files that other vendor systems export, as data. A form stands here only if there is public evidence of it:
 * docs/guides/move-over.md names that. The columns of any other file are named on the command line.
 */

/** The meanings that a column can have. */
export const fields = {
  id: 'the id of the sale',
  at: 'when it was sold: a time with an offset, seconds since 1970, or a time as 2027-12-31 23:59:59 in --zone',
  buyerUuid: 'the avatar UUID of who paid, or of whose credit it is',
  buyerName: 'their name',
  recipientUuid: 'the avatar UUID of who got the product; empty: the buyer',
  recipientName: 'their name',
  product: 'the name of the product',
  productId: 'its id',
  price: 'what was paid, in whole L$',
  quantity: 'how many were sold for that; empty: one',
  method: 'C where the price was paid with store credit',
  status: 'how the sale ended',
  credit: 'a balance of store credit, in whole L$',
  restrictedCredit: 'a balance of restricted store credit, in whole L$',
} as const;

export type FieldName = keyof typeof fields;

/** A column: by its name in the first line, or by its number from 1 in a file without such a line. */
export type ColumnName = string | number;

export interface Vendor {
  name: string;
  summary: string;
  columns: Partial<Record<FieldName, ColumnName>>;
  /** Recognises a row of a file without a first line that names columns: a pattern for each cell. */
  row?: readonly RegExp[];
  /** The values of `status` of a sale that was made. Other rows are left out. */
  made?: readonly string[];
}

const any = /^/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const optionalUuid = new RegExp(`^$|${uuid.source}`, 'i');
const digits = /^\d+$/;

export const vendors: readonly Vendor[] = [
  {
    name: 'caspervend',
    summary: 'the sales of CasperVend, with those of the marketplace that it lists',
    columns: {
      ...{ id: 'TransactionID', at: 'UnixTimestamp', status: 'Status' },
      ...{ buyerUuid: 'FromKey', buyerName: 'FromName', recipientUuid: 'ToKey', recipientName: 'ToName' },
      ...{ product: 'ProductName', productId: 'ProductID', price: 'Gross', quantity: 'Quantity' },
    },
    made: ['complete'],
  },
  {
    name: 'e2v-sales',
    summary: 'the sales history of E2V',
    columns: {
      ...{ buyerName: 1, buyerUuid: 2, product: 3, at: 4, price: 6, method: 7 },
      ...{ recipientName: 8, recipientUuid: 9 },
    },
    row: [any, uuid, any, /^\d{4}-\d\d-\d\d /, any, digits, /^[LC]$/, any, optionalUuid],
  },
  {
    name: 'e2v-credit',
    summary: 'the store credit of E2V',
    columns: { buyerName: 1, buyerUuid: 2, credit: 3 },
    row: [any, uuid, digits],
  },
];

const mismatched = (row: readonly RegExp[], cells: readonly string[]): number[] =>
  row.flatMap((pattern, i) => (pattern.test(cells[i] ?? '') ? [] : [i]));

const hasRow = ({ row }: Vendor, cells: readonly string[]): boolean =>
  row?.length === cells.length && mismatched(row, cells).length === 0;

const missingColumns = ({ columns }: Vendor, cells: readonly string[]): string[] => {
  const there = cells.map((cell) => cell.trim().toLowerCase());
  return Object.values(columns)
    .map(String)
    .filter((name) => !there.includes(name.toLowerCase()));
};

const hasHeader = (vendor: Vendor, cells: readonly string[]): boolean =>
  !vendor.row && missingColumns(vendor, cells).length === 0;

/** The vendor system that a file's first line is of. */
export const recogniseVendor = (cells: readonly string[]): Vendor | undefined =>
  vendors.find((vendor) => hasHeader(vendor, cells) || hasRow(vendor, cells));

/**
 * Says which columns keep a first line from the form of a system that it mostly has. Undefined where it has none
 * mostly.
 */
export const nearMiss = (cells: readonly string[]): string | undefined => {
  for (const vendor of vendors) {
    const { name, row, columns } = vendor;
    const checked = row ? row.filter((pattern) => pattern !== any).length : Object.keys(columns).length;
    const lacking = row ? mismatched(row, cells).map((i) => `#${i + 1}`) : missingColumns(vendor, cells);
    if (lacking.length >= checked / 2 || (row && row.length !== cells.length)) continue;
    const which = `${lacking.length > 1 ? 'columns' : 'column'} ${lacking.join(', ')}`;
    return row ? `It looks like ${name}, but not in ${which}` : `It looks like ${name}, but has no ${which}`;
  }
  return undefined;
};
