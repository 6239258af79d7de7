import { constants, type Functions } from '../lsl/library.ts';
import { nullKey } from '../lsl/values.ts';
import { type Body, cut, type Item } from './object.ts';

/** The characters that a notecard has in place of items. */
const heldItem = /[\u{100000}-\u{10FFFF}]/u;

/** Copy, modify and transfer. */
const allowsAll = 0xe000;

const findItem = ({ prim: { contents } }: Body, name: string): Item | undefined =>
  contents.find(name) ?? contents.list().find((one) => one.name === name);

const ofType = ({ prim: { contents } }: Body, type: number): Item[] =>
  contents
    .list()
    .filter((item) => type === -1 || item.type === type)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** A script cannot read any line of a notecard that holds an item. */
const lineOf = (written: readonly string[], line: number): string => {
  const lines = written.some((text) => heldItem.test(text)) ? [] : written;
  return line < lines.length ? cut(lines[line] ?? '', 1024) : String(constants.EOF);
};

/** LSL's functions for the items in the object, and for giving them away. */
export const inventory = (body: Body): Functions => ({
  'integer llGetInventoryType(string)': (item: string) => findItem(body, item)?.type ?? -1,
  // Only an owner with all permissions on an item may know its key.
  'key llGetInventoryKey(string)': (item: string) => {
    const found = findItem(body, item);
    return found && (found.permissions & allowsAll) === allowsAll ? found.id : nullKey;
  },
  'integer llGetInventoryNumber(integer)': (type: number) => ofType(body, type).length,
  'string llGetInventoryName(integer, integer)': (type: number, place: number) => ofType(body, type)[place]?.name ?? '',
  'integer llGetInventoryPermMask(string, integer)': (item: string) => findItem(body, item)?.permissions ?? 0,
  'string llGetInventoryAcquireTime(string)': (item: string) => findItem(body, item)?.since ?? '',
  'string llGetScriptName()': () => body.scriptName,
  'key llGetNotecardLine(string, integer) waits': (card: string, line: number) =>
    body.wait(
      0.1,
      body.dataserver((tell) => {
        if (!body.around.bringsLine(card, line)) return;
        const written = body.prim.notecards[card] ?? [];
        body.around.atHand().add(written);
        tell(lineOf(written, line));
      }),
    ),
  'string llGetNotecardLineSync(string, integer)': (card: string, line: number) => {
    const written = body.prim.notecards[card];
    const isAtHand = written && body.around.atHand().has(written) && body.around.keepsLine(card, line);
    return isAtHand ? lineOf(written, line) : constants.NAK;
  },
  'void llGiveInventory(key, string) waits': (to: string, item: string) => {
    const found = findItem(body, item);
    if (!found) return body.refuse(`Could not find inventory item '${item}'.`);
    if (to !== body.prim.owner && (found.permissions & 0x2000) === 0)
      return body.refuse(`${item} is not transferable.`);
    body.around.give(to, found);
    return body.wait(2, undefined);
  },
});
