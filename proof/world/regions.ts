import { parseIdentifier } from '../../lib/identifier.ts';
import { avatarOf } from '../../local/grid/grid.ts';
import type { Clock } from '../../local/grid/world/clock.ts';
import type { Placement } from '../../local/grid/world/land.ts';
import { createWorld } from '../../local/grid/world/world.ts';
import type { Actor } from './actor.ts';
import type { Book } from './book.ts';
import type { Network } from './network.ts';

/** The regions of the grid: objects with the shipped scripts, which die with their region and are started again. */

/** An item in an avatar's inventory. */
export interface Gift {
  deliveryId: string;
  to: string;
  item: string;
  box: string;
  at: number;
}

/** L$ that a script gave away. */
interface Giving {
  by: string;
  to: string;
  amount: number;
  /** The script did not hear how it ended, or nothing that tells it. */
  isDoubtful: boolean;
}

/**
 * L$ that the owner looks at in the evening, since a script told of them, or since somebody meddled with its memory.
 */
interface Claim {
  /** The prim of the script. */
  by: string;
  to: string;
  amount: number;
  /** The script had not heard what the service makes of the payment: less may be owed. */
  isUpTo: boolean;
  text: string;
}

/** True for what a vendor keeps of a sale or of L$ that it owes. */
export const isOpen = (value: string): boolean => /^[SXOP]/.test(value);

/** The payment that the owner would miss without it. */
const claimOf = (by: string, value: string): Claim[] => {
  const [, to = '', amount] = /^[OP]([0-9a-f-]{36})(\d+)$/.exec(value) ?? [];
  if (amount !== undefined) return [{ by, to, amount: Number(amount), isUpTo: false, text: value }];
  const [, paid] = /"paid":(\d+)/.exec(value) ?? [];
  const [, buyer] = /"buyerIdentifier":"([0-9a-f-]+)"/.exec(value) ?? [];
  return paid && buyer ? [{ by, to: buyer, amount: Number(paid), isUpTo: true, text: value }] : [];
};

/** How often in 100 the grid does so: to a transfer of L$ by a script, to an avatar who is thanked, to a touch. */
export const gridRates = {
  none: { refused: 0, doubtful: 0, silent: 0, left: 0, together: 0 },
  normal: { refused: 3, doubtful: 3, silent: 2, left: 5, together: 5 },
  heavy: { refused: 10, doubtful: 10, silent: 6, left: 15, together: 15 },
} as const;
type GridRates = Readonly<Record<keyof (typeof gridRates)['none'], number>>;

/**
 * Tags after which the L$ have surely not moved and another try may succeed, and those that leave a doubt or end it.
 */
const refusals = ['THROTTLED', 'TRANSFERS_DISABLED', 'LINDENDOLLAR_INSUFFICIENTFUNDS'];
const doubts = ['EXPIRED', 'SERVICE_ERROR', 'LINDENDOLLAR_BADCLOCKSKEW'];
const ends = ['LINDENDOLLAR_ENTITYDOESNOTEXIST', 'INVALID_AGENT', 'INVALID_AMOUNT', 'GROUP_OWNED'];

export interface Dialogs {
  to: string;
  by: Placement;
  text: string;
  buttons: string[];
  answer: (text: string) => void;
}

/** A payment whose event a script has not begun. */
interface Unheard {
  vendor: string;
  buyer: string;
  amount: number;
}

const avatar = (text: string) => {
  const identifier = parseIdentifier(text);
  return identifier && avatarOf(identifier);
};

/** All that happens in the grid and that the end of the day must explain. */
export const createGrid = (clock: Clock, book: Book) => ({
  clock,
  book,
  gifts: [] as Gift[],
  rates: gridRates.none as GridRates,
  givings: [] as Giving[],
  claims: [] as Claim[],
  /** Prims that came with a copy of an object, or with one that was taken and rezzed. */
  copies: new Set<string>(),
  /** Names in memories that their script cannot read: another owner's vendor wrote them. */
  unreadable: new Set<string>(),
  /** The texts that scripts told their owners, by prim. */
  told: new Map<string, string[]>(),
  /** Where an avatar or a merchant was not told what they should have been. */
  silences: [] as string[],
  unheard: new Map<string, Unheard>(),
  /** Deliveries that a box had given, but not noted, when it died. */
  unnoted: new Map<string, string>(),
  errors: [] as string[],
  counts: {} as Record<string, number>,
  onDialog: (_: Dialogs): void => {},
  onSay: (_to: string, _text: string, _by: Placement): void => {},
  onMessage: (_to: string, _text: string, _by: Placement): void => {},
});
export type Grid = ReturnType<typeof createGrid>;

