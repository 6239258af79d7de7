import { Option } from 'commander';
import { newId } from '../../../lib/clock.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import type { GiftCard, RedeemedGiftCard } from '../../../lib/routes/gift-cards.ts';
import { getGiftCard } from '../../../lib/store/gift-cards.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { orUnknown } from '../terminal/errors.ts';
import { parseEnd, parseIdOf, parseReference, parseResident, reasonOption, unknownId } from '../terminal/input.ts';
import { type Column, note, print } from '../terminal/output.ts';
import { openResident } from './credit-history.ts';

/** A card as the API answers it, without what only the table needs. */
const shown = (card: GiftCard): GiftCard => {
  const { id, ownerUuid, ownerUsername, credit, active, redeemed, transfer, texture, purchased } = card;
  return { id, ownerUuid, ownerUsername, credit, active, redeemed, transfer, texture, purchased };
};

const cardState = ({ active, redeemed }: GiftCard): string => (redeemed ? 'redeemed' : active ? 'active' : 'inactive');

const cardColumns: Column<GiftCard>[] = [
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'owner', cell: ({ ownerUsername }) => ownerUsername },
  { heading: 'L$', cell: ({ credit }) => credit },
  { heading: 'state', cell: cardState, style: (card) => (cardState(card) === 'active' ? 'green' : 'dim') },
  { heading: 'redeemed by', cell: ({ transfer }) => (transfer ? 'anybody' : 'its owner') },
];

const show = async (options: GlobalOptions, id: string): Promise<void> => {
  const { store } = await openStore(options);
  print(shown(await orUnknown(getGiftCard(store.id, id), unknownId(store.name, 'gift card', id))), cardColumns);
};

interface RedeemOptions extends GlobalOptions {
  for: Identifier;
  expires?: () => string;
  reason?: string;
  reference?: string;
}

const creditColumns: Column<RedeemedGiftCard>[] = [
  { heading: 'card', cell: ({ giftCard }) => giftCard.id },
  { heading: 'state', cell: ({ giftCard }) => cardState(giftCard) },
  { heading: 'credit now', cell: ({ credit }) => credit.credit },
  { heading: 'restricted', cell: ({ credit }) => credit.restrictedCredit },
];

const redeem = async (options: RedeemOptions, id: string): Promise<void> => {
  const { target, store, uuid, username } = await openResident(options, options.for);
  const { reason, reference } = options;
  const expiresAt = options.expires?.();
  const log = await openLog(target);
  const redeemed = await orUnknown(
    redeemGiftCard(
      store.id,
      id,
      { identifier: { uuid }, expiresAt },
      { by: `operator ${newId()}`, ...(reason && { reason }), ...(reference && { reference }) },
      log('giftcard.redeemed', store.id, { giftCard: id, for: uuid, ...(expiresAt !== undefined && { expiresAt }) }),
    ),
    unknownId(store.name, 'gift card', id),
  );
  print({ giftCard: shown(redeemed.giftCard), credit: redeemed.credit }, creditColumns);
  note(`${username} has the credit of the card. See it with: store credit history ${uuid}`);
};

/** Adds `store giftcards show|redeem`. */
export const addGiftCards = (program: StoreCommand): void => {
  const giftCards = program.command('giftcards').description('Gift cards: show, redeem.');

  giftCards
    .command('show')
    .description('Shows a gift card: its owner, what is left on it, and whether it can be redeemed.')
    .argument('<id>', 'UUID of the card', parseIdOf('gift card'))
    .examples('store giftcards show 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90')
    .runs(show);

  giftCards
    .command('redeem')
    .description(
      'Turns a gift card into regular credit, once. A card without transfer is redeemed for its owner alone.',
    )
    .argument('<id>', 'UUID of the card', parseIdOf('gift card'))
    .addOption(
      new Option('--for <resident>', 'who gets the credit, by username or avatar UUID')
        .argParser(parseResident)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--expires <when>',
        'when the credit expires: after a duration (90d), on a day or at a time',
      ).argParser(parseEnd),
    )
    .option(...reasonOption)
    .option('--reference <text>', 'such as the number of a ticket, at most 100 characters', parseReference)
    .examples(
      'store giftcards redeem 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90 --for ada.lovelace',
      'store giftcards redeem 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90 --for ada --expires 90d --reason "Lost card" --reference T-17',
    )
    .runs(redeem);
};
