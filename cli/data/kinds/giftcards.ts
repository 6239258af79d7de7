import { updateGiftCard } from '../../../lib/routes/gift-cards.ts';
import { boolean, identifier, integer } from '../../../lib/routes/wire.ts';
import { type GiftCardItem, listStoreCards } from '../../../lib/store/gift-cards.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { giftCards as importer } from '../../plans/gift-cards.ts';
import { type Column, foreignId } from '../columns.ts';
import type { Kind } from '../kinds.ts';

const { shape } = updateGiftCard.body;

const columns: readonly Column[] = [
  {
    name: 'id',
    form: 'text',
    check: foreignId().optional(),
    help: 'a UUID, or the id that it has in another system',
  },
  { name: 'owner', form: 'text', check: identifier(), help: 'whose card it is, by UUID or username' },
  { name: 'credit', form: 'integer', check: integer(0), help: 'what is on it, in whole L$' },
  { name: 'active', form: 'boolean', check: shape.active, help: 'whether it can be used' },
  { name: 'redeemed', form: 'boolean', check: boolean().default(false), help: 'whether it has been used' },
  { name: 'transfer', form: 'boolean', check: shape.transfer, help: 'whether it may be given away' },
  { name: 'texture', form: 'text', check: shape.texture, help: "its texture's UUID; empty: none" },
  { name: 'purchased', form: 'boolean', check: boolean().default(false), help: 'whether it was bought, not granted' },
];

/** What the card has where nothing is said, by column. */
const defaults = new Map(columns.map(({ name, check }) => [name, check.safeParse(undefined).data]));

export const giftcards: Kind = {
  name: 'giftcards',
  summary: 'gift cards, redeemed and purchased ones too',
  columns,
  id: {
    // A column that says the default is as good as none: the same card, whichever of the two files has it.
    from: ({ id: _, owner, ...values }, uuidOf) => {
      const said = Object.entries(values).filter(([name, value]) => value !== defaults.get(name));
      return JSON.stringify([uuidOf(owner), said.sort()]);
    },
    repeats: () => true,
  },
  unique: ({ id }) => ({ id: [id as string] }),
  importer: () => importer,
  rows: async function* rows(store) {
    for await (const card of everyRow<GiftCardItem>(listStoreCards(store), ({ sk }) => sk))
      yield { ...card, owner: card.ownerUuid };
  },
};
