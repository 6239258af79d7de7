import type { Resident } from '../../../lib/avatars/residents.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import type { Fault, Importer, Row, Setting } from '../../../lib/operator/imports/rows.ts';
import { findResidents } from '../../../lib/operator/residents.ts';
import { allowedIn, withTime } from '../../shared/cells.ts';
import { nested } from '../../shared/nested.ts';
import { idFrom, isRequired, namedIn, type UuidLookup, type Values } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import type { RawRow } from './read.ts';

/** A pass over a file. Its memory grows by the id of each row. */
export interface Pass {
  kind: ImportFile;
  setting: Setting;
  importer: Importer<unknown>;
  /** The number of equal rows without ids so far, by the text from which their ids are made. */
  repeats: Map<string, number>;
  /**
   * The line of each row by its unique values. Only the pass that checks has it: the pass that writes knows the faults.
   */
  taken?: Map<string, number>;
}

/** Begins the pass that checks. */
export const beginCheck = (kind: ImportFile, setting: Setting) => ({
  kind,
  setting,
  importer: kind.importer(true),
  repeats: new Map<string, number>(),
  taken: new Map<string, number>(),
});

/** Begins the pass that writes. */
export const beginWrites = (kind: ImportFile, setting: Setting): Pass => ({
  kind,
  setting,
  importer: kind.importer(false),
  repeats: new Map<string, number>(),
});

/** Checks the values of a row one by one. */
const checkValues = (kind: ImportFile, raw: RawRow): { fields: Values; faults: Fault[] } => {
  const faults = [...raw.faults];
  const fields: Values = {};
  if (faults.length > 0) return { fields, faults };
  for (const column of kind.columns) {
    const { name, check } = column;
    if (!(name in raw.values) && !isRequired(column) && !kind.onlyAdded) continue;
    const value = withTime(column, raw.values[name]);
    const parsed = check.safeParse(value);
    if (parsed.success) fields[name] = parsed.data;
    else {
      const message = allowedIn(column, value, parsed.error.issues[0]?.message ?? 'is wrong');
      faults.push({ field: name, value: value ?? '', message });
    }
  }
  const report = (field: string, message: string): void => {
    faults.push({ field, value: fields[field], message });
  };
  if (faults.length === 0) kind.checkRow?.(fields, report);
  return { fields, faults };
};

const unknownResident = 'is not a known resident: import residents first, or correct the name';

/** Gives a row its id. If it has none, the made id is the same each time the file is read. */
const giveId = ({ kind, setting, repeats: counts }: Pass, fields: Values, uuidOf: UuidLookup): Values => {
  if (!kind.id) return fields;
  const { store } = setting;
  const { from, madeOf, repeats, asText } = kind.id;
  const given = fields.id as string | undefined;
  if (given !== undefined) return asText ? fields : { ...fields, id: idFrom(store, kind.name, given) };
  if (madeOf) return { ...fields, madeId: idFrom(store, kind.name, madeOf(fields)) };
  if (!from) return fields;
  const text = from(fields, uuidOf);
  const count = counts.get(text) ?? 0;
  if (repeats?.(fields)) counts.set(text, count + 1);
  return { ...fields, id: idFrom(store, kind.name, count > 0 ? `${text} ${count + 1}` : text) };
};

/**
 * The fault of a value that another row has too. For a row without an id it names the name, from which the id is made.
 */
const takenBy = (kind: ImportFile, { values }: RawRow, field: string, value: string, other: number): Fault => {
  const message = `must be unique: line ${other} has it too`;
  if (field !== 'id' || values.id !== undefined) return { field, value: values[field] ?? value, message };
  if (kind.id?.repeats)
    return { field: 'the row', message: `is the same as line ${other}: give it an id if it is another row` };
  const orIds = `must be unique, or the rows must have ids: line ${other} has it too`;
  return { field: 'name', value: values.name, message: orIds };
};

/** Returns a fault for each unique value that an earlier row has. Without faults, the row takes its values. */
const takeUnique = (
  kind: ImportFile,
  raw: RawRow,
  row: Row<Values>,
  uuidOf: UuidLookup,
  taken: Map<string, number>,
): Fault[] => {
  const claims = Object.entries(kind.unique?.(row.fields, uuidOf) ?? { id: [row.fields.id as string] }).flatMap(
    ([field, values]) => values.map((value) => ({ field, value, key: `${field} ${value}` })),
  );
  const faults = claims.flatMap(({ field, value, key }): Fault[] => {
    const other = taken.get(key);
    return other === undefined || other === row.line ? [] : [takenBy(kind, raw, field, value, other)];
  });
  if (faults.length === 0) for (const { key } of claims) taken.set(key, row.line);
  return faults;
};

