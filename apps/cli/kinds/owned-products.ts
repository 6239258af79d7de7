import type { OwnedItem } from '../../../lib/avatars/owned.ts';
import { ownedKey } from '../../../lib/table/keys.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { all, personal } from './personal.ts';

export const ownedProducts: Kind = {
  personal: [
    personal<OwnedItem>({
      words: ['owned product', 'owned products'],
      effect: 'pseudonym',
      find: (store, uuid) => all(rowsOf<OwnedItem>({ partition: ownedKey(store, uuid, '').pk })),
      kept: ({ queued, ...owned }, { store, pseudonym }) => ({ ...owned, ...ownedKey(store, pseudonym, owned.sk) }),
      merged: (owned, there) => {
        const [boughtAt] = [owned.boughtAt, there.boughtAt].sort();
        const lastDeliveredAt = [owned.lastDeliveredAt ?? '', there.lastDeliveredAt ?? ''].sort().at(-1);
        return {
          ...there,
          quantity: owned.quantity + there.quantity,
          boughtAt: boughtAt as string,
          ...(lastDeliveredAt && { lastDeliveredAt }),
        };
      },
    }),
  ],
};
