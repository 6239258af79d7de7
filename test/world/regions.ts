import { parseIdentifier } from '../../lib/identifier.ts';
import { avatarOf } from '../../local/grid.ts';
import type { Clock } from '../../local/world/clock.ts';
import { createWorld, type Placement } from '../../local/world/world.ts';
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

/** L$ that a script gave away. `moved` stays undefined if the region died before the grid had the order. */
interface Giving {
  by: string;
  to: string;
  amount: number;
  moved?: boolean;
  /** The script did not hear how it ended. */
  isUnheard: boolean;
  isSeen: boolean;
}

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
  givings: [] as Giving[],
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
    transfer: (by, to, amount, answer) => {
      const giving: Giving = { by: by.body.id, to, amount, isUnheard: false, isSeen: false };
      grid.givings.push(giving);
      const life = lives.get(by);
      clock.after(actor.between(0.1, 2), () => {
        // An order that left the region before it died may be carried out all the same.
        if (life !== lives.get(by) && actor.chance(50)) return;
        const moved = book.move({ reason: 'back', from: by.body.owner, to, amount, of: by.body.id });
        giving.moved = moved !== undefined;
        clock.after(actor.between(0.1, 2), () => {
          if (life === lives.get(by)) answer(moved ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS');
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
    const order = before.get(placement);
    const { linksetData } = placement.body;
    if (order?.isGiven && ![...linksetData.keys()].some((key) => key.endsWith(order.deliveryId)))
      grid.unnoted.set(order.deliveryId, placement.body.id);
    before.delete(placement);
    forget(placement);
    placement.freeze(true);
    placement.body.loseConnections();
    placement.script.begin();
  };
  /** Requests and payments under way are answered to nobody. */
  const forget = (placement: Placement): void => {
    lives.set(placement, {});
    for (const giving of grid.givings) if (giving.by === placement.body.id && !giving.isSeen) giving.isUnheard = true;
  };

  return {
    name,
    world,
    placements,
    isDown: () => isDown,
    rez: (placed: Parameters<typeof world.rez>[0]): Placement => {
      const placement = world.rez(placed);
      placements.push(placement);
      lives.set(placement, {});
      return placement;
    },
    /** An avatar touches an object. */
    touch: (visitor: string, placement: Placement): void => {
      if (!isDown && !gone.has(placement)) placement.touch(visitor);
    },
    /** An avatar pays an object. False if it could not. */
    pay: (buyer: string, placement: Placement, amount: number): boolean => {
      if (isDown || gone.has(placement)) return false;
      const { owner, id } = placement.body;
      const paid = book.move({ reason: 'payment', from: buyer, to: owner, amount, of: id });
      if (!paid) return false;
      grid.unheard.set(paid.id, { vendor: id, buyer, amount });
      placement.script.send('money', buyer, amount, paid.id);
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
