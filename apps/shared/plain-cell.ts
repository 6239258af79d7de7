/** Removes invisible characters from a cell. Numbers copied from a page often bring marks of direction along. */
export const plainCell = (cell: string): string => cell.replace(/\p{Cf}/gu, '').trim();
