import type { Resident } from '../../avatars/residents.ts';
import { bringCard, type GiftCardItem } from '../../catalogue/gift-cards.ts';
import { giftCardKey } from '../../table/keys.ts';
import { getMany } from '../../table/table.ts';
import type { Group, Importer, Row, Setting } from './rows.ts';

export interface GiftCardFields {
  id: string;
  owner: Resident;
  credit: number;
  active?: boolean;
  redeemed?: boolean;
  transfer?: boolean;
  texture?: string | null;
  purchased?: boolean;
}

const giftCardGroup = (
  row: Row<GiftCardFields>,
  stored: GiftCardItem | undefined,
  setting: Setting,
): Group<GiftCardFields> => {
  const { owner, ...fields } = row.fields;
  const brought = bringCard(setting.store, owner, fields, stored);
  if (brought.kind === 'unchanged') return { rows: [row], outcome: 'unchanged' };
  if (brought.kind !== 'refused')
    return { rows: [row], outcome: brought.kind, writes: [brought.write], customers: [owner] };
  const { field, must: message } = brought;
  return { rows: [row], outcome: { field, value: field === 'owner' ? owner.uuid : fields[field], message } };
};

/** Gift cards, with redeemed and purchased ones. */
export const giftCardImporter: Importer<GiftCardFields> = {
  plan: async (rows, setting) => {
    const keys = rows.map(({ fields }) => giftCardKey(setting.store, fields.id));
    const items = await getMany<GiftCardItem>(keys, { consistent: true });
    const stored = new Map(items.map((item) => [item.sk, item]));
    return rows.map((row) => giftCardGroup(row, stored.get(row.fields.id), setting));
  },
};