/** The good rows, and the faults of the other rows by line. */
interface CheckResult {
  rows: Row<Values>[];
  faults: Map<number, Fault[]>;
}

/** Puts residents in place of the names in a value. */
const withResidents = (value: unknown, residentOf: (identifier: Identifier) => Resident): unknown => {
  const [named, ...others] = namedIn(value);
  if (!named) return value;
  if (others.length === 0 && !Array.isArray(value)) return residentOf(named);
  return (value as { user: Identifier }[]).map(({ user, ...item }) => ({ ...item, user: residentOf(user) }));
};

/**
 * Makes the row for an importer, with residents for names, ids for texts, and nested objects for columns with a dot.
 */
const resolved = (
  { line, fields }: Row<Values>,
  { kind, setting }: Pass,
  residentOf: (identifier: Identifier) => Resident,
): Row<Values> => {
  const texts = new Map<unknown, string>();
  const idOf = (of: string, text: unknown): unknown => {
    if (typeof text !== 'string') return text;
    const id = idFrom(setting.store, of, text);
    texts.set(id, text);
    return id;
  };
  const references = new Map(kind.columns.map(({ name, refersTo }) => [name, refersTo]));
  const known = Object.entries(fields).map(([name, value]): [string, unknown] => {
    const refersTo = references.get(name);
    if (refersTo === undefined) return [name, withResidents(value, residentOf)];
    return [name, Array.isArray(value) ? value.map((one) => idOf(refersTo, one)) : idOf(refersTo, value)];
  });
  return { line, fields: nested(known), texts };
};

/** Puts the file's own text into a fault, in place of an id that was made from it. */
export const faultIn = ({ texts }: Row<unknown>, fault: Fault): Fault => ({
  ...fault,
  ...('value' in fault && { value: texts?.get(fault.value) ?? fault.value }),
});

/** Checks some rows of a file: each value, conditions across columns, the named residents, and unique values. */
export const checkRows = async (raws: readonly RawRow[], pass: Pass): Promise<CheckResult> => {
  const { kind, setting, taken } = pass;
  const faults = new Map<number, Fault[]>();
  const checked = raws.map((raw) => ({ raw, ...checkValues(kind, raw) }));
  const named = checked.flatMap(({ fields }) => Object.values(fields).flatMap(namedIn));
  const residents = named.length > 0 ? await findResidents(setting.store, named) : new Map<string, Resident>();
  const isKnown = ({ uuid, username }: Identifier): boolean => residents.has(uuid ?? username ?? '');
  const residentOf = ({ uuid, username }: Identifier) => residents.get(uuid ?? username ?? '') as Resident;
  const uuidOf: UuidLookup = (identifier) => residentOf(identifier as Identifier).uuid;
  const rows: Row<Values>[] = [];
  for (const { raw, fields, faults: found } of checked) {
    const { line } = raw;
    const strangers = Object.entries(fields).flatMap(([field, value]): Fault[] =>
      namedIn(value)
        .filter((identifier) => !isKnown(identifier))
        .map(({ uuid, username }) => ({ field, value: uuid ?? username, message: unknownResident })),
    );
    const all = [...found, ...strangers];
    if (all.length === 0) {
      const row = { line, fields: giveId(pass, fields, uuidOf) };
      if (taken) all.push(...takeUnique(kind, raw, row, uuidOf, taken));
      rows.push(resolved(row, pass, residentOf));
    }
    if (all.length > 0) faults.set(line, all);
  }
  return { rows: rows.filter(({ line }) => !faults.has(line)), faults };
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const short = text.length > 60 ? `${text.slice(0, 60)}... (${text.length} characters)` : text;
  return typeof value === 'string' ? JSON.stringify(short) : short;
};

/** Says a fault in a sentence with field, value and allowed values, but without its line. */
export const explainFault = ({ field, value, message }: Fault): string => {
  if (value === undefined) return `${field} ${message}`;
  return value === '' ? `${field} is empty: it ${message}` : `${field} ${shown(value)} ${message}`;
};
