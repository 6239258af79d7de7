import { cardIdOf } from '../../lib/catalogue/sealed-cards.ts';
import { redeemOwnCards } from '../../lib/credit/redeem.ts';
import { pageAct } from '../../lib/http/page-endpoint.ts';
import { redeemOwn as row } from '../../lib/routes/me.ts';

export const handler = pageAct(row, async ({ store, uuid }, { id: by, body: { card } }) => {
  const only = card === undefined ? undefined : cardIdOf(store, uuid, card);
  return redeemOwnCards(store, { uuid }, { by, isOwn: true }, only);
});
