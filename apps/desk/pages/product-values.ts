import { lessPercent, shareOf } from '../../../lib/price.ts';
import type { ProductResponse, ProductUpsertRequest } from '../../client/client.ts';
import { isUuid, localTime, money } from '../format.ts';
import type { ShownProduct } from '../listed.ts';
import type { Values } from '../parts/form.tsx';
import { t } from './product.texts.ts';

const flag = (value: boolean): string => (value ? 'on' : '');

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** A person, by name or UUID, and the percentage of each sale that they get. */
type Share = readonly [person: string, percent: string];

export const readShares = (text = '[]'): Share[] => JSON.parse(text);

/** The values that are compared and saved: all shares together are one. */
export const productValues = ({ product, isListed }: ShownProduct): Values => ({
  name: product.name,
  item: product.item,
  price: String(product.price),
  'discount.type': String(product.discount.type),
  'discount.value': String(product.discount.value),
  'discount.startDate': localTime(product.discount.startDate),
  'discount.endDate': localTime(product.discount.endDate),
  description: product.description.replaceAll('\r\n', '\n'),
  active: flag(product.active),
  listed: flag(isListed),
  blockCredits: flag(product.blockCredits),
  bloggable: flag(product.bloggable),
  limited: flag(product.limited),
  availableAmount: String(product.availableAmount),
  'permissions.copy': flag(product.permissions.copy),
  'permissions.modify': flag(product.permissions.modify),
  'permissions.transfer': flag(product.permissions.transfer),
  profitShares: JSON.stringify(product.profitShares.map(({ userUuid, percent }) => [userUuid, String(percent)])),
  image: product.image === nilUuid ? '' : product.image,
  demoId: product.demoId ?? '',
});

export const initialValues: Values = {
  price: '',
  'discount.type': '0',
  'discount.value': '0',
  active: 'on',
  listed: 'on',
  'permissions.copy': 'on',
  availableAmount: '0',
};

/** The button for a discount: one without a value is none. */
export const kindOf = (values: Values): string =>
  values['discount.type'] !== '2' && Number(values['discount.value'] ?? 0) === 0
    ? 'none'
    : (values['discount.type'] ?? '');

/** The values in the fields of a form, with all shares as one. Without a discount its dates stay as they are. */
export const enteredValues = (fields: Values): Values => {
  const values: Values = {};
  const shares: Share[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const [, index] = /^profitShares\[(\d+)\]$/.exec(name) ?? [];
    if (index !== undefined) shares[Number(index)] = [value, fields[`${name}.percent`] ?? ''];
    else if (!name.startsWith('profitShares')) values[name] = value;
  }
  const isNone = values['discount.type'] === 'none';
  return {
    ...values,
    ...(isNone && { 'discount.type': '0', 'discount.value': '0' }),
    profitShares: JSON.stringify(shares),
  };
};

/** An empty or wrong number becomes not-a-number, so that the service says what the field accepts. */
const numberOf = (text: string | undefined): number => (text ? Number(text) : Number.NaN);

/** A field's time. A field that was not edited keeps its seconds, which it does not show. */
const enteredTime = (text: string | undefined, before: string | null | undefined): string | null => {
  if (!text) return null;
  if (before && localTime(before) === text) return before;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

const sharesOf = (text?: string) =>
  readShares(text).map(([person, percent]) => ({
    ...(isUuid(person) ? { userUuid: person } : { username: person }),
    percent: numberOf(percent),
  }));

/** The percentage that all shares take together, and the L$ that they leave of a price: each is rounded down. */
export const leftOf = (price: number, text: string | undefined) => {
  const percents = readShares(text).map(([, percent]) => Number(percent) || 0);
  const taken = percents.reduce((sum, percent) => sum + percent, 0);
  return { taken, left: percents.reduce((left, percent) => left - shareOf(price, percent), price) };
};

/** True if a price falls so far that it may be a slip: by 80 % or more, or to nothing. */
export const isSteep = (from: number, to: number): boolean => to >= 0 && to < from && to * 5 <= from;

export const productBody = (values: Values, before?: ProductResponse): ProductUpsertRequest => ({
  name: values.name ?? '',
  ...(values.item && { item: values.item }),
  price: numberOf(values.price),
  discount: {
    type: Number(values['discount.type']) as 0 | 1 | 2,
    value: numberOf(values['discount.value']),
    startDate: enteredTime(values['discount.startDate'], before?.discount.startDate),
    endDate: enteredTime(values['discount.endDate'], before?.discount.endDate),
  },
  description: values.description ?? '',
  active: values.active === 'on',
  listed: values.listed === 'on',
  blockCredits: values.blockCredits === 'on',
  bloggable: values.bloggable === 'on',
  limited: values.limited === 'on',
  availableAmount: numberOf(values.availableAmount),
  permissions: {
    copy: values['permissions.copy'] === 'on',
    modify: values['permissions.modify'] === 'on',
    transfer: values['permissions.transfer'] === 'on',
  },
  profitShares: sharesOf(values.profitShares),
  ...(values.image && { image: values.image }),
  demoId: values.demoId || null,
});

/** The price that buyers would see now, by the service's own rule: percentages round half up. */
export const previewOf = (values: Values): { price: number; runs: 'now' | 'later' | 'over' | 'none' } | undefined => {
  const [price, value] = [numberOf(values.price), numberOf(values['discount.value'])];
  if (!Number.isInteger(price) || price < 0 || Number.isNaN(value)) return undefined;
  const [start, end] = ['discount.startDate', 'discount.endDate'].map((name) => enteredTime(values[name], null));
  if (start && Date.parse(start) > Date.now()) return { price, runs: 'later' };
  if (end && Date.parse(end) <= Date.now()) return { price, runs: 'over' };
  const type = values['discount.type'];
  if (type === '2') return { price: value, runs: 'now' };
  if (type === '1') return { price: Math.max(0, price - value), runs: value > 0 ? 'now' : 'none' };
  if (value > 100) return undefined;
  return { price: lessPercent(price, value), runs: value > 0 ? 'now' : 'none' };
};

/** Words for a value in the choice between two. */
export const describeField = (name: string, value: string): string => {
  if (name === 'discount.type') return t.discountTypes[Number(value) as 0 | 1 | 2] ?? value;
  if (name === 'profitShares')
    return readShares(value)
      .map((share) => `${share.join(' ')} %`)
      .join('; ');
  if (['name', 'item', 'description', 'image', 'demoId'].includes(name)) return value;
  if (name === 'price') return value === '' || Number.isNaN(Number(value)) ? value : money(Number(value));
  if (name.startsWith('discount.') || name === 'availableAmount') return value.replace('T', ' ');
  return value === 'on' ? t.yes : t.no;
};
