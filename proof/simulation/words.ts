import { isDeepStrictEqual } from 'node:util';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Commit } from './machine.ts';

/**
 * The words of files, of passes of a move, and of this store itself about records: the values that a commit has
 * changed.
 */

/** The kinds of items that a file, or another service, tells of. */
const kinds = ['CUSTOMER', 'PRODUCT', 'COUPON', 'APPLIED', 'PURCHASE', 'GIFTCARD'] as const;
type WordKind = (typeof kinds)[number];

/** One record that a commit has changed. */
export interface Word {
  kind: WordKind | 'BALANCE';
  /** The id of the item; for an application, its customer and its scope. */
  id: string;
  scope: string;
  before: Item | undefined;
  after: Item;
}

/** Everything that one commit of such an operation has changed. */
export interface Words {
  kind: 'words';
  words: Word[];
  /** The place from which everybody sees it. */
  shown: number;
  at: string;
  /** The operation that said it. */
  by: string;
}

/** The name of an operation whose commits say something. */
export const nameOfWords = (operation: string, what: 'file' | 'pass' | 'word'): string => `${operation}, ${what}`;

/** Says whether a commit belongs to an operation that says something, even if it says nothing. */
export const saysWords = ({ operation }: Commit): boolean => /, (file|pass|word)$/.test(operation);

/** A pass brings many records in one commit. */
export const isPass = ({ by }: Words): boolean => by.endsWith(', pass');

const defaults: Readonly<Record<string, unknown>> = { discount: 0, isBanned: false, newsSubscriber: false };

/** The attributes that such an operation changes. */
const saidOf: Readonly<Record<WordKind, readonly string[]>> = {
  CUSTOMER: ['discount', 'isBanned', 'newsSubscriber', 'told'],
  PRODUCT: ['price', 'active', 'told', 'toldCopies'],
  COUPON: ['discount', 'active', 'usesPerCustomer', 'told'],
  APPLIED: ['couponId', 'expiresAt'],
  PURCHASE: ['uuid', 'price', 'at'],
  GIFTCARD: ['told', 'credit', 'active'],
};

/** Copies that are set are in the item. Copies in shares are gathered into the item before. */
const hasOtherCopies = (before: Item | undefined, after: Item): boolean =>
  before?.divided === undefined && after.divided === undefined && before?.availableAmount !== after.availableAmount;

/** An import has brought other balances: it is the last change of the credit. */
const isBalance = (before: Item | undefined, after: Item): boolean =>
  before?.creditVersion !== after.creditVersion && lastChangeOf(after as unknown as CreditItem)?.kind === 'import';

/** The words of a commit; undefined if it says nothing. */
export const wordsOf = (commit: Commit): Words | undefined => {
  if (!saysWords(commit)) return undefined;
  const isOfShares = commit.written.some(({ key }) => key.pk.endsWith('#STOCK'));
  const words = commit.written.flatMap(({ key, before, after }): Word[] => {
    const [, part = '', owner] = key.pk.split('#');
    const kind = kinds.find((one) => one === part);
    if (!kind || !after) return [];
    const [was, is]: Record<string, unknown>[] = [
      { ...(kind === 'CUSTOMER' && defaults), ...before },
      { ...(kind === 'CUSTOMER' && defaults), ...after },
    ];
    if (kind === 'CUSTOMER' && before?.creditVersion !== after.creditVersion)
      return isBalance(before, after) ? [{ kind: 'BALANCE', id: key.sk, scope: '', before, after }] : [];
    const isSaid = saidOf[kind].some((name) => !isDeepStrictEqual(was?.[name], is?.[name]));
    const isStocked = kind === 'PRODUCT' && !isOfShares && hasOtherCopies(before, after);
    const id = kind === 'APPLIED' ? (owner ?? '') : key.sk;
    const scope = key.sk.replace(/^product#/, '');
    return isSaid || isStocked ? [{ kind, id, scope, before, after }] : [];
  });
  return words.length > 0 ? { kind: 'words', words, shown: commit.shown, at: '', by: commit.operation } : undefined;
};
