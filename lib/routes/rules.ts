import * as z from 'zod';
import { route } from './route.ts';
import { integer, percent, uuid } from './wire.ts';

const maxTiers = 10;
const maxDays = 3650;

/** A number from 0 to 100 with at most 4 decimals, so that a person can read what a rule gives. */
const plainPercent = () => {
  const error = 'must be a number from 0 to 100 with at most 4 decimals';
  return percent().refine((value) => Number(value.toFixed(4)) === value, { error });
};

const object = { error: 'must be an object' };

const tier = () =>
  z
    .object(
      {
        from: integer(1).describe('L$ of spend in the last year from which the tier counts: 1 or more, each once.'),
        percent: plainPercent()
          .refine((value) => value > 0, { error: 'must be more than 0' })
          .meta({ minimum: undefined, exclusiveMinimum: 0 })
          .describe('The percentage that is taken off: more than 0, at most 4 decimals.'),
      },
      object,
    )
    .meta({ id: 'TierRequest' });

const tiersWords = `must be a list of at most ${maxTiers} tiers`;

const tiers = () =>
  z
    .array(tier(), { error: tiersWords })
    .max(maxTiers, { error: tiersWords })
    .refine((some) => new Set(some.map(({ from }) => from)).size === some.length, {
      error: 'must have tiers of different from',
    });

const bonusTypes = ['restricted', 'regular'] as const;

const bonus = () =>
  z
    .object(
      {
        percent: plainPercent()
          .default(0)
          .describe('The percentage of the L$ paid and kept that the buyer gets back as credit, rounded down.'),
        groupPercent: plainPercent()
          .default(0)
          .describe('The same for buyers who wear the tag of the group: for them the larger of both counts.'),
        type: z
          .enum(bonusTypes, { error: 'must be restricted or regular' })
          .default('restricted')
          .describe('The type of credit that a bonus is.'),
        expiresInDays: integer(1, maxDays)
          .nullable()
          .default(null)
          .describe('Days from the sale on after which a bonus expires. Left out or null: it never does.'),
      },
      object,
    )
    .meta({ id: 'BonusRequest' });

const noBonus = { percent: 0, groupPercent: 0, type: 'restricted' as const, expiresInDays: null };

const UpdateStoreRulesRequest = z
  .object({
    groupDiscount: plainPercent()
      .default(0)
      .describe('The percentage that is taken off for buyers who wear the tag of the group.'),
    tiers: tiers()
      .default([])
      .transform((some) => some.toSorted((a, b) => a.from - b.from))
      .describe('Percentages for what a buyer spent in the last year, at most 10: the highest tier reached counts.'),
    bonus: bonus().default(noBonus).describe('Credit that a sale gives to its buyer. Left out: none.'),
  })
  .meta({ id: 'UpdateStoreRulesRequest' });

const StoreRulesResponse = z
  .object({
    groupDiscount: z.number().describe('The percentage for buyers who wear the tag of the group; 0: none.'),
    tiers: z
      .array(
        z
          .object({
            from: z.int().describe('L$ of spend in the last year from which the tier counts.'),
            percent: z.number().describe('The percentage that is taken off.'),
          })
          .meta({ id: 'Tier' }),
      )
      .describe('The tiers, by what must have been spent.'),
    bonus: z
      .object({
        percent: z.number().describe('The percentage of the L$ paid and kept; 0: no bonus.'),
        groupPercent: z.number().describe('The same for buyers who wear the tag of the group.'),
        type: z.enum(bonusTypes).describe('The type of credit.'),
        expiresInDays: z.int().nullable().describe('Days after which a bonus expires; null: it never does.'),
      })
      .meta({ id: 'Bonus' })
      .describe('The credit that a sale gives to its buyer.'),
  })
  .meta({ id: 'StoreRulesResponse' });

const UpdateProductGiftCardRequest = z
  .object({
    credit: integer(0).describe('Credit in L$ of the gift card that each sale of the product makes; 0: it makes none.'),
    texture: uuid()
      .nullable()
      .default(null)
      .describe('UUID of the texture that the card shows inworld. Left out or null: none.'),
  })
  .meta({ id: 'UpdateProductGiftCardRequest' });

const ProductGiftCardResponse = z
  .object({
    credit: z.int().describe('Credit in L$ of the gift card that each sale of the product makes; 0: it makes none.'),
    texture: uuid().nullable().describe('UUID of the texture that the card shows inworld; null: none.'),
  })
  .meta({ id: 'ProductGiftCardResponse' });

export type SoldCard = z.output<typeof ProductGiftCardResponse>;
export type StoreRules = z.output<typeof StoreRulesResponse>;

const common = { extension: true, servedBy: 'rules' } as const;
const ofCards = { extension: true, servedBy: 'product-card' } as const;

export const getRules = route('GET /v1/store/rules', {
  id: 'rules/get-rules',
  summary: 'Read the rules of the store',
  scope: null,
  problems: [],
  ...common,
  response: StoreRulesResponse,
  reads: ['STORE'],
});

export const updateRules = route('PUT /v1/store/rules', {
  id: 'rules/update-rules',
  summary: 'Replace the rules of the store',
  scope: 'store:write',
  problems: [400],
  ...common,
  body: UpdateStoreRulesRequest,
  response: StoreRulesResponse,
  writes: ['STORE'],
});

export const getProductGiftCard = route('GET /v1/products/{id}/giftcard', {
  id: 'product-card/get-product-gift-card',
  summary: 'Read the gift card that a product sells',
  scope: 'products:read',
  ...ofCards,
  response: ProductGiftCardResponse,
  reads: ['PRODUCT'],
});

export const updateProductGiftCard = route('PUT /v1/products/{id}/giftcard', {
  id: 'product-card/update-product-gift-card',
  summary: 'Have a product sell gift cards',
  scope: 'products:write',
  ...ofCards,
  body: UpdateProductGiftCardRequest,
  response: ProductGiftCardResponse,
  writes: ['PRODUCT'],
});
