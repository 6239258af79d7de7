import { newKey } from '../keys.ts';
import type { RunningScript } from '../lsl/script.ts';
import type { createBody } from './body.ts';
import { LinksetData } from './linkset.ts';
import { type Item, type Linkset, type Prim, throttle, type WorldView } from './object.ts';

/**
 * Everything that all objects of a world share: avatars' L$, the region with its limits, and a log of words and gifts.
 */

export interface Surroundings extends Pick<WorldView, 'clock' | 'send'> {
  nameOf: WorldView['nameOf'];
  uuidOf: WorldView['uuidOf'];
  /** Returns the address for a script's URL. Pass requests to that address to `receive`. */
  address?: (id: string) => string;
  /** False for an avatar who has left the region. */
  isPresent?: WorldView['isPresent'];
  /** The number of addresses that the region can give out. */
  urls?: number;
  /** If false, no function makes a script wait, except llSleep. */
  delays?: boolean;
  /** These three replace the region's own answers, which come at once. */
  mayLookUp?: WorldView['mayLookUp'];
  lookUp?: WorldView['lookUp'];
  grantUrl?: WorldView['grantUrl'];
  /** False for a line of a notecard that never comes. */
  bringsLine?: WorldView['bringsLine'];
  /** False for a line of a notecard that the region had at hand and has dropped. */
  keepsLine?: WorldView['keepsLine'];
  mayRequest?: WorldView['mayRequest'];
  /** Replaces the transfers of a script's L$ between `balances`. */
  transfer?: (by: Placement, ...transfer: Parameters<WorldView['transfer']>) => void;
  /** False for a gift that the avatar declines or has no room for, or whose giver they have muted. */
  takesGift?: (to: string, item: Item, by: Placement) => boolean;
  /** If true, a touch joins one that already waits for the script. Only old documents say so. */
  collapsesTouches?: boolean;
  onGive?: (to: string, item: Item, by: Placement) => void;
  onDialog?: (dialog: Dialog, by: Placement) => void;
  /** Called when an event begins in a script. A further value, which the script does not see, may follow. */
  onEvent?: (by: Placement, event: string, values: readonly unknown[]) => void;
  onMessage?: (to: string, text: string, by: Placement) => void;
  /** Called for a window that offers to open an address. */
  onPage?: (to: string, url: string, by: Placement) => void;
  onSay?: (to: string | undefined, text: string, by: Placement) => void;
}

interface Dialog {
  to: string;
  text: string;
  buttons: string[];
  /** Presses a button, or writes into the box, as the avatar. */
  answer: (text: string) => void;
}

/** A script in a prim. Most objects are one prim with one script. */
export interface Placement {
  body: ReturnType<typeof createBody>;
  script: RunningScript;
  items: () => Item[];
  /** Lets avatars touch the prim. Touches of one moment are one event. */
  touch: (...avatars: string[]) => boolean;
  /**
   * Lets an avatar pay the object's owner. False if the avatar does not have enough. The event names no transaction.
   */
  pay: (avatar: string, amount: number) => boolean;
  add: (item: { name: string; permissions?: number; type?: number }) => void;
  remove: (item: string) => void;
  /** Sends an event to all scripts of the prim. */
  tell: (event: string, ...values: unknown[]) => boolean;
  /** Tells the script that its contents have changed. */
  changed: () => boolean;
  editNotecard: (card: string, lines: string[]) => void;
  /** Stops the script as a region may, or lets it continue. */
  freeze: (on: boolean) => void;
  /** Puts another script into the prim. */
  drop: (name: string, source: string) => Placement;
  /** Removes the script from the world, and its prim if no other script is in it. */
  take: () => void;
  /** Gives the prim, and all prims that are linked with it, to another owner. */
  giveTo: (owner: string, isDeeded?: boolean) => void;
}

/** PERM_ALL: copy, modify and transfer. */
export const allPermissions = 0x7fffffff;

