import * as z from 'zod';
import { nilUuid } from '../identifier.ts';
import { DiscountType } from '../price.ts';
import { timestamp } from './timestamp.ts';
import {
  acrossFields,
  avatarUuid,
  boolean,
  identifier,
  integer,
  isItemName,
  itemName,
  itemWords,
  maxInteger,
  number,
  percent,
  text,
  uuid,
} from './wire.ts';

const object = { error: 'must be an object' };
const valueWords = `must be a number from 0 to 100 for type 0, or a whole number of L$ from 0 to ${maxInteger} for types 1 and 2`;

const DiscountRequest = z
  .object(
    {
      value: number(valueWords).default(0),
      type: z
        .literal([0, 1, 2], { error: 'must be 0 (percent), 1 (flat amount off) or 2 (override price)' })
        .default(DiscountType.percent),
      startDate: timestamp().nullable().default(null),
      endDate: timestamp().nullable().default(null),
    },
    object,
  )
  .check(
    acrossFields(({ value, type, startDate, endDate }, report) => {
      const range = type === DiscountType.percent ? percent() : integer(0);
      if (typeof value === 'number' && !range.safeParse(value).success) report('value', valueWords);
      if (typeof startDate === 'string' && typeof endDate === 'string' && endDate <= startDate)
        report('endDate', 'must be later than startDate');
    }),
  );

/** Each names a resident who is looked up. */
const maxShares = 100;
const sharesWords = `must be an array of at most ${maxShares} shares`;
const shareWords = 'must be a number over 0 and at most 100';

const ProfitShare = z
  .object(
    {
      username: identifier().optional(),
      userUuid: avatarUuid().optional(),
      percent: number(shareWords).gt(0, { error: shareWords }).max(100, { error: shareWords }),
    },
    object,
  )
  .check(
    acrossFields(({ username, userUuid }, report) => {
      if (username === undefined && userUuid === undefined)
        report(undefined, 'must name its user by username or userUuid');
    }),
  );

const sumOfPercents = (shares: unknown[]): number =>
  shares.reduce<number>((sum, share) => {
    const percent = (share as { percent?: unknown } | null)?.percent;
    return typeof percent === 'number' ? sum + percent : sum;
  }, 0);

/** The body that creates a product and the one that replaces it. */
export const ProductUpsertRequest = z
  .object({
    name: text({ min: 1, max: 255 }),
    price: integer(0),
    image: uuid().default(nilUuid),
    listed: boolean().default(true),
    bloggable: boolean().default(false),
    permissions: z
      .object(
        { copy: boolean().default(true), modify: boolean().default(false), transfer: boolean().default(false) },
        object,
      )
      .prefault({}),
    discount: DiscountRequest.prefault({}),
    availableAmount: integer(0).default(0),
    limited: boolean().default(false),
    item: itemName().optional(),
    blockCredits: boolean().default(false),
    description: text({ min: 0, max: 4096, multiline: true }).default(''),
    profitShares: z.array(ProfitShare, { error: sharesWords }).max(maxShares, { error: sharesWords }).default([]),
    demoId: uuid().nullable().default(null),
    active: boolean().default(true),
  })
  .check(
    acrossFields(({ name, item, profitShares }, report) => {
      // A blank name is a fault of its own, and says nothing about the item.
      if (item === undefined && typeof name === 'string' && name.trim() !== '' && !isItemName(name))
        report('item', `is required here, since the name is no legal item name: it ${itemWords}`);
      // The sum of fractions such as 33.3 + 66.7 may miss 100 by a rounding of binary numbers.
      if (Array.isArray(profitShares) && sumOfPercents(profitShares) > 100 + 1e-9)
        report('profitShares', 'must add up to at most 100 percent');
    }),
  )
  .transform(({ item, ...product }) => ({ ...product, item: item ?? product.name }));
