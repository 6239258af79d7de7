import { randomUUID } from 'node:crypto';
import { type RunningScript, startScript } from '../lsl/script.ts';
import { nullKey } from '../lsl/values.ts';
import { createBody } from './body.ts';
import { LinksetData } from './linkset.ts';
import { type Around, type Contents, type Item, type Linkset, type Prim, throttle } from './object.ts';

/**
 * A made-up virtual world, in which the shipped scripts run: avatars with L$, a region that gives out addresses and
 * restarts, objects with contents, chat, dialogs and payments.
 */

interface Surroundings extends Pick<Around, 'clock' | 'send'> {
  nameOf: Around['nameOf'];
  uuidOf: Around['uuidOf'];
  /** The address of a script's URL, which the way to `receive` leads through. */
  address?: (id: string) => string;
  /** False for an avatar who has left the region. */
  isPresent?: Around['isPresent'];
  /** Addresses that the region has. */
  urls?: number;
  /** False lets no script wait for what it does, except where it sleeps by itself. */
  delays?: boolean;
  /** In the place of the region's own answers, which come at once. */
  mayLookUp?: Around['mayLookUp'];
  lookUp?: Around['lookUp'];
  grantUrl?: Around['grantUrl'];
  mayRequest?: Around['mayRequest'];
  /** L$ that a script gives away, in the place of those of `balances`. */
  transfer?: (by: Placement, ...transfer: Parameters<Around['transfer']>) => void;
  onGive?: (to: string, item: Item, by: Placement) => void;
  onDialog?: (dialog: Dialog, by: Placement) => void;
  /** An event begins in a script. Its values may be followed by one more, which the script does not see. */
  onEvent?: (by: Placement, event: string, values: readonly unknown[]) => void;
  onMessage?: (to: string, text: string, by: Placement) => void;
  onSay?: (to: string | undefined, text: string, by: Placement) => void;
}

interface Placed {
  owner: string;
  name: string;
  script: string;
  id?: string;
  /** The lines of each notecard. */
  notecards: Record<string, string[]>;
  items: { name: string; permissions?: number; type?: number }[];
  /** Looks up the contents beside them. */
  contents?: Contents['find'];
}

interface Dialog {
  to: string;
  text: string;
  buttons: string[];
  /** An avatar presses a button, or writes into the box. */
  answer: (text: string) => void;
}

/** A script in a prim. Most objects are one prim with one script. */
export interface Placement {
  body: ReturnType<typeof createBody>;
  script: RunningScript;
  items: () => Item[];
  /** Avatars touch the prim: those of one moment are one event. */
  touch: (...avatars: string[]) => boolean;
  /** An avatar pays the object's owner. False if the avatar has not so much. The event names no transaction. */
  pay: (avatar: string, amount: number) => boolean;
  add: (item: { name: string; permissions?: number; type?: number }) => void;
  remove: (item: string) => void;
  /** An event reaches all scripts of the prim. */
  tell: (event: string, ...values: unknown[]) => boolean;
  /** Tells the script that its contents have changed. */
  changed: () => boolean;
  editNotecard: (card: string, lines: string[]) => void;
  /** The region stops to run the script, or goes on. */
  freeze: (on: boolean) => void;
  /** Another script comes into the prim. */
  drop: (name: string, source: string) => Placement;
  /** Takes the script out of the world, and its prim if no other script is in it. */
  take: () => void;
  /** The prim has this owner from now on, and so have those that are linked with it. */
  giveTo: (owner: string, isDeeded?: boolean) => void;
}

/** PERM_ALL: copy, modify and transfer. */
export const allPermissions = 0x7fffffff;

