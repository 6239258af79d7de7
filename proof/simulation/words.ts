import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../lib/clock.ts';
import type { Item } from '../../lib/table/language.ts';
import type { MemoryTable } from '../../test/lib/table/memory.ts';
import type { Commit } from './machine.ts';
import type { State, World } from './world.ts';

/** The words that files, and this store, say of one thing: what a commit has changed by them, and all at the end. */

/** The items of which a file tells. */
const kinds = ['CUSTOMER', 'PRODUCT', 'COUPON', 'APPLIED', 'PURCHASE'] as const;
export type WordKind = (typeof kinds)[number];

/** One thing that a commit has changed. */
export interface Word {
  kind: WordKind;
  /** Of the item; of an application its customer, and its scope. */
  id: string;
  scope: string;
  isNew: boolean;
  after: Item;
}

/** All that a commit of such an operation has changed. */
export interface Words {
  kind: 'words';
  words: Word[];
  /** The place from which everybody sees it. */
  shown: number;
  at: string;
}

/** Commits of an operation of such a name say words. */
export const fileName = (operation: string): string => `${operation}, file`;

const saysWords = ({ operation }: Commit): boolean => / file$/.test(operation);

const defaults: Readonly<Record<string, unknown>> = { discount: 0, isBanned: false, newsSubscriber: false };

/** The attributes that words change. */
const saidOf: Readonly<Record<WordKind, readonly string[]>> = {
  CUSTOMER: ['discount', 'isBanned', 'newsSubscriber', 'told'],
  PRODUCT: ['price', 'active', 'told', 'toldCopies'],
  COUPON: ['discount', 'active', 'usesPerCustomer', 'told'],
  APPLIED: ['couponId', 'expiresAt'],
  PURCHASE: ['uuid', 'price'],
};

/** Copies that are set lie in the item; those of shares are gathered into it before. */
const hasOtherCopies = (before: Item | undefined, after: Item): boolean =>
  before?.divided === undefined && after.divided === undefined && before?.availableAmount !== after.availableAmount;

/** The words of a commit; undefined where it has none. */
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
    const isSaid = saidOf[kind].some((name) => !isDeepStrictEqual(was?.[name], is?.[name]));
    const isStocked = kind === 'PRODUCT' && !isOfShares && hasOtherCopies(before, after);
    const id = kind === 'APPLIED' ? (owner ?? '') : key.sk;
    const scope = key.sk.replace(/^product#/, '');
    return isSaid || isStocked ? [{ kind, id, scope, isNew: before === undefined, after }] : [];
  });
  return words.length > 0 ? { kind: 'words', words, shown: commit.shown, at: '' } : undefined;
};

type Said = Readonly<Record<string, readonly unknown[]>>;

/** What is said, in an order of its own. */
const textOf = (said: Said): string =>
  JSON.stringify(
    Object.entries(said)
      .filter(([, values]) => values.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** All things of which files tell, as the model has them. */
export const saidInModel = ({ told, products, coupons, avatars }: State, world: World): string =>
  textOf({
    ...Object.fromEntries(world.products.map((id) => [id, [products[id]?.price, products[id]?.active]])),
    ...Object.fromEntries(
      coupons.map(({ id, discount, active, usesPerCustomer }) => [id, [discount, active, usesPerCustomer]]),
    ),
    ...Object.fromEntries(
      world.avatars.flatMap((uuid) => [
        [`${uuid} news`, told.subscribers[uuid] ? [true] : []],
        ...Object.entries(avatars[uuid]?.applications ?? {}).map(([scope, { couponId, expiresAt }]) => [
          `${uuid} ${scope}`,
          [couponId, timestamp(expiresAt)],
        ]),
      ]),
    ),
    ...Object.fromEntries(Object.entries(told.purchases).map(([id, { uuid, price }]) => [id, [uuid, price]])),
  });

/** The same as the table has it. */
export const saidInTable = (
  table: MemoryTable,
  { store, products, coupons, avatars }: World,
  start: number,
): string => {
  const item = (kind: string, sk: string) => table.get({ pk: `${store}#${kind}`, sk }) ?? {};
  const all = (kind: string) => [...(table.partitions.get(`${store}#${kind}`)?.values() ?? [])] as Item[];
  const lasts = ({ expiresAt }: Item): boolean => String(expiresAt) > timestamp(start);
  return textOf({
    ...Object.fromEntries(products.map((id) => [id, [item('PRODUCT', id).price, item('PRODUCT', id).active]])),
    ...Object.fromEntries(
      coupons.map((id) => {
        const { discount, active, usesPerCustomer } = item('COUPON', id);
        return [id, [discount, active, usesPerCustomer]];
      }),
    ),
    ...Object.fromEntries(
      avatars.flatMap((uuid) => [
        [`${uuid} news`, item('CUSTOMER', uuid).newsSubscriber ? [true] : []],
        ...all(`APPLIED#${uuid}`)
          .filter(lasts)
          .map(({ sk, couponId, expiresAt }) => [
            `${uuid} ${String(sk).replace(/^product#/, '')}`,
            [couponId, expiresAt],
          ]),
      ]),
    ),
    ...Object.fromEntries(all('PURCHASE').map(({ sk, uuid, price }) => [String(sk), [uuid, price]])),
  });
};
