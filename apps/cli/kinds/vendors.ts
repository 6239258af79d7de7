import * as z from 'zod';
import { everyRow } from '../../../lib/lists/source.ts';
import { objectUuid } from '../../../lib/routes/wire.ts';
import { vendorCountKey } from '../../../lib/table/keys.ts';
import { get } from '../../../lib/table/table.ts';
import { byUuid, everyVendor, selling } from '../../../lib/vendor/vendors.ts';
import type { Check } from './audit.ts';
import { columns, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';

const text = z.string();

/** Each vendor is in the list of its product, and the stored count of vendors is right. */
export const checkVendors: Check = async (store, { onFault, onChecked }) => {
  const { count: before = 0 } = (await get<{ count?: number }>(vendorCountKey(store))) ?? {};
  let count = 0;
  for await (const { sk, productId, flags } of everyRow(everyVendor(store), byUuid)) {
    count += 1;
    const { flags: place } = selling(store, productId);
    if (flags !== place) onFault(`vendor ${sk}: is listed at ${flags}, not ${place}.`);
    onChecked(count);
  }
  const { count: after = 0 } = (await get<{ count?: number }>(vendorCountKey(store))) ?? {};
  // If the count changed meanwhile, the next audit checks it.
  if (before === after && count !== after) onFault(`vendors: ${after} are counted, but there are ${count}.`);
  return count;
};

/** The objects inworld that sell. They belong to the store, so nothing in them is about an avatar. */
export const vendors: Kind = {
  file: {
    name: 'vendors',
    summary: 'the objects inworld that sell, and what; exported only, since each registers by itself',
    columns: columns({
      uuid: ['text', objectUuid(), 'the UUID of the object'],
      name: ['text', text, 'the name of the object'],
      region: ['text', text, 'the region that it was last seen in'],
      position: ['text', text.optional(), 'where it stood there'],
      script: ['text', text.optional(), 'name and version of its script'],
      product: ['text', text.optional(), 'the UUID of the product that it sells'],
      registeredAt: ['text', text, 'when it registered first'],
      seenAt: ['text', text, 'when it was last seen'],
      lostAt: ['text', text.optional(), 'when it was noted as lost, if it is'],
    }),
    rows: (store) =>
      rowsFrom(everyVendor(store), 'sk', ({ sk: uuid, productId: product, ...vendor }) => ({
        ...vendor,
        uuid,
        product,
      })),
  },
  audit: [
    {
      what: 'vendors',
      check: checkVendors,
      holds: 'each is in the list of its product; their number is the one that was counted',
    },
  ],
};