/** Everything that anybody was told, given, asked or paid, in order. */
const newLog = () => ({
  said: [] as { from: string; to: string | undefined; channel: number; text: string }[],
  messages: [] as { to: string; text: string }[],
  given: [] as { to: string; item: string }[],
  dialogs: [] as Dialog[],
  pages: [] as { to: string; text: string; url: string }[],
  errors: [] as string[],
  paid: [] as { from: string; to: string; amount: number }[],
});

export class Land {
  readonly around: Surroundings;
  readonly clock: Surroundings['clock'];
  readonly log = newLog();
  readonly balances = new Map<string, number>();
  readonly objects = new Set<Placement>();
  readonly region: { name: string; grid: string; urlsLeft: number; hasNoTransfers: boolean };
  /** Avatars with a closed account, whom nobody can pay. */
  readonly closed = new Set<string>();
  /** The group whose tag each avatar wears. */
  readonly groups = new Map<string, string>();
  readonly mayRequest: WorldView['mayRequest'];
  /** The limits by action and owner. Each is for everything that the owner has in the region. */
  readonly #limits = new Map<string, () => boolean>();
  /** When the region last started. */
  startedAt: number;
  /** The notecards from which the region has brought a line since then. */
  atHand = new WeakSet<readonly string[]>();
  #lookUps = 20;
  #lookUpsAt: number;

  constructor(around: Surroundings) {
    this.around = around;
    this.clock = around.clock;
    this.region = { name: 'Ahern', grid: 'agni', urlsLeft: around.urls ?? 1000, hasNoTransfers: false };
    this.mayRequest = around.mayRequest ?? throttle(around.clock, 1000, 20);
    this.startedAt = around.clock.now();
    this.#lookUpsAt = around.clock.now();
  }

  start(): void {
    this.startedAt = this.clock.now();
    this.atHand = new WeakSet();
  }

  host(): string {
    return `simhost-1.${this.region.grid}.secondlife.io`;
  }

  newUrl(): string {
    const id = newKey();
    return this.around.address?.(id) ?? `https://${this.host()}:12043/cap/${id}`;
  }

  move(from: string, to: string, amount: number): boolean {
    if ((this.balances.get(from) ?? 0) < amount) return false;
    this.balances.set(from, (this.balances.get(from) ?? 0) - amount);
    this.balances.set(to, (this.balances.get(to) ?? 0) + amount);
    this.log.paid.push({ from, to, amount });
    return true;
  }

  /** False if the owner's scripts have done this more often than `most` in these seconds. */
  may(what: string, owner: string, most: number, seconds: number): boolean {
    const may = this.#limits.get(`${what} ${owner}`) ?? throttle(this.clock, most, seconds);
    this.#limits.set(`${what} ${owner}`, may);
    return may();
  }

  /** 20 at once and 1.9 a second for all scripts here. The platform counts each owner's. */
  mayLookUp(): boolean {
    this.#lookUps = Math.min(20, this.#lookUps + ((this.clock.now() - this.#lookUpsAt) / 1000) * 1.9);
    this.#lookUpsAt = this.clock.now();
    if (this.#lookUps < 1) return false;
    this.#lookUps -= 1;
    return true;
  }

  scriptsIn(prim: Prim): Placement[] {
    return [...this.objects].filter(({ body }) => body.prim === prim);
  }

  inLinkset({ prims }: Linkset): Placement[] {
    return prims.flatMap((prim) => this.scriptsIn(prim));
  }

  newLinkset(): Linkset {
    const linkset: Linkset = {
      data: new LinksetData((...change) => {
        // The event must begin after the event that made the change has ended.
        this.clock.after(0, () => {
          for (const { script } of this.inLinkset(linkset)) script.send('linkset_data', ...change);
        });
      }),
      prims: [],
      payPrice: [],
      mayRequest: throttle(this.clock, 25, 20),
    };
    return linkset;
  }

  newItem(name: string, more: Partial<Item> = {}): Item {
    const since = new Date(this.clock.now()).toISOString();
    return { name, type: 6, permissions: allPermissions, id: newKey(), since, ...more };
  }
}
