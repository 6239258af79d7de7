import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseIdentifier } from '../../../lib/identifier.ts';
import { isSameText, trimmed } from '../../../lib/normalise.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { ownOf } from '../../shared/csv-header.ts';
import { plainCell } from '../../shared/plain-cell.ts';
import { idFrom, type Values } from '../kinds/columns.ts';
import { importFiles } from '../kinds/kinds.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { readyDir, unfinished, writeLines } from './export.ts';
import { readRecords } from './read.ts';
import { type FileTime, readTime, type TimesBeside } from './times.ts';
import { type ColumnName, type FieldName, fields, nearMiss, recogniseVendor, type Vendor, vendors } from './vendors.ts';
import { lineWriter } from './write.ts';

/** Converts a file that another vendor system exported into files for `store import`. */

export interface ConvertOptions {
  /** The name of the system. By default, the first line of the file tells the system. */
  from?: string | undefined;
  /** The columns of a file from an unknown system. */
  map?: Partial<Record<FieldName, ColumnName>> | undefined;
  /** Converts only rows with this value in this column. */
  only?: { column: ColumnName; value: string } | undefined;
  /** The time zone of times without an offset. */
  zone?: string | undefined;
  /** Leaves out rows that cannot be read. Otherwise such a row ends the conversion. */
  skipRejects?: boolean | undefined;
  /** Ends the conversion, which then leaves no file behind. */
  signal?: AbortSignal | undefined;
}

export interface ConversionReport {
  files: { kind: string; path: string; rows: number }[];
  /** The number of rows that were left out, by the reason. */
  leftOut: Map<string, number>;
  faults: { line: number; reason: string }[];
  /** True if some times had no offset and were read in the zone. */
  usedZone: boolean;
  /** The number of these times that the zone's clocks show twice, or never. Each was read as the earlier time. */
  beside: TimesBeside;
}

type Cells = Partial<Record<FieldName, string>>;

/** The columns that a conversion writes, by kind. */
const written = {
  residents: ['uuid', 'username', 'formerNames', 'source'],
  products: ['id', 'name', 'price', 'active'],
  credit: ['resident', 'type', 'amount'],
  customers: ['resident', 'discount', 'newsSubscriber'],
  sales: ['id', 'product', 'buyer', 'recipient', 'base', 'total', 'credit', 'paid', 'at'],
} as const;

type KindName = keyof typeof written;

const linesFor = (name: KindName) => {
  const kind = importFiles.find((one) => one.name === name);
  const columns = written[name].flatMap((column) => kind?.columns.find((each) => each.name === column) ?? []);
  return lineWriter({ columns }, 'csv');
};

/** The index of a column in a row. Throws if the file has no such column. */
const columnIndex = (column: ColumnName, header: readonly string[] | undefined, path: string): number => {
  if (typeof column === 'number') return column - 1;
  const place = header?.findIndex((cell) => plainCell(cell).toLowerCase() === plainCell(column).toLowerCase()) ?? -1;
  if (place >= 0) return place;
  throw new UsageError(
    `${path} has no column ${JSON.stringify(column)}. It has ${(header ?? []).map((cell) => cell.trim()).join(', ')}.`,
  );
};

const vendorFor = (first: readonly string[], path: string, { from, map }: ConvertOptions): Vendor => {
  if (map) return { name: 'map', summary: '', columns: map };
  const found = from === undefined ? recogniseVendor(first) : vendors.find(({ name }) => name === from);
  if (found) return found;
  const near = nearMiss(first);
  throw new Failure(
    `The form of ${path} is not known. ${near === undefined ? '' : `${near}. `}Its first line is: ${first
      .map((cell) => cell.trim())
      .join(', ')
      .slice(0, 300)}. ` +
      `Say which column is which, such as --map "Buyer Key=buyerUuid" --map "Price=price". The fields are: ${Object.keys(fields).join(', ')}.`,
  );
};

