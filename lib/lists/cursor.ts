import { seal, unseal } from '../seal.ts';

/** A place in a list, and the direction in which to go on from there. */
export interface Cursor {
  /** Distinguishes the lists of one endpoint: by the order, or the resident whose list it is. Often "". */
  part: string;
  backward: boolean;
  /** True if a row at `position` itself belongs to the page. */
  inclusive: boolean;
  /** A row's place in the list's order. The row may be deleted since. */
  position: string;
}

/** The opaque text of a cursor. `owner` names the store and endpoint that it belongs to. */
export const sealCursor = ({ part, backward, inclusive, position }: Cursor, owner: string): string =>
  seal([part, Number(backward), Number(inclusive), position], owner);

/** Opens a cursor that `sealCursor` made for the same owner; undefined for any other text. */
export const openCursor = (text: string, owner: string): Cursor | undefined => {
  const opened = unseal(text, owner) as [string, number, number, string] | undefined;
  if (!opened) return undefined;
  const [part, backward, inclusive, position] = opened;
  return { part, backward: backward === 1, inclusive: inclusive === 1, position };
};
