import { expect } from 'vitest';
import type { Page } from '../../lib/lists/page.ts';
import type { Call } from './service.ts';

/**
 * Walks an unchanging list to its end and back, and returns its rows. Asserts the contract of pages: all but the last
 * are full, the last is empty only if the list is, and the way back shows the same pages.
 */
export const walk = async <Row>(limit: number, read: (cursor: string | null) => Promise<Page<Row>>): Promise<Row[]> => {
  const follow = async (page: Page<Row>, way: 'nextCursor' | 'previousCursor'): Promise<Page<Row>[]> => {
    const cursor = page.pagination[way];
    if (cursor === null) return [];
    const other = await read(cursor);
    return [other, ...(await follow(other, way))];
  };
  const first = await read(null);
  const forward = [first, ...(await follow(first, 'nextCursor'))];
  const back = (await follow(forward.at(-1) ?? first, 'previousCursor')).reverse();

  const rows = forward.flatMap(({ data }) => data);
  const pages = Math.max(Math.ceil(rows.length / limit), 1);
  const sizes = Array.from({ length: pages }, (_, index) => Math.min(limit, rows.length - index * limit));
  expect(forward.map(({ data }) => data.length)).toEqual(sizes);
  expect(first.pagination.previousCursor).toBeNull();
  expect(back.map(({ data }) => data)).toEqual(forward.slice(0, -1).map(({ data }) => data));
  expect(back.map(({ pagination }) => pagination.nextCursor)).not.toContain(null);
  return rows;
};

/** Walks the list at a path over HTTP. */
export const walkList = <Row>(call: Call, path: string, limit: number) =>
  walk<Row>(limit, async (cursor) => {
    const query = `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { status, body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    expect(status).toBe(200);
    return body;
  });
