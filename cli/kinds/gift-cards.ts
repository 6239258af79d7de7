import type { Identifier } from '../../lib/identifier.ts';
import { type GiftCardItem, giftCardItem, giftCardKey } from '../../lib/store/gift-cards.ts';
import { getMany } from '../../lib/table/table.ts';
import { type Group, type Importer, type Row, replacing, residentOf, type Setting } from './rows.ts';

export interface GiftCardFields {
  id: string;
  owner: Identifier;
  credit: number;
  active?: boolean;
  redeemed?: boolean;
  transfer?: boolean;
  texture?: string | null;
  purchased?: boolean;
}

const unset = { texture: null, transfer: false, active: true, redeemed: false, purchased: false };

const groupOf = (
  row: Row<GiftCardFields>,
  stored: GiftCardItem | undefined,
  setting: Setting,
): Group<GiftCardFields> => {
  const owner = residentOf(setting, row.fields.owner);
  if (stored && stored.ownerUuid !== owner.uuid) {
    const message = `must be ${stored.ownerUuid}: the owner of a gift card cannot be changed`;
    return { rows: [row], outcome: { field: 'owner', value: owner.uuid, message } };
  }
  const { credit, texture, transfer, active, redeemed, purchased } = { ...unset, ...stored, ...row.fields };
  const fields = { credit, texture, transfer, active };
  const item = giftCardItem(setting.store, owner, fields, { id: row.fields.id, redeemed, purchased });
  const writes = replacing(stored, item);
  if (writes.length === 0) return { rows: [row], outcome: 'unchanged' };
  return { rows: [row], outcome: stored ? 'changed' : 'created', writes, customers: [owner] };
};

/** Gift cards, redeemed and purchased ones too. */
export const giftCards: Importer<GiftCardFields> = {
  plan: async (rows, setting) => {
    const keys = rows.map(({ fields }) => giftCardKey(setting.store, fields.id));
    const items = await getMany<GiftCardItem>(keys, { consistent: true });
    const stored = new Map(items.map((item) => [item.sk, item]));
    return rows.map((row) => groupOf(row, stored.get(row.fields.id), setting));
  },
};
