/**
 * The text of a cell, such as the name of a column, without invisible characters: marks of direction come along with
 * numbers that are copied from a page.
 */
export const plainCell = (cell: string): string => cell.replace(/\p{Cf}/gu, '').trim();
