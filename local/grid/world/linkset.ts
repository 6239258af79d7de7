import { constants, type Functions } from '../lsl/library.ts';
import { List } from '../lsl/values.ts';

/**
 * The memory that all scripts of a linkset share. It survives each script, and goes along into a copy of the object.
 */

export interface Pair {
  value: string;
  /** Empty for a pair that anybody may read and write. */
  pass: string;
  /** The prim whose script wrote it last. */
  by: string;
}

const limitBytes = 131_072;
/** A protected pair takes so many bytes more. */
const protectionBytes = 32;

const { LINKSETDATA_RESET, LINKSETDATA_UPDATE, LINKSETDATA_DELETE, LINKSETDATA_MULTIDELETE } = constants;
/** The answers of the functions that write. */
const [ok, noMemory, noName, isProtected, notFound, noUpdate] = [0, 1, 2, 3, 4, 5];

const bytesOf = (name: string, pair: Pair | undefined): number =>
  pair ? Buffer.byteLength(name + pair.value) + (pair.pass === '' ? 0 : protectionBytes) : 0;

/** `tell` hears each change, as the event `linkset_data` does. */
export const createLinksetData = (tell: (action: number, name: string, value: string) => void = () => undefined) => {
  const pairs = new Map<string, Pair>();
  let bytes = 0;

  const put = (name: string, pair: Pair | undefined): void => {
    bytes += bytesOf(name, pair) - bytesOf(name, pairs.get(name));
    if (pair) pairs.set(name, pair);
    else pairs.delete(name);
  };
  const remove = (name: string, pass: string): number => {
    const old = pairs.get(name);
    if (!old) return notFound;
    if (old.pass !== '' && old.pass !== pass) return isProtected;
    put(name, undefined);
    tell(Number(LINKSETDATA_DELETE), name, '');
    return ok;
  };
  const write = (by: string, name: string, value: string, pass: string): number => {
    if (name === '') return noName;
    if (value === '') return remove(name, pass);
    const old = pairs.get(name);
    if (old && old.pass !== '' && old.pass !== pass) return isProtected;
    if (old?.value === value && old.pass === pass) return noUpdate;
    const pair = { value, pass, by };
    if (bytes + bytesOf(name, pair) - bytesOf(name, old) > limitBytes) return noMemory;
    put(name, pair);
    tell(Number(LINKSETDATA_UPDATE), name, pass === '' ? value : '');
    return ok;
  };
  // The wiki does not say that the pass of a pair without one matters, so here it does not: a script that must tell
  // its own pairs from others has to look whether they are protected.
  const read = (name: string, pass: string): string => {
    const pair = pairs.get(name);
    return pair && (pair.pass === '' || pair.pass === pass) ? pair.value : '';
  };
  const found = (pattern: string): string[] => {
    const matching = new RegExp(pattern);
    return [...pairs.keys()].filter((name) => matching.test(name)).sort();
  };
  const deleteFound = (pattern: string, pass: string): List => {
    const all = found(pattern);
    const gone = all.filter((name) => ['', pass].includes(pairs.get(name)?.pass ?? ''));
    for (const name of gone) put(name, undefined);
    if (gone.length > 0) tell(Number(LINKSETDATA_MULTIDELETE), gone.join(), '');
    return new List([gone.length, all.length - gone.length]);
  };

  return {
    pairs,
    /** The functions of a script in that prim. */
    functionsOf: (by: string): Functions => ({
      'integer llLinksetDataAvailable()': () => limitBytes - bytes,
      'integer llLinksetDataCountKeys()': () => pairs.size,
      'integer llLinksetDataCountFound(string)': (pattern: string) => found(pattern).length,
      'string llLinksetDataRead(string)': (name: string) => read(name, ''),
      'string llLinksetDataReadProtected(string, string)': read,
      'integer llLinksetDataWrite(string, string)': (name: string, value: string) => write(by, name, value, ''),
      'integer llLinksetDataWriteProtected(string, string, string)': (name: string, value: string, pass: string) =>
        write(by, name, value, pass),
      'integer llLinksetDataDelete(string)': (name: string) => remove(name, ''),
      'integer llLinksetDataDeleteProtected(string, string)': remove,
      'list llLinksetDataDeleteFound(string, string)': deleteFound,
      'list llLinksetDataFindKeys(string, integer, integer)': (pattern: string, start: number, count: number) =>
        new List(found(pattern).slice(start, count < 1 ? undefined : start + count)),
      'void llLinksetDataReset()': () => {
        pairs.clear();
        bytes = 0;
        tell(Number(LINKSETDATA_RESET), '', '');
      },
    }),
    /** Takes over what another linkset remembers. */
    add: (others: ReadonlyMap<string, Pair>): void => {
      for (const [name, pair] of others) if (!pairs.has(name)) put(name, { ...pair });
    },
  };
};

export type LinksetData = ReturnType<typeof createLinksetData>;
