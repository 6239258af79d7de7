import { sharedKey } from '../table/schema.ts';
import { get } from '../table/table.ts';

/** A merchant's store. Its id is part of the key of everything it owns. */
export interface Store {
  id: string;
  name: string;
  createdAt: string;
  /** The time when its deletion began. No call finds it since then, but some of its items may still be in the table. */
  deletedAt?: string;
}

export const findStore = (id: string): Promise<Store | undefined> => get<Store>(sharedKey('STORE', id));
