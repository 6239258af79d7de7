/** A row of a CSV file as it stands there. */
export interface CsvRecord {
  /** The line where it begins, from 1. */
  line: number;
  cells: string[];
}

/** A fault after which the rest of a file cannot be read. */
export interface CsvFault {
  line: number;
  fault: 'open' | 'inside' | 'after';
}

const lineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** The value that begins with a quote at `from`, and where it ends. Undefined where the quote is never closed. */
const readQuoted = (text: string, from: number): { cell: string; end: number } | undefined => {
  let cell = '';
  for (let at = from + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return undefined;
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return { cell, end: end + 1 };
    cell += '"';
    at = end + 2;
  }
};

/** The rows of a CSV text without empty ones, as the command reads them: `apps/desk/test/import` compares both. */
export const recordsOf = (text: string, separator: string): CsvRecord[] | CsvFault => {
  const ends = new RegExp(`[${separator}\r\n]`, 'g');
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, cells: [] };
  for (let at = 0; at < text.length; ) {
    ends.lastIndex = at;
    const bare = ends.exec(text)?.index ?? text.length;
    const quoted = text[at] === '"' ? readQuoted(text, at) : { cell: text.slice(at, bare), end: bare };
    if (!quoted) return { line: record.line, fault: 'open' };
    const { cell, end } = quoted;
    if (text[at] !== '"' && cell.includes('"')) return { line: record.line, fault: 'inside' };
    const next = text.slice(end, end + 1);
    if (next !== '' && next !== separator && next !== '\r' && next !== '\n')
      return { line: record.line, fault: 'after' };
    record.cells.push(cell);
    line += lineEnds(text.slice(at, end));
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
    // A separator at the very end stands before one more empty value.
    if (next === separator && at >= text.length) record.cells.push('');
    if (next === separator && at < text.length) continue;
    records.push(record);
    line += 1;
    record = { line, cells: [] };
  }
  return records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
};
