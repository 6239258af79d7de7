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

/** Turns a file that another vendor system exported into files that `store import` reads. */

export interface ConvertOptions {
  /** The name of the system. By default the system whose form the file has. */
  from?: string | undefined;
  /** The columns of a file whose form is not known. */
  map?: Partial<Record<FieldName, ColumnName>> | undefined;
  /** Only rows that have this value in this column. */
  only?: { column: ColumnName; value: string } | undefined;
  /** The zone of times without an offset. */
  zone?: string | undefined;
  /** Leaves out rows that cannot be read. Otherwise such a row ends the conversion. */
  skipRejects?: boolean | undefined;
  /** Ends the conversion, which then leaves no file behind. */
  signal?: AbortSignal | undefined;
}

export interface ConversionReport {
  files: { kind: string; path: string; rows: number }[];
  /** How many rows were left out, by the reason. */
  leftOut: Map<string, number>;
  faults: { line: number; reason: string }[];
  /** Some times had no offset, and were read in this zone. */
  usedZone: boolean;
  /** How many of these times the clocks of the zone show twice, or never. Each was read as the earlier time. */
  beside: TimesBeside;
}

type Cells = Partial<Record<FieldName, string>>;

/** The columns of each kind's file that a conversion writes. */
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

/** The place of a column in a row. Throws where the file has no such column. */
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

/** Whole L$. Some files write them with decimals that are zeros. */
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

/** The avatar that a row names, and the name that the row has for them. */
const avatarIn = (uuid = '', name = ''): { ref: string; uuid?: string; username?: string } | undefined => {
  const [known, byName] = [parseIdentifier(copiedName(uuid))?.uuid, parseIdentifier(copiedName(name))?.username];
  const ref = known ?? byName;
  return ref === undefined ? undefined : { ref, ...(known && { uuid: known }), ...(byName && { username: byName }) };
};

/**
 * The facts of the rows so far: avatars with their names, the newest last, products with their last price, and ids of
 * sales.
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
    /** The id of a sale. A second sale with the same id gets a number after it. */
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
        // Only this store is told: these names are old, and the dispenser may know newer ones.
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

/** The settings of a customer in a row. */
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

/** The credit of a row. Its settings go into the book. */
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

/** The sale of a row, and its time. */
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

/** A row by the meanings of its columns. */
interface VendorRow {
  line: number;
  cells: Cells;
  fault: string | undefined;
}

/** Finds out which system a file comes from. `rows` reads its rows. */
const openVendorFile = async (path: string, options: ConvertOptions) => {
  let first: string[] = [];
  for await (const { cells } of readRecords(path)) {
    first = cells;
    break;
  }
  const vendor = vendorFor(first, path, options);
  const { only } = options;
  const named = [...Object.values(vendor.columns), only?.column].some((column) => typeof column === 'string');
  // After the last name, nothing belongs to the file.
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

/** The result so far: a conversion adds to it row by row. */
type Tally = Omit<ConversionReport, 'files'>;

const ofCustomers = ['credit', 'restrictedCredit', 'discount', 'newsSubscriber'] as const;

/** Each row is about a customer, and not about a sale. */
const isOfCustomers = ({ columns }: Vendor): boolean => ofCustomers.some((field) => field in columns);

/**
 * Converts the rows of a file to rows of credit or of sales. Counts the rows that it leaves out, and notes the faults.
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

/** The files of a conversion. They appear when all of them are whole. */
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
    /** Removes what was written. */
    abandon: async (): Promise<void> => {
      for (const { path: to } of files) await rm(unfinished(to), { force: true });
    },
    /** Lets the files that have rows appear, in the order in which they can be imported. */
    finish: async (): Promise<ConversionReport['files']> => {
      for (const { path: to, rows: count } of files)
        await (count > 0 ? rename(unfinished(to), to) : rm(unfinished(to), { force: true }));
      const order = importFiles.map(({ name }) => name);
      return files.filter(({ rows }) => rows > 0).sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
    },
  };
};

/**
 * Converts a file into a directory, which must be empty or new. Writes nothing if a row is at fault, unless such rows
 * are to be left out. Throws if the form of the file is unknown.
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
