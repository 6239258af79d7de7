import { createHash } from 'node:crypto';
import { folded } from '../normalise.ts';
import { invalid, type Problem } from '../problem.ts';
import { findItem, partition } from '../table/table.ts';

// A sort key holds 1024 bytes at the most. Few characters fold to many more bytes, so this is all but never passed.
const maxKeyBytes = 1024;

/** A code as codes are compared. Codes that differ in case alone are the same code. */
export const foldedCode = (code: string): string => {
  const text = folded(code);
  return Buffer.byteLength(text) <= maxKeyBytes ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
};

/** The item that makes a code unique in its store: it is there while a coupon has the code, and holds the coupon's id. */
export const codeKey = (store: string, code: string) => ({ pk: partition(store, 'CODE'), sk: code });

/** The id of the coupon that has the code (as folded). */
export const findCodeHolder = async (store: string, code: string): Promise<string | undefined> => {
  return (await findItem<{ id: string }>(codeKey(store, code)))?.id;
};

export const codeTaken = (): Problem =>
  invalid('code must be unique in the store, whatever its case: another coupon has it.');
