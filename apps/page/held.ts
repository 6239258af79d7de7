import type {
  MeResponse,
  OwnCardListResponse,
  OwnChangeListResponse,
  OwnLotListResponse,
  OwnProductListResponse,
} from '../client/types.ts';
import { read } from './api.ts';

/** Reads all that the store holds for one avatar. */

interface Rows<T> {
  data: T[];
  pagination: { nextCursor: string | null };
}

/** The rows of a list that are shown, and where the rest begins. */
export interface Listed<T> {
  rows: T[];
  next: string | null;
}

/** The lists of the page that have more than is shown at first. */
interface Lists {
  products: OwnProductListResponse['data'][number];
  cards: OwnCardListResponse['data'][number];
  history: OwnChangeListResponse['data'][number];
}

export type Held = { me: MeResponse; lots: OwnLotListResponse['data'] } & {
  [Name in keyof Lists]: Listed<Lists[Name]>;
};

const paths: Record<keyof Lists, string> = {
  products: '/products',
  cards: '/giftcards',
  history: '/credit/history',
};

/** The rows that a list shows at first, and that *Show more* adds. */
const sizes: Record<keyof Lists, number> = { products: 8, cards: 8, history: 8 };

/** The most rows that the service answers at once. */
const most = 1000;

const page = async <T>(token: string, path: string, limit: number, cursor?: string): Promise<Listed<T>> => {
  const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
  const { data, pagination } = await read<Rows<T>>(token, `${path}?${query}`);
  return { rows: data, next: pagination.nextCursor };
};

/** Reads a list from its beginning, as far as it was shown before. */
const readList = <Name extends keyof Lists>(token: string, name: Name, shown = 0): Promise<Listed<Lists[Name]>> =>
  page(token, paths[name], Math.min(most, Math.max(sizes[name], shown)));

/** Reads the rows behind the shown ones, and answers all of them. */
export const readMore = async <Name extends keyof Lists>(
  token: string,
  name: Name,
  { rows, next }: Listed<Lists[Name]>,
): Promise<Listed<Lists[Name]>> => {
  if (next === null) return { rows, next };
  const more = await page<Lists[Name]>(token, paths[name], 2 * sizes[name], next);
  return { rows: [...rows, ...more.rows], next: more.next };
};

/** Reads all lots: what does not end is the balance less all of them. */
const readLots = async (token: string): Promise<Held['lots']> => {
  const found: Held['lots'] = [];
  let next: string | undefined;
  do {
    const more = await page<Held['lots'][number]>(token, '/credit/lots', most, next);
    for (const lot of more.rows) found.push(lot);
    next = more.next ?? undefined;
  } while (next !== undefined);
  return found;
};

/** Reads again what follows an act by a moment. Throws Refused and NoAnswer. */
export const readFollowing = async (token: string, { products, history }: Held): Promise<Partial<Held>> => {
  const [bought, changes] = await Promise.all([
    readList(token, 'products', products.rows.length),
    readList(token, 'history', history.rows.length),
  ]);
  return { products: bought, history: changes };
};

/** Reads everything again, each list as far as `before` shows it. Throws Refused and NoAnswer. */
export const readHeld = async (token: string, before?: Held): Promise<Held> => {
  const [me, lots, products, cards, history] = await Promise.all([
    read<MeResponse>(token, ''),
    readLots(token),
    readList(token, 'products', before?.products.rows.length),
    readList(token, 'cards', before?.cards.rows.length),
    readList(token, 'history', before?.history.rows.length),
  ]);
  return { me, lots, products, cards, history };
};
