import { constants, type Functions } from '../lsl/library.ts';
import { List } from '../lsl/values.ts';

/** The data that all scripts of a linkset share. They outlive each script, and a copy of the object gets them too. */

export interface Pair {
  value: string;
  /** Its password; empty for a pair that every script may read and write. */
  pass: string;
  /** The prim whose script wrote it last. */
  by: string;
}

const limitBytes = 131_072;
/** A protected pair takes this many bytes more. */
const protectionBytes = 32;

const { LINKSETDATA_RESET, LINKSETDATA_UPDATE, LINKSETDATA_DELETE, LINKSETDATA_MULTIDELETE } = constants;
/** The results of the functions that write. */
const [ok, noMemory, noName, isProtected, notFound, noUpdate] = [0, 1, 2, 3, 4, 5];

const pairBytes = (name: string, pair: Pair | undefined): number =>
  pair ? Buffer.byteLength(name + pair.value) + (pair.pass === '' ? 0 : protectionBytes) : 0;

/** Called with each change, with the values of the event `linkset_data`. */
type LinksetListener = (action: number, name: string, value: string) => void;

export class LinksetData {
  readonly pairs = new Map<string, Pair>();
  bytes = 0;
  readonly #tell: LinksetListener;
  /** The names that match a pattern, kept until the names change, since scripts go through them one by one. */
  readonly #found = new Map<string, string[]>();
  readonly #functions = new Map<string, Functions>();

  constructor(tell: LinksetListener = () => undefined) {
    this.#tell = tell;
  }

  /** LSL's functions for a script in this prim. */
  functionsOf = (by: string): Functions => {
    const made = this.#functions.get(by) ?? functionsOf(this, by);
    this.#functions.set(by, made);
    return made;
  };

  /** Takes over the pairs of another linkset. */
  add(others: ReadonlyMap<string, Pair>): void {
    for (const [name, pair] of others) if (!this.pairs.has(name)) this.#put(name, { ...pair });
  }

  // The wiki does not say that a password matters for a pair without one, so here it does not. A script that must know
  // its own pairs has to check if they are protected.
  read(name: string, pass: string): string {
    const pair = this.pairs.get(name);
    return pair && (pair.pass === '' || pair.pass === pass) ? pair.value : '';
  }

  write(by: string, name: string, value: string, pass: string): number {
    if (name === '') return noName;
    if (value === '') return this.remove(name, pass);
    const old = this.pairs.get(name);
    if (old && old.pass !== '' && old.pass !== pass) return isProtected;
    if (old?.value === value && old.pass === pass) return noUpdate;
    const pair = { value, pass, by };
    if (this.bytes + pairBytes(name, pair) - pairBytes(name, old) > limitBytes) return noMemory;
    this.#put(name, pair);
    this.#tell(Number(LINKSETDATA_UPDATE), name, pass === '' ? value : '');
    return ok;
  }

  remove(name: string, pass: string): number {
    const old = this.pairs.get(name);
    if (!old) return notFound;
    if (old.pass !== '' && old.pass !== pass) return isProtected;
    this.#put(name, undefined);
    this.#tell(Number(LINKSETDATA_DELETE), name, '');
    return ok;
  }

  /** The names that match, in order. */
  found(pattern: string): readonly string[] {
    const matching = new RegExp(pattern);
    const names = this.#found.get(pattern) ?? [...this.pairs.keys()].filter((name) => matching.test(name)).sort();
    this.#found.set(pattern, names);
    return names;
  }

  deleteFound(pattern: string, pass: string): List {
    const all = this.found(pattern);
    const gone = all.filter((name) => ['', pass].includes(this.pairs.get(name)?.pass ?? ''));
    for (const name of gone) this.#put(name, undefined);
    if (gone.length > 0) this.#tell(Number(LINKSETDATA_MULTIDELETE), gone.join(), '');
    return new List([gone.length, all.length - gone.length]);
  }

  /** Keeps the present pairs. The returned function restores them, without an event. */
  save(): () => void {
    const pairs = new Map(this.pairs);
    return () => {
      for (const name of [...this.pairs.keys(), ...pairs.keys()]) this.#put(name, pairs.get(name));
    };
  }

  reset(): void {
    for (const name of this.pairs.keys()) this.#put(name, undefined);
    this.#tell(Number(LINKSETDATA_RESET), '', '');
  }

  #put(name: string, pair: Pair | undefined): void {
    this.bytes += pairBytes(name, pair) - pairBytes(name, this.pairs.get(name));
    if (this.pairs.has(name) !== (pair !== undefined)) this.#found.clear();
    if (pair) this.pairs.set(name, pair);
    else this.pairs.delete(name);
  }
}

const functionsOf = (memory: LinksetData, by: string): Functions => ({
  'integer llLinksetDataAvailable()': () => limitBytes - memory.bytes,
  'integer llLinksetDataCountKeys()': () => memory.pairs.size,
  'integer llLinksetDataCountFound(string)': (pattern: string) => memory.found(pattern).length,
  'string llLinksetDataRead(string)': (name: string) => memory.read(name, ''),
  'string llLinksetDataReadProtected(string, string)': (name: string, pass: string) => memory.read(name, pass),
  'integer llLinksetDataWrite(string, string)': (name: string, value: string) => memory.write(by, name, value, ''),
  'integer llLinksetDataWriteProtected(string, string, string)': (name: string, value: string, pass: string) =>
    memory.write(by, name, value, pass),
  'integer llLinksetDataDelete(string)': (name: string) => memory.remove(name, ''),
  'integer llLinksetDataDeleteProtected(string, string)': (name: string, pass: string) => memory.remove(name, pass),
  'list llLinksetDataDeleteFound(string, string)': (pattern: string, pass: string) => memory.deleteFound(pattern, pass),
  'list llLinksetDataFindKeys(string, integer, integer)': (pattern: string, start: number, count: number) =>
    new List(memory.found(pattern).slice(start, count < 1 ? undefined : start + count)),
  'void llLinksetDataReset()': () => memory.reset(),
});
