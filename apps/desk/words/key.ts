import type { PresetName } from '../../../lib/routes/key-presets.ts';
import { some } from '../format.ts';

/** The rights of a preset in a few words. */
const rights: Record<PresetName, string> = {
  vendor: 'Sells, and says where it stands',
  terminal: 'Serves customers',
  dispenser: 'Hands out products',
  cashier: 'Pays what you owe',
  shop: 'Reads products',
  support: 'Helps customers',
  manager: 'Runs the store',
  designer: 'Makes products',
  all: 'Everything, keys too',
};

/** The rights of a key in a few words. */
export const rightsOf = ({ preset, scopes }: { preset: PresetName | null; scopes: readonly string[] }): string => {
  if (preset) return rights[preset];
  return scopes.length > 2 ? some(scopes.length, 'right', 'rights') : scopes.join(', ');
};

/** The presets for people, and their rights in a sentence, for the person who chooses one. */
export const peopleRights = {
  designer: ['Designer', 'Changes products, categories, and what vendors sell.'],
  support: ['Support', 'Reads everything, gives credit, sends products again, and refunds sales.'],
  manager: ['Manager', 'Does what support does, and changes products, coupons, cards, customers and prices.'],
  all: ['Owner', 'Does everything, and invites and removes people.'],
} as const satisfies Partial<Record<PresetName, readonly [name: string, may: string]>>;
