import { lessPercent } from '../../../lib/price.ts';
import type { ProductResponse, ProductUpsertRequest } from '../../client/client.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { isUuid, localTime, money } from '../format.ts';
import type { ShownProduct } from '../listed.ts';
import type { Values } from '../parts/form.tsx';
import { t } from './product.texts.ts';

const flag = (value: boolean): string => (value ? 'on' : '');

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** The values of the form's fields. */
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
  profitShares: product.profitShares.map(({ userUuid, percent }) => `${userUuid} ${percent}`).join('\n'),
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

/** An empty or wrong number becomes not-a-number, so that the service says what the field accepts. */
const numberOf = (text: string | undefined): number => (text ? Number(text) : Number.NaN);

/** A field's time. A field that was not edited keeps its seconds, which it does not show. */
const enteredTime = (text: string | undefined, before: string | null | undefined): string | null => {
  if (!text) return null;
  if (before && localTime(before) === text) return before;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

/** `name percent`, a line for each. */
const sharesOf = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, user = line, percent] = /^(.+?)\s+([\d.]+)\s*%?$/.exec(line) ?? [];
      const person = copiedName(user);
      return { ...(isUuid(person) ? { userUuid: person } : { username: person }), percent: numberOf(percent) };
    });

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
  if (['name', 'item', 'description', 'profitShares', 'image', 'demoId'].includes(name)) return value;
  if (name === 'price') return value === '' || Number.isNaN(Number(value)) ? value : money(Number(value));
  if (name.startsWith('discount.') || name === 'availableAmount') return value.replace('T', ' ');
  return value === 'on' ? t.yes : t.no;
};
