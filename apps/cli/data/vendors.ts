import { plainCell } from '../../shared/plain-cell.ts';

/**
 * The forms of the files that other vendor systems export. A system is listed only if its form is public;
 * docs/guides/move-over.md names the source. For any other file, the person names the columns on the command line.
 */

/** The meanings that a column can have. */
export const fields = {
  id: 'the id of the sale',
  at: 'when it was sold: a time with an offset, seconds since 1970, or a time as 2027-12-31 23:59:59 in --zone',
  buyerUuid: 'the avatar UUID of who paid, or of the customer',
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
  discount: "a customer's discount, in whole percent",
  newsSubscriber: 'whether they get the news: yes or no, true or false, 1 or 0; empty: no',
} as const;

export type FieldName = keyof typeof fields;

/** A column's name in the first line or, in a file without such a line, its number from 1 on. */
export type ColumnName = string | number;

export interface Vendor {
  name: string;
  summary: string;
  columns: Partial<Record<FieldName, ColumnName>>;
  /** The values of `status` for a completed sale. Other rows are left out. */
  made?: readonly string[];
}

export const vendors: readonly Vendor[] = [
  {
    name: 'caspervend',
    summary: 'the sales of CasperVend, with those of the marketplace that it lists',
    columns: {
      id: 'TransactionID',
      at: 'UnixTimestamp',
      status: 'Status',
      buyerUuid: 'FromKey',
      buyerName: 'FromName',
      recipientUuid: 'ToKey',
      recipientName: 'ToName',
      product: 'ProductName',
      productId: 'ProductID',
      price: 'Gross',
      quantity: 'Quantity',
    },
    made: ['complete'],
  },
];

const missingColumns = ({ columns }: Vendor, cells: readonly string[]): string[] => {
  const there = cells.map((cell) => plainCell(cell).toLowerCase());
  return Object.values(columns)
    .map(String)
    .filter((name) => !there.includes(name.toLowerCase()));
};

/** The vendor system whose files begin with this line. */
export const recogniseVendor = (cells: readonly string[]): Vendor | undefined =>
  vendors.find((vendor) => missingColumns(vendor, cells).length === 0);

/** Names the columns that the first line lacks, if it has most columns of a system. Undefined otherwise. */
export const nearMiss = (cells: readonly string[]): string | undefined => {
  for (const vendor of vendors) {
    const lacking = missingColumns(vendor, cells);
    if (lacking.length >= Object.keys(vendor.columns).length / 2) continue;
    return `It looks like ${vendor.name}, but has no ${lacking.length > 1 ? 'columns' : 'column'} ${lacking.join(', ')}`;
  }
  return undefined;
};
