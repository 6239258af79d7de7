import type { Avatar } from '../../local/grid/grid.ts';
import type { Clock } from '../../local/grid/world/clock.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import type { Pair } from '../../local/grid/world/linkset.ts';
import { createTally } from '../workload/tally.ts';
import type { Book, Transfer } from './book.ts';

/** Everything that happens in the grid and that the end of the day must explain. */

/** A row of a customer's credit history, as their own page shows it. */
export type OwnChange = Record<'type' | 'kind', string> &
  Record<'sequence' | 'amount' | 'expired' | 'credit' | 'restrictedCredit', number> & { saleId: string | null };

/** An item in an avatar's inventory. */
export interface Gift {
  deliveryId: string;
  to: string;
  item: string;
  box: string;
  at: number;
}

/** L$ that a script gave away. */
export interface Giving {
  id: string;
  by: string;
  to: string;
  amount: number;
  /** The script did not hear how it ended, or heard nothing that tells. */
  isDoubtful: boolean;
  /** The script heard how it ended, while it waited for that. */
  isHeard: boolean;
}

/**
 * L$ that the owner checks in the evening, because a script told them, or because somebody tampered with its memory.
 */
interface Claim {
  /** The prim of the script. */
  by: string;
  to: string;
  amount: number;
  /** The script had not heard what the service makes of the payment, so less may be owed. */
  isUpTo: boolean;
  text: string;
}

/** True for what no script of the owner can read, since another owner's script wrote it. */
export const isForeign = ({ passes }: Pick<Grid, 'passes'>, { pass }: Pair): boolean =>
  pass !== '' && !passes.has(pass);

/** True for an entry of a vendor about a sale, about L$ that it owes, or about L$ that it still has to report. */
export const isOpen = (value: string): boolean => /^[SXOPD]/.test(value);

/** The payment that the owner would miss without it. */
export const claimOf = (by: string, value: string): Claim[] => {
  const [, stage, to = '', amount] = /^([SXOP])([0-9a-f-]{36})\|?(\d+)/.exec(value) ?? [];
  if (amount === undefined) return [];
  return [{ by, to, amount: Number(amount), isUpTo: stage === 'S' || stage === 'X', text: value }];
};

/**
 * How often in 100 the grid does so: to a transfer of L$ by a script, to an avatar who is thanked, to a touch. `dying`
 * is a region that dies while a cashier pays, `lostLines` a line of a notecard that never comes, `lostGifts` an item
 * that an avatar never gets. And how often the network does so to a call.
 */
export const rates = {
  none: {
    inworld: { refused: 0, doubtful: 0, silent: 0, left: 0, together: 0, dying: 0, lostLines: 0, lostGifts: 0 },
    network: { lost: 0, answerLost: 0, broken: 0, garbled: 0, throttled: 0, slow: 0 },
  },
  normal: {
    inworld: { refused: 3, doubtful: 3, silent: 2, left: 5, together: 5, dying: 10, lostLines: 3, lostGifts: 0 },
    network: { lost: 1.5, answerLost: 1.5, broken: 2, garbled: 1, throttled: 0.5, slow: 5 },
  },
  heavy: {
    inworld: { refused: 10, doubtful: 10, silent: 6, left: 15, together: 15, dying: 25, lostLines: 10, lostGifts: 6 },
    network: { lost: 6, answerLost: 6, broken: 6, garbled: 3, throttled: 3, slow: 20 },
  },
};
export type FaultLevel = keyof typeof rates;

export interface Dialogs {
  to: string;
  by: Placement;
  text: string;
  buttons: string[];
  answer: (text: string) => void;
}

/** An avatar's eyes and ears: what objects ask and tell it. */
export interface Visitor extends Avatar {
  dialogs: Dialogs[];
  heard: { text: string; by: Placement }[];
  /** Windows that offer to open an address. */
  offers: { url: string; by: Placement }[];
  /** The last menu of each vendor, by its prim. */
  menus: Map<string, { text: string; at: number }>;
}

export const createVisitor = (avatar: Avatar): Visitor => ({
  ...{ ...avatar, dialogs: [], heard: [], offers: [] },
  menus: new Map(),
});

/** An avatar pays L$ at a vendor, and has seen a product of this name there; none if the name is empty. */
export const seenAt = (vendor: string, avatar: string, name: string, paid: number): string =>
  `${vendor} ${avatar} ${paid} ${name}`;

export const createGrid = (clock: Clock, book: Book) => ({
  clock,
  book,
  gifts: [] as Gift[],
  rates: rates.none,
  givings: [] as Giving[],
  claims: [] as Claim[],
  /** Prims that came with a copy of an object, or with an object that was taken and rezzed. */
  copies: new Set<string>(),
  /** The passes of the stores' keys and owners. Another owner's script wrote an entry with any other pass. */
  passes: new Set<string>(),
  /** Prims of objects whose memory somebody has erased. */
  erased: new Set<string>(),
  /** The texts that scripts told their owners, by prim. Texts that name no payment are counted. */
  told: new Map<string, string[]>(),
  toldOwners: createTally(),
  /** Where an avatar or a merchant was not told what they should have been told. */
  silences: [] as string[],
  /** Payments whose event no script has begun, by id. */
  unheard: new Map<string, Transfer>(),
  /** Deliveries that a box had given but not noted when it died. */
  unnoted: new Map<string, string>(),
  /** The products that avatars saw at a vendor when they paid, or in its menu before. */
  seen: new Set<string>(),
  /** The rows of credit history that avatars saw on their own pages, with the store. */
  ownRows: [] as { store: string; uuid: string; row: OwnChange }[],
  /** Everything that happened, counted by words. */
  counts: createTally(),
  onDialog: (_: Dialogs): void => {},
  onPage: (_to: string, _url: string, _by: Placement): void => {},
  onSay: (_to: string, _text: string, _by: Placement): void => {},
  onMessage: (_to: string, _text: string, _by: Placement): void => {},
});
export type Grid = ReturnType<typeof createGrid>;
