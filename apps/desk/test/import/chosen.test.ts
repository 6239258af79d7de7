import { expect, test } from 'vitest';
import { StoreProblem } from '../../../client/client.ts';
import { discountRows, giftRows, inWords } from '../../import/chosen.ts';
import { importColumns as known } from '../../import/known-columns.ts';
import { readRows } from '../../import/rows.ts';
import { wordsOf } from '../../messages.ts';

const uuid = (last: number): string => `11111111-1111-4111-8111-${String(last).padStart(12, '0')}`;
const now = Date.parse('2027-01-01T12:00:00Z');

/** The messages of a refusal, as the form shows them beside their fields. */
const refused = (make: () => unknown): string[] => {
  try {
    make();
  } catch (error) {
    if (error instanceof StoreProblem) return error.errors.map((one) => wordsOf(one, one.split(' ')[0] ?? ''));
    throw error;
  }
  return [];
};

/** The rows of a file that says the same, without their lines. */
const ofFile = (kind: 'credit' | 'products', ...lines: string[]) => {
  const rows = readRows(kind, known, new TextEncoder().encode(lines.join('\n')));
  if (typeof rows === 'string') throw new Error(rows);
  return rows.map(({ values, faults }) => ({ values, faults }));
};

test('customers who were chosen make the rows of a file of credit', () => {
  const values = { amount: '50', type: 'restricted', expiresAt: '2027-02-01', reason: 'Thanks', reference: 'A' };
  const end = new Date('2027-02-01T23:59:59').toISOString();

  const rows = giftRows(known, [uuid(1), uuid(2)], values, now);
  const endless = giftRows(known, [uuid(1)], { amount: '5', type: 'regular' }, now);

  expect(rows.map(({ line }) => line)).toEqual([1, 2]);
  expect(rows.map(({ values: own, faults }) => ({ values: own, faults }))).toEqual(
    ofFile(
      'credit',
      'resident,amount,type,expiresAt',
      `${uuid(1)},50,restricted,${end}`,
      `${uuid(2)},50,restricted,${end}`,
    ),
  );
  expect(endless[0]?.values).toEqual({ resident: uuid(1), amount: 5, type: 'regular', expiresAt: undefined });
});

test.each([
  [{ amount: '' }, ['Enter a whole number, 1 or more.']],
  [{ amount: '0' }, ['Enter a whole number, 1 or more.']],
  [{ amount: '1.5' }, ['Enter a whole number, 1 or more.']],
  [{ amount: '5', expiresAt: '2026-12-30' }, ['Enter a day that is still to come.']],
  [{ amount: '-1', type: 'other' }, ['Enter a whole number, 1 or more.', 'Choose one of the values that are offered.']],
])('no gift of %j', (values, messages) => {
  expect(refused(() => giftRows(known, [uuid(1)], { type: 'regular', ...values }, now))).toEqual(messages);
});

test('products that were chosen make the rows of a file with the columns of the discount alone', () => {
  const [begin, end] = ['2027-02-01T10:00', '2027-02-03T10:00'];
  const values = { 'discount.value': '12.5', 'discount.startDate': begin, 'discount.endDate': end };
  const [from, until] = [new Date(begin).toISOString(), new Date(end).toISOString()];

  const [row, ...others] = discountRows(known, [uuid(1)], values, now);
  const [over] = discountRows(known, [uuid(1)], { ...values, 'discount.value': '0' }, now);

  expect(others).toEqual([]);
  expect(row).toEqual({
    line: 1,
    values: {
      id: uuid(1),
      'discount.value': 12.5,
      'discount.type': 0,
      'discount.startDate': from,
      'discount.endDate': until,
    },
    faults: [],
  });
  expect([{ values: { ...row?.values, name: 'Coat' }, faults: [] }]).toEqual(
    ofFile(
      'products',
      'id,name,discount.value,discount.type,discount.startDate,discount.endDate,price',
      `${uuid(1)},Coat,12.5,0,${from},${until},1`,
    ).map(({ values: { price: _, ...own }, faults }) => ({ values: own, faults })),
  );
  expect(over?.values).toMatchObject({ 'discount.value': 0, 'discount.startDate': null, 'discount.endDate': null });
});

test.each([
  [{ 'discount.value': '' }, ['Enter a number from 0 to 100.']],
  [{ 'discount.value': '101' }, ['Enter a number from 0 to 100.']],
  [{ 'discount.value': '-1' }, ['Enter a number from 0 to 100.']],
  [{ 'discount.value': '5', 'discount.endDate': '2026-12-30T10:00' }, ['Enter a day that is still to come.']],
  [
    { 'discount.value': '5', 'discount.startDate': '2027-02-03T10:00', 'discount.endDate': '2027-02-03T10:00' },
    ['Enter an end that is after the beginning.'],
  ],
])('no discount of %j', (values: Record<string, string>, messages) => {
  expect(refused(() => discountRows(known, [uuid(1)], values, now))).toEqual(messages);
});

test('changes of a discount are told in the words of the form', () => {
  const value = { field: 'discount.value', from: '5', to: '20' };

  expect(inWords([{ field: 'discount.type', from: '1', to: '0' }, value])).toEqual([
    { field: 'Kind of discount', from: 'L$ off', to: 'Percent off' },
    { field: 'Discount', from: '5', to: '20 %' },
  ]);
  expect(inWords([value, { field: 'discount.startDate', from: '', to: '2027-02-01T10:00:00.000Z' }])).toEqual([
    { field: 'Discount', from: '5 %', to: '20 %' },
    { field: 'Begins', from: 'at once', to: expect.stringContaining('2027') },
  ]);
  expect(inWords([{ field: 'discount.endDate', from: '2027-02-01T10:00:00.000Z', to: '' }])).toEqual([
    { field: 'Ends', from: expect.stringContaining('2027'), to: 'never' },
  ]);
});