/** Reads whole L$. Some files write decimals, which must be zeros. */
const readAmount = (text: string): number | undefined => {
  const [, digits] = /^(\d{1,10})(?:\.0{1,2})?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** A row that cannot be converted. */
class Fault extends Error {}

const amountIn = (cells: Cells, field: FieldName): number => {
  const amount = readAmount(cells[field] ?? '');
  if (amount === undefined) throw new Fault(`${field} ${JSON.stringify(cells[field] ?? '')} must be whole L$`);
  return amount;
};

/** The avatar that a row names. `ref` is the UUID or, without one, the username. */
const avatarIn = (uuid = '', name = ''): { ref: string; uuid?: string; username?: string } | undefined => {
  const [known, byName] = [parseIdentifier(copiedName(uuid))?.uuid, parseIdentifier(copiedName(name))?.username];
  const ref = known ?? byName;
  return ref === undefined ? undefined : { ref, ...(known && { uuid: known }), ...(byName && { username: byName }) };
};

/**
 * Collects facts from the rows: avatars with their names, products with their last price, customers' settings, and ids
 * of sales.
 */
const startBook = () => {
  const avatars = new Map<string, Map<string, string>>();
  const products = new Map<string, { name: string; price: number; at: string }>();
  const ids = new Map<string, number>();
  const customers = new Map<string, { discount?: number; newsSubscriber?: boolean }>();
  return {
    /** A customer's settings. Throws if they differ from an earlier row's. */
    settle: (ref: string, settings: { discount?: number; newsSubscriber?: boolean }): void => {
      const before = customers.get(ref);
      if (before && JSON.stringify(before) !== JSON.stringify(settings))
        throw new Fault(`another row has other settings of ${ref}`);
      customers.set(ref, settings);
    },
    customers: (): Values[] => [...customers].map(([resident, settings]) => ({ resident, ...settings })),
    meet: ({ uuid, username }: { uuid?: string; username?: string }, at: string): void => {
      if (uuid === undefined) return;
      const names = avatars.get(uuid) ?? new Map<string, string>();
      avatars.set(uuid, names);
      if (username !== undefined && at >= (names.get(username) ?? '')) names.set(username, at);
    },
    sell: (key: string, name: string, price: number, at: string): void => {
      const before = products.get(key);
      if (!before || at >= before.at) products.set(key, { name, price, at });
    },
    /** Makes a sale's id. A second sale with the same text gets a number behind it. */
    idOf: (text: string): string => {
      const count = (ids.get(text) ?? 0) + 1;
      ids.set(text, count);
      return count === 1 ? text : `${text} ${count}`;
    },
    /** Each name belongs to the avatar who had it last. */
    residents: (): Values[] => {
      const last = new Map<string, { uuid: string; at: string }>();
      for (const [uuid, names] of avatars)
        for (const [name, at] of names) if (at >= (last.get(name)?.at ?? '')) last.set(name, { uuid, at });
      return [...avatars].map(([uuid, names]) => {
        const own = [...names]
          .filter(([name]) => last.get(name)?.uuid === uuid)
          .sort(([, a], [, b]) => (a < b ? 1 : -1));
        const [username = uuid, ...formerNames] = own.map(([name]) => name);
        // The names are old, and a box may know newer ones. So only this store learns them.
        return { uuid, username, formerNames, source: 'store' };
      });
    },
    products: (): Values[] =>
      [...products].map(([key, { name, price }]) => ({
        id: key === name ? undefined : key,
        name,
        price,
        active: false,
      })),
  };
};

type Book = ReturnType<typeof startBook>;

const yesOrNo = new Map([
  ...['yes', 'true', '1'].map((word) => [word, true] as const),
  ...['no', 'false', '0', ''].map((word) => [word, false] as const),
]);

/** Reads a customer's settings from a row. */
const settingsIn = ({ discount, newsSubscriber }: Cells): { discount?: number; newsSubscriber?: boolean } => {
  const [, digits] = /^(\d{1,3})(?:\.0{1,2})?\s?%?$/.exec(discount || '0') ?? [];
  if (digits === undefined || Number(digits) > 100)
    throw new Fault(`discount ${JSON.stringify(discount)} must be a whole percentage from 0 to 100`);
  const isSubscriber = yesOrNo.get((newsSubscriber ?? '').toLowerCase());
  if (isSubscriber === undefined) throw new Fault(`newsSubscriber ${JSON.stringify(newsSubscriber)} must be yes or no`);
  return {
    ...(discount !== undefined && { discount: Number(digits) }),
    ...(newsSubscriber !== undefined && { newsSubscriber: isSubscriber }),
  };
};

/** The rows of credit of a customer's row. Its settings go into the book. */
const customerRows = (cells: Cells, book: Book): Values[] => {
  const holder = avatarIn(cells.buyerUuid, cells.buyerName);
  if (!holder) throw new Fault('the row must name the customer, by UUID or username');
  book.meet(holder, '');
  if (cells.discount !== undefined || cells.newsSubscriber !== undefined) book.settle(holder.ref, settingsIn(cells));
  return (['credit', 'restrictedCredit'] as const).flatMap((field) => {
    if (cells[field] === undefined) return [];
    const amount = amountIn(cells, field);
    const type = field === 'credit' ? 'regular' : 'restricted';
    return amount === 0 ? [] : [{ resident: holder.ref, type, amount }];
  });
};

/** The row of sales of a sale's row, and its time. */
const saleRow = (cells: Cells, vendor: Vendor, zone: string, book: Book): { row: Values; time: FileTime } => {
  const buyer = avatarIn(cells.buyerUuid, cells.buyerName);
  if (!buyer) throw new Fault('the row must name who bought, by UUID or username');
  const recipient = avatarIn(cells.recipientUuid, cells.recipientName) ?? buyer;
  const time = readTime(cells.at ?? '', zone);
  if (!time) throw new Fault(`at ${JSON.stringify(cells.at ?? '')} must be a time such as 2027-12-31 23:59:59`);
  const name = cells.product ?? '';
  const product = cells.productId || name;
  if (product === '') throw new Fault('the row must name the product');
  const price = amountIn(cells, 'price');
  const quantity = cells.quantity ? amountIn(cells, 'quantity') : 1;
  book.meet(buyer, time.at);
  book.meet(recipient, time.at);
  book.sell(product, name || product, Math.floor(price / Math.max(quantity, 1)), time.at);
  const made = idFrom(vendor.name, 'sales', JSON.stringify([buyer.ref, recipient.ref, product, price, time.at]));
  const isCredit = cells.method === 'C';
  return {
    time,
    row: {
      id: book.idOf(cells.id || made),
      product,
      buyer: buyer.ref,
      recipient: recipient.ref,
      at: time.at,
      base: price,
      total: price,
      credit: isCredit ? price : 0,
      paid: isCredit ? 0 : price,
    },
  };
};

/** A row with its cells by their meaning. */
interface VendorRow {
  line: number;
  cells: Cells;
  fault: string | undefined;
}

/** Finds out which system a file comes from. The returned `rows` reads its rows. */
const openVendorFile = async (path: string, options: ConvertOptions) => {
  let first: string[] = [];
  for await (const { cells } of readRecords(path)) {
    first = cells;
    break;
  }
  const vendor = vendorFor(first, path, options);
  const { only } = options;
  const named = [...Object.values(vendor.columns), only?.column].some((column) => typeof column === 'string');
  // Empty cells after the last name are no columns.
  if (named) first = first.slice(0, first.findLastIndex((cell) => cell.trim() !== '') + 1);
  const place = (column: ColumnName): number => columnIndex(column, named ? first : undefined, path);
  const places = Object.entries(vendor.columns).map(([field, column]) => [field, place(column)] as const);
  const onlyAt = only && place(only.column);
  const rows = async function* (): AsyncGenerator<VendorRow> {
    let isFirst = named;
    for await (const { cells: all, line } of readRecords(path)) {
      const cells = ownOf(all, first.length);
      const isWanted = !isFirst && (onlyAt === undefined || isSameText(cells[onlyAt] ?? '', only?.value ?? ''));
      isFirst = false;
      if (!isWanted) continue;
      const values: Cells = Object.fromEntries(places.map(([field, at]) => [field, trimmed(cells[at] ?? '')]));
      const fault = `the row must have ${first.length} values, as the first line has: it has ${cells.length}`;
      yield { line, cells: values, fault: cells.length === first.length ? undefined : fault };
    }
  };
  return { vendor, rows };
};

/** The report so far. A conversion adds to it row by row. */
type Tally = Omit<ConversionReport, 'files'>;

const ofCustomers = ['credit', 'restrictedCredit', 'discount', 'newsSubscriber'] as const;

/** True if each row of the file is about a customer, and not about a sale. */
const isOfCustomers = ({ columns }: Vendor): boolean => ofCustomers.some((field) => field in columns);

/**
 * Converts the rows of a file to rows of credit or of sales. Adds the rows that it leaves out, and the faults, to
 * `tally`.
 */
async function* convertRows(
  rows: AsyncIterable<VendorRow>,
  vendor: Vendor,
  zone: string,
  book: Book,
  tally: Tally,
): AsyncGenerator<Values> {
  const convert = (cells: Cells): Values[] => {
    if (isOfCustomers(vendor)) return customerRows(cells, book);
    const { row, time } = saleRow(cells, vendor, zone, book);
    tally.usedZone ||= time.zoned;
    if (time.beside) tally.beside[time.beside] += 1;
    return [row];
  };
  for await (const { line, cells, fault } of rows) {
    const why = `status ${cells.status || 'empty'}`;
    const isMade = !vendor.made || vendor.made.includes((cells.status ?? '').toLowerCase());
    if (!isMade && !fault) {
      tally.leftOut.set(why, (tally.leftOut.get(why) ?? 0) + 1);
      continue;
    }
    try {
      if (fault) throw new Fault(fault);
      yield* convert(cells);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      tally.faults.push({ line, reason: error.message });
    }
  }
}

/** The files of a conversion. They get their names when all are complete. */
const startFiles = (dir: string, signal: AbortSignal | undefined) => {
  const files: ConversionReport['files'] = [];
  return {
    write: async (kind: KindName, some: AsyncIterable<Values> | Iterable<Values>): Promise<void> => {
      const { header, row } = linesFor(kind);
      const to = join(dir, `${kind}.csv`);
      const texts = async function* () {
        for await (const one of some) yield row(one);
      };
      files.push({ kind, path: to, rows: 0 });
      const count = await writeLines({ header: [header], rows: texts() }, to, signal ? { signal } : {});
      files.splice(-1, 1, { kind, path: to, rows: count });
    },
    /** Removes the unfinished files. */
    abandon: async (): Promise<void> => {
      for (const { path: to } of files) await rm(unfinished(to), { force: true });
    },
    /** Gives the files with rows their names. Returns them in the order in which they can be imported. */
    finish: async (): Promise<ConversionReport['files']> => {
      for (const { path: to, rows: count } of files)
        await (count > 0 ? rename(unfinished(to), to) : rm(unfinished(to), { force: true }));
      const order = importFiles.map(({ name }) => name);
      return files.filter(({ rows }) => rows > 0).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
    },
  };
};

/**
 * Converts a file into a directory, which must be empty or new. If a row has a fault and `skipRejects` is not set, no
 * file is left. Throws if it does not know the file's system.
 */
export const convertFile = async (
  path: string,
  dir: string,
  options: ConvertOptions = {},
): Promise<ConversionReport> => {
  const { vendor, rows } = await openVendorFile(path, options);
  const { zone = 'UTC', skipRejects = false, signal } = options;
  const book = startBook();
  const tally: Tally = { leftOut: new Map(), faults: [], usedZone: false, beside: { twice: 0, never: 0 } };
  await readyDir(dir);
  const files = startFiles(dir, signal);
  try {
    await files.write(isOfCustomers(vendor) ? 'credit' : 'sales', convertRows(rows(), vendor, zone, book, tally));
    if (tally.faults.length > 0 && !skipRejects) {
      await files.abandon();
      return { files: [], ...tally };
    }
    await files.write('residents', book.residents());
    await files.write('products', book.products());
    await files.write('customers', book.customers());
  } catch (error) {
    await files.abandon();
    throw error;
  }
  return { files: await files.finish(), ...tally };
};
