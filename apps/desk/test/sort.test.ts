import { expect, test } from 'vitest';
import { orderOf, sortRows } from '../sort.ts';
import { texts } from '../texts.ts';

interface Thing {
  id: string;
  name: string | null;
  price?: number;
}

const columns = [
  { heading: 'Name', sort: { name: 'name', kind: 'text' }, value: ({ name }: Thing) => name },
  {
    heading: 'Price',
    sort: { name: 'price', kind: 'size', by: ({ price }: Thing) => price },
    value: () => 'not this',
  },
  { heading: 'Id', value: ({ id }: Thing) => id },
] as const;

/** The ids of things in the order that an address asks for. */
const idsBy = async (asked: string, things: readonly Thing[]): Promise<string> => {
  const order = orderOf<Thing>(columns, asked);
  if (!order) throw new Error('No column has this order.');
  return (await sortRows(things, order, ({ id }) => id)).map(({ id }) => id).join('');
};

test('an address asks for the order of a column that has one, in one of two directions', () => {
  expect(orderOf<Thing>(columns, 'price')).toMatchObject({ heading: 'Price', said: 'smallest first' });
  expect(orderOf<Thing>(columns, '-price')).toMatchObject({ isDescending: true, said: 'largest first' });
  expect(orderOf<Thing>(columns, '-name')).toMatchObject({ heading: 'Name', said: 'Z to A' });
  expect(['id', '', '--price', 'other', undefined].map((asked) => orderOf<Thing>(columns, asked))).toEqual(
    Array(5).fill(undefined),
  );
});

test('equal rows stand by their id, and unknown values are last, in both directions', async () => {
  const things = [
    { id: 'd', name: null },
    { id: 'b', name: null, price: 9 },
    { id: 'c', name: null, price: 10 },
    { id: 'a', name: null, price: 9 },
    { id: 'e', name: null },
  ];

  expect(await idsBy('price', things)).toBe('abcde');
  expect(await idsBy('-price', things)).toBe('cabde');
});

test('texts sort by the numbers in them, in any case, and a name that cannot be read is unknown', async () => {
  const names = { a: 'Lamp 10', b: 'lamp 9', c: texts.unread.product, d: 'Éclair', e: '' };
  const things = Object.entries(names).map(([id, name]) => ({ id, name }));

  expect(await idsBy('name', things)).toBe('dbace');
  expect(await idsBy('-name', things)).toBe('abdce');
});