const count = (grid: Grid, what: string): void => {
  grid.counts[what] = (grid.counts[what] ?? 0) + 1;
};

export const createRegion = (name: string, grid: Grid, network: Network, actor: Actor) => {
  const { clock, book } = grid;
  const placements: Placement[] = [];
  /** The delivery that each box has before it, and whether its item was given. */
  const before = new Map<Placement, { deliveryId: string; isGiven: boolean }>();
  const lives = new Map<Placement, object>();
  /** Draws how a transfer ends. */
  const fateOfTransfer = (): { moves: boolean; tag?: string; isDoubtful?: boolean; isSilent?: boolean } => {
    if (actor.chance(grid.rates.refused)) {
      count(grid, 'transfers refused');
      return { moves: false, tag: actor.pick(refusals) ?? '' };
    }
    if (actor.chance(grid.rates.doubtful)) {
      count(grid, 'transfers of which nobody knows the end');
      const isEnd = actor.chance(30);
      return { moves: !isEnd && actor.chance(50), tag: actor.pick(isEnd ? ends : doubts) ?? '', isDoubtful: true };
    }
    if (!actor.chance(grid.rates.silent)) return { moves: true };
    count(grid, 'transfers without a result');
    return { moves: actor.chance(50), isDoubtful: true, isSilent: true };
  };
  const gone = new Set<Placement>();
  let isDown = false;

  const world = createWorld({
    clock,
    nameOf: (uuid) => avatar(uuid)?.username,
    uuidOf: (text) => avatar(text)?.uuid,
    address: (id) => `${network.origin}/sim.agni.local/${name}/${id}`,
    mayRequest: network.mayRequest,
    send: network.send,
    lookUp: (kind, of, tell) => {
      const found = kind === 'key' ? (avatar(of)?.uuid ?? '') : avatar(of)?.username;
      if (found !== undefined) clock.after(actor.between(0.1, 1), () => tell(found));
    },
    onEvent: (by, event, values) => {
      if (event === 'money') grid.unheard.delete(String(values[2]));
      const isOrder = event === 'http_request' && values[1] === 'POST';
      const deliveryId = isOrder ? (String(values[2]).split('\n')[3] ?? '') : '';
      before.set(by, { deliveryId, isGiven: false });
    },
    onGive: (to, { name: item }, by) => {
      const order = before.get(by);
      if (order) order.isGiven = true;
      grid.gifts.push({ deliveryId: order?.deliveryId ?? '', to, item, box: by.body.id, at: clock.now() });
    },
    isPresent: () => !actor.chance(grid.rates.left),
    transfer: (by, to, amount, answer) => {
      const giving: Giving = { by: by.body.id, to, amount, isDoubtful: false };
      grid.givings.push(giving);
      const life = lives.get(by);
      const fate = fateOfTransfer();
      clock.after(actor.between(0.1, 2), () => {
        // An order that left the region before it died may be carried out all the same.
        if (life !== lives.get(by) && actor.chance(50)) return;
        const moved =
          fate.moves && book.move({ reason: 'back', from: by.body.owner, to, amount, of: by.body.id }) !== undefined;
        if (fate.isDoubtful) giving.isDoubtful = true;
        clock.after(actor.between(0.1, 2), () => {
          if (life !== lives.get(by) || fate.isSilent) return;
          answer(fate.tag ?? (moved ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS'));
        });
      });
    },
    onDialog: (dialog, by) => {
      const life = lives.get(by);
      const answer = (text: string): void => {
        if (life === lives.get(by) && !isDown) dialog.answer(text);
      };
      grid.onDialog({ ...dialog, by, answer });
    },
    onSay: (to, text, by) => {
      if (to !== undefined) grid.onSay(to, text, by);
    },
    onMessage: (to, text, by) => grid.onMessage(to, text, by),
  });
  world.region.name = name;

  /** Scripts forget all but linkset data. What was under way is lost. */
  const kill = (placement: Placement): void => {
    noteUnnoted(placement);
    forget(placement);
    placement.freeze(true);
    placement.body.loseConnections();
    placement.script.begin();
  };
  /** Requests and payments under way are answered to nobody. */
  const forget = (placement: Placement): void => {
    lives.set(placement, {});
    for (const giving of grid.givings) if (giving.by === placement.body.id) giving.isDoubtful = true;
  };
  /** A box that ends in this moment has not noted what it has just given. */
  const noteUnnoted = (placement: Placement): void => {
    const order = before.get(placement);
    const { linksetData } = placement.body;
    if (order?.isGiven && ![...linksetData.keys()].some((key) => key.endsWith(order.deliveryId)))
      grid.unnoted.set(order.deliveryId, placement.body.id);
    before.delete(placement);
  };
  /** Objects that are not their owner's now. */
  const lent = new Set<Placement>();
  const isThere = (placement: Placement): boolean => !isDown && !gone.has(placement) && lives.has(placement);
  const add = (placement: Placement): void => {
    placements.push(placement);
    lives.set(placement, {});
  };
  /** All scripts of the object to which the prim belongs. */
  const objectOf = ({ body }: Placement): Placement[] =>
    placements.filter((one) => body.prim.linkset.prims.includes(one.body.prim));
  /** True for an object as the merchant left it, which all of its scripts are in. */
  /** Within two minutes, if nothing happens to it meanwhile. */
  const mustTell = (placement: Placement, words: string): void => {
    const life = lives.get(placement);
    clock.after(120, () => {
      if (
        life === lives.get(placement) &&
        isThere(placement) &&
        !grid.told.get(placement.body.id)?.join().includes(words)
      )
        grid.silences.push(`${placement.body.name} ${placement.body.id} did not tell that it ${words}`);
    });
  };
  const isWhole = (placement: Placement): boolean => {
    const scripts = objectOf(placement);
    return (
      scripts.length === placement.body.prim.linkset.prims.length &&
      scripts.every((one) => isThere(one) && !lent.has(one))
    );
  };
  /** Makes a copy of the whole object. Answers the copies of its scripts, by their originals. */
  const copy = (placement: Placement): Map<Placement, Placement> => {
    const originals = objectOf(placement);
    const copies = world.copy(placement);
    for (const one of copies) {
      add(one);
      grid.copies.add(one.body.id);
    }
    const inOrder = placement.body.prim.linkset.prims.flatMap((prim) =>
      originals.filter((one) => one.body.prim === prim),
    );
    return new Map(inOrder.map((original, n) => [original, copies[n] as Placement]));
  };

  return {
    name,
    world,
    placements,
    isDown: () => isDown,
    rez: (placed: Parameters<typeof world.rez>[0]): Placement => {
      const placement = world.rez(placed);
      add(placement);
      return placement;
    },
    link: world.link,
    isThere,
    /** Changes when the script loses what was under way. */
    lifeOf: (placement: Placement) => lives.get(placement),
    /** Avatars touch an object in the same moment. */
    touch: (placement: Placement, ...visitors: string[]): void => {
      if (isThere(placement)) placement.touch(...visitors);
    },
    /** Somebody copies the object. */
    copy: (placement: Placement): Map<Placement, Placement> => {
      if (!isWhole(placement)) return new Map();
      count(grid, 'objects copied');
      return copy(placement);
    },
    /** The owner takes the object into the inventory, and rezzes it. */
    rezAgain: (placement: Placement): Map<Placement, Placement> => {
      if (!isWhole(placement)) return new Map();
      count(grid, 'objects taken and rezzed');
      const copies = copy(placement);
      for (const original of copies.keys()) {
        noteUnnoted(original);
        forget(original);
        lives.delete(original);
        placements.splice(placements.indexOf(original), 1);
        original.take();
      }
      return copies;
    },
    /** A stranger's script erases the memory of what it is linked with. Each vendor that loses something must tell. */
    erase: (placement: Placement): void => {
      if (!isThere(placement)) return;
      count(grid, 'memories erased');
      const pairs = [...placement.body.linksetData].filter(([, { by }]) => by !== placement.body.id);
      placement.touch(placement.body.owner);
      for (const [, { by, value }] of pairs) grid.claims.push(...claimOf(by, value));
      // Of an entry that it could never read a vendor knows only that it was there, and has told that before.
      const known = pairs.filter(([name, { value }]) => isOpen(value) && !grid.unreadable.has(name));
      for (const one of objectOf(placement))
        if (known.some(([, { by }]) => by === one.body.id)) mustTell(one, 'erased');
    },
    /** The object is another account's, or a group's, until its owner has it again. */
    lend: async (placement: Placement, to: string, isDeeded: boolean, absence: () => Promise<void>): Promise<void> => {
      const { owner } = placement.body;
      if (!isWhole(placement)) return;
      const all = objectOf(placement);
      for (const one of all) lent.add(one);
      count(grid, isDeeded ? 'objects deeded to a group' : 'objects given to another owner');
      for (const one of all) forget(one);
      const before = new Set(placement.body.linksetData.keys());
      const stranger = all.find((one) => one.body.name === 'decoration');
      placement.giveTo(to, isDeeded);
      await absence();
      for (const one of all) forget(one);
      for (const [name, { by, value }] of placement.body.linksetData)
        if (!before.has(name) && by !== stranger?.body.id && isOpen(value)) {
          grid.unreadable.add(name);
          grid.claims.push(...claimOf(by, value));
        }
      placement.giveTo(owner);
      for (const one of all) lent.delete(one);
      for (const one of all)
        if ([...placement.body.linksetData].some(([name, { by }]) => by === one.body.id && grid.unreadable.has(name)))
          mustTell(one, 'cannot read');
    },
    /** Another script lies in the prim for a while. */
    dropScript: async (placement: Placement, source: string, absence: () => Promise<void>): Promise<void> => {
      if (!isWhole(placement)) return;
      count(grid, 'second scripts in a prim');
      const other = placement.drop('second.lsl', source);
      add(other);
      // The script begins anew when another one comes, and when it goes.
      forget(placement);
      await absence();
      forget(placement);
      lives.delete(other);
      placements.splice(placements.indexOf(other), 1);
      other.take();
    },
    /** The address of a box dies, and nobody says so. */
    loseUrl: (placement: Placement): void => {
      if (!isThere(placement)) return;
      count(grid, 'addresses that died silently');
      placement.body.loseUrls();
    },
    /** An avatar pays an object. False if it could not. */
    pay: (buyer: string, placement: Placement, amount: number): boolean => {
      if (!isThere(placement)) return false;
      const { owner, id } = placement.body;
      const paid = book.move({ reason: 'payment', from: buyer, to: owner, amount, of: id });
      if (!paid) return false;
      grid.unheard.set(paid.id, { vendor: id, buyer, amount });
      placement.tell('money', buyer, amount, paid.id);
      return true;
    },
    /** One object is gone for a while, such as one that its owner takes and rezzes again. */
    takeAway: async (placement: Placement, absence: () => Promise<void>): Promise<void> => {
      if (isDown) return;
      count(grid, 'objects taken away');
      gone.add(placement);
      kill(placement);
      await absence();
      while (isDown) await actor.wait(1);
      gone.delete(placement);
      placement.freeze(false);
    },
    /** The region goes down in order: its scripts go on afterwards. */
    restart: (): void => {
      if (isDown) return;
      count(grid, 'regions restarted');
      for (const placement of placements) forget(placement);
      world.restart();
    },
    /** The region dies, and comes back later. */
    crash: async (absence: () => Promise<void>): Promise<void> => {
      if (isDown) return;
      count(grid, 'regions that died');
      isDown = true;
      for (const placement of placements) kill(placement);
      await absence();
      isDown = false;
      for (const placement of placements) if (!gone.has(placement)) placement.freeze(false);
    },
    collectErrors: (): void => {
      // The region shouts this by itself where a script asks too often. It is no fault of the script.
      grid.errors.push(...world.log.errors.splice(0).filter((text) => !text.includes('too many HTTP requests')));
      for (const some of [world.log.said, world.log.messages, world.log.given, world.log.dialogs, world.log.paid])
        some.length = 0;
    },
  };
};

export type Region = ReturnType<typeof createRegion>;