export const createWorld = (around: Surroundings) => {
  const { clock, delays = true, urls = 1000 } = around;
  const balances = new Map<string, number>();
  const objects = new Set<Placement>();
  /** All that anybody was told, given or asked, in its order. */
  const log = {
    said: [] as { from: string; to: string | undefined; channel: number; text: string }[],
    messages: [] as { to: string; text: string }[],
    given: [] as { to: string; item: string }[],
    dialogs: [] as Dialog[],
    errors: [] as string[],
    paid: [] as { from: string; to: string; amount: number }[],
  };
  const region = { name: 'Ahern', grid: 'agni', urlsLeft: urls, hasNoTransfers: false };
  const host = (): string => `simhost-1.${region.grid}.secondlife.io`;
  const address = around.address ?? ((id) => `https://${host()}:12043/cap/${id}`);
  const mayRequest = around.mayRequest ?? throttle(clock, 1000, 20);
  /** By owner: transfers of L$ of all that they own in the region. */
  const transfers = new Map<string, () => boolean>();
  /** Avatars whose account is closed: nobody can pay them. */
  const closed = new Set<string>();
  let lookUps = 20;
  let lookUpsAt = clock.now();

  const move = (from: string, to: string, amount: number): boolean => {
    if ((balances.get(from) ?? 0) < amount) return false;
    balances.set(from, (balances.get(from) ?? 0) - amount);
    balances.set(to, (balances.get(to) ?? 0) + amount);
    log.paid.push({ from, to, amount });
    return true;
  };
  const aroundOf = (placed: () => Placement): Around => ({
    clock,
    send: around.send,
    nameOf: around.nameOf,
    uuidOf: around.uuidOf,
    mayRequest,
    isPresent: around.isPresent ?? (() => true),
    mayTransfer: () => {
      const { owner } = placed().body;
      const may = transfers.get(owner) ?? throttle(clock, 30, 30);
      transfers.set(owner, may);
      return may();
    },
    region: () => region.name,
    host,
    // 20 at once and 1.9 a second for all scripts of one owner.
    mayLookUp:
      around.mayLookUp ??
      (() => {
        lookUps = Math.min(20, lookUps + ((clock.now() - lookUpsAt) / 1000) * 1.9);
        lookUpsAt = clock.now();
        if (lookUps < 1) return false;
        lookUps -= 1;
        return true;
      }),
    lookUp:
      around.lookUp ??
      ((kind, of, answer) => {
        // A UUID that is no avatar's is never answered.
        const found = kind === 'key' ? (around.uuidOf(of) ?? nullKey) : around.nameOf(of);
        if (found !== undefined) answer(found);
      }),
    grantUrl:
      around.grantUrl ??
      ((answer) => {
        if (region.urlsLeft < 1) return answer(undefined);
        region.urlsLeft -= 1;
        answer(address(randomUUID()));
      }),
    releaseUrl: () => {
      region.urlsLeft += 1;
    },
    give: (to, item) => {
      // An item that may not be copied goes itself.
      if ((item.permissions & 0x8000) === 0) placed().remove(item.name);
      log.given.push({ to, item: item.name });
      around.onGive?.(to, item, placed());
    },
    message: (to, text) => {
      log.messages.push({ to, text });
      around.onMessage?.(to, text, placed());
    },
    dialog: (to, text, buttons, channel) => {
      const answer = (chosen: string): void => {
        if (Number.isNaN(channel)) placed().body.grant(chosen === 'Allow' && to === placed().body.owner ? 2 : 0);
        else placed().body.hear(channel, around.nameOf(to) ?? '', to, chosen);
      };
      log.dialogs.push({ to, text, buttons, answer });
      around.onDialog?.({ to, text, buttons, answer }, placed());
    },
    say: (channel, text, to) => {
      log.said.push({ from: placed().body.name, to, channel, text });
      around.onSay?.(to, text, placed());
    },
    regionSay: (channel, text) => {
      for (const other of objects)
        if (other !== placed())
          clock.after(0, () => other.body.hear(channel, placed().body.name, placed().body.id, text));
    },
    transfer: (to, amount, answer) => {
      if (around.transfer) around.transfer(placed(), to, amount, answer);
      else if (region.hasNoTransfers) answer('TRANSFERS_DISABLED');
      else if (closed.has(to)) answer('LINDENDOLLAR_ENTITYDOESNOTEXIST');
      else answer(move(placed().body.owner, to, amount) ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS');
    },
    shout: (text) => void log.errors.push(`${placed().body.name}: ${text}`),
  });

  const scriptsIn = (prim: Prim): Placement[] => [...objects].filter(({ body }) => body.prim === prim);
  const inLinkset = ({ prims }: Linkset): Placement[] => prims.flatMap(scriptsIn);
  const createLinkset = (): Linkset => {
    const linkset: Linkset = {
      data: new LinksetData((...change) => {
        // An event begins once the one that made the change is over.
        clock.after(0, () => inLinkset(linkset).forEach(({ script }) => void script.send('linkset_data', ...change)));
      }),
      prims: [],
      mayRequest: throttle(clock, 25, 20),
    };
    return linkset;
  };
  const newItem = (name: string, more: Partial<Item> = {}): Item => ({
    ...{ name, type: 6, permissions: allPermissions, id: randomUUID(), since: new Date(clock.now()).toISOString() },
    ...more,
  });

  /** Puts a script into a prim and starts it. `source` is what a copy of the object runs. */
  const place = (prim: Prim, itemsNow: Item[], scriptName: string, source: string): Placement => {
    const body = createBody(
      { prim, scriptName, delays },
      aroundOf(() => placement),
      () => script,
    );
    const script = startScript(source, {
      functions: body.functions,
      waited: () => body.waited(),
      after: clock.after,
      onState: (isReset) => body.onState(isReset),
      onEvent: (event, values) => {
        body.onEvent(event, values);
        around.onEvent?.(placement, event, values);
      },
      onError: ({ message }) => void log.errors.push(`${prim.name}: ${message}`),
    });
    const tell = (event: string, ...values: unknown[]): boolean =>
      scriptsIn(prim)
        .map((one) => one.script.send(event, ...values))
        .includes(true);
    const placement: Placement = {
      body,
      script,
      items: () => itemsNow,
      tell,
      touch: (...avatars) => tell('touch_start', avatars.length, avatars),
      pay: (avatar, amount) => {
        const isPaid = move(avatar, prim.owner, amount);
        if (isPaid) tell('money', avatar, amount);
        return isPaid;
      },
      add: ({ name, ...more }) => void itemsNow.push(newItem(name, more)),
      remove: (item) => {
        const index = itemsNow.findIndex((one) => one.name === item);
        if (index >= 0) itemsNow.splice(index, 1);
      },
      changed: () => tell('changed', 1),
      editNotecard: (card, lines) => {
        prim.notecards[card] = lines;
        placement.remove(card);
        itemsNow.push(newItem(card, { type: 7 }));
        tell('changed', 1);
      },
      freeze: (on) => script.freeze(on),
      drop: (name, dropped) => {
        itemsNow.push(newItem(name, { type: 10 }));
        const other = place(prim, itemsNow, name, dropped);
        tell('changed', 1);
        return other;
      },
      take: () => {
        script.end();
        body.loseConnections();
        objects.delete(placement);
        placement.remove(scriptName);
        if (scriptsIn(prim).length === 0) unlink(prim);
        else tell('changed', 1);
      },
      giveTo: (owner, isDeeded = false) => {
        for (const one of inLinkset(prim.linkset)) {
          Object.assign(one.body.prim, { owner, isDeeded });
          one.body.forgetPermissions();
          one.script.send('changed', 0x80);
        }
      },
    };
    sources.set(placement, { source, scriptName });
    objects.add(placement);
    script.begin();
    return placement;
  };
  const sources = new WeakMap<Placement, { source: string; scriptName: string }>();

  const unlink = (prim: Prim): void => {
    const { prims } = prim.linkset;
    prims.splice(prims.indexOf(prim), 1);
  };

  const rez = ({ owner, name, script, notecards, items, contents, id = randomUUID() }: Placed): Placement => {
    const scriptName = `${name}.lsl`;
    const itemsNow = [
      newItem(scriptName, { type: 10 }),
      ...Object.keys(notecards).map((card) => newItem(card, { type: 7 })),
      ...items.map((item) => newItem(item.name, item)),
    ];
    const all: Contents = {
      find: (item) => itemsNow.find((one) => one.name === item) ?? contents?.(item),
      list: () => itemsNow,
    };
    const linkset = createLinkset();
    const seen = { text: '', payPrice: [], textures: new Map<number, string>() };
    const prim: Prim = { id, owner, isDeeded: false, name, contents: all, notecards, seen, linkset };
    linkset.prims.push(prim);
    return place(prim, itemsNow, scriptName, script);
  };

  /**
   * A copy of the whole object with prims of its own, as one that was dragged with the shift key or rezzed from the
   * inventory. Its memory goes along. Its scripts begin anew, where the virtual world lets them go on: all that this
   * project ships reset themselves in `on_rez`, which comes next.
   */
  const copy = (original: Placement, owner = original.body.owner): Placement[] => {
    const linkset = createLinkset();
    linkset.data.add(original.body.linksetData);
    const copies = original.body.prim.linkset.prims.flatMap((prim) => {
      const scripts = scriptsIn(prim);
      const itemsNow = [...(scripts[0]?.items() ?? [])];
      const all: Contents = { find: (item) => itemsNow.find((one) => one.name === item), list: () => itemsNow };
      const seen = { text: prim.seen.text, payPrice: [...prim.seen.payPrice], textures: new Map(prim.seen.textures) };
      const notecards = { ...prim.notecards };
      const made: Prim = { ...prim, id: randomUUID(), owner, contents: all, notecards, seen, linkset };
      linkset.prims.push(made);
      return scripts.map((one) => {
        const { scriptName = '', source = '' } = sources.get(one) ?? {};
        return place(made, itemsNow, scriptName, source);
      });
    });
    for (const { script } of copies) {
      script.send('on_rez', 0);
      if (owner !== original.body.owner) script.send('changed', 0x80);
    }
    return copies;
  };
  return {
    log,
    balances,
    region,
    closed,
    rez,
    copy,
    /** Makes one object of the prims. The first is its root, whose memory prevails. */
    link: (...placements: Placement[]): void => {
      const linkset = createLinkset();
      for (const { body } of placements) {
        const old = body.prim.linkset;
        linkset.data.add(old.data.pairs);
        for (const prim of old.prims) {
          prim.linkset = linkset;
          if (!linkset.prims.includes(prim)) linkset.prims.push(prim);
        }
      }
      for (const { script } of inLinkset(linkset)) script.send('changed', 0x20);
    },
    /** The region restarts. */
    restart: (): void => {
      for (const { body } of objects) body.loseConnections();
      for (const { script } of objects) script.send('changed', 0x400);
    },
    /** A request from outside to the address of a script. */
    receive: (url: string, method: string, body: string, answer: (status: number, text: string) => void): void => {
      const placed = [...objects].find((one) => one.body.owns(url));
      if (placed) placed.body.receive(url, method, body, answer);
      else answer(404, 'cap not found');
    },
  };
};
