import { listSealedCards } from '../../lib/catalogue/sealed-cards.ts';
import { pageRead } from '../../lib/http/page-endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listOwnCards as row } from '../../lib/routes/me.ts';

export const handler = pageRead(row, ({ store, uuid }, { list }) =>
  page(list, listSealedCards(store, uuid), ({ id }) => id, uuid),
);
