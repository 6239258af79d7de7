import { randomUUID } from 'node:crypto';
import { startScript } from '../lsl/script.ts';
import { nullKey } from '../lsl/values.ts';
import { type Around, type Contents, createBody, type Item, throttle } from './object.ts';

/**
 * A made-up virtual world, in which the shipped scripts run: avatars with L$, a region that gives out addresses and
 * restarts, objects with contents, chat, dialogs and payments.
 */

interface Surroundings extends Pick<Around, 'clock' | 'send'> {
  nameOf: Around['nameOf'];
  uuidOf: Around['uuidOf'];
  /** The address of a script's URL, which the way to `receive` leads through. */
  address?: (id: string) => string;
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

/** An object in a world, with its script. */
export interface Placement {
  body: ReturnType<typeof createBody>;
  script: ReturnType<typeof startScript>;
  items: () => Item[];
  touch: (avatar: string) => boolean;
  /** An avatar pays the object's owner. False if the avatar has not so much. The event names no transaction. */
  pay: (avatar: string, amount: number) => boolean;
  add: (item: { name: string; permissions?: number; type?: number }) => void;
  remove: (item: string) => void;
  /** Tells the script that its contents have changed. */
  changed: () => boolean;
  editNotecard: (card: string, lines: string[]) => void;
  /** The region stops to run the script, or goes on. */
  freeze: (on: boolean) => void;
  /** Takes the object out of the world. */
  take: () => void;
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
  const region = { name: 'Ahern', grid: 'agni', urlsLeft: urls };
  const host = (): string => `simhost-1.${region.grid}.secondlife.io`;
  const address = around.address ?? ((id) => `https://${host()}:12043/cap/${id}`);
  const mayRequest = around.mayRequest ?? throttle(clock, 1000, 20);
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
    transfer: (to, amount, answer) =>
      around.transfer
        ? around.transfer(placed(), to, amount, answer)
        : answer(move(placed().body.owner, to, amount) ? undefined : 'LINDENDOLLAR_INSUFFICIENTFUNDS'),
    shout: (text) => void log.errors.push(`${placed().body.name}: ${text}`),
  });

  const rez = ({ owner, name, script: source, notecards, items, contents, id = randomUUID() }: Placed) => {
    const itemsNow: Item[] = [
      { name: `${name}.lsl`, type: 10, permissions: allPermissions, id: randomUUID() },
      ...Object.keys(notecards).map((card) => ({ name: card, type: 7, permissions: allPermissions, id: randomUUID() })),
      ...items.map((item) => ({ type: 6, permissions: allPermissions, id: randomUUID(), ...item })),
    ];
    const all: Contents = {
      find: (item) => itemsNow.find((one) => one.name === item) ?? contents?.(item),
      list: () => itemsNow,
    };
    const body = createBody(
      { id, owner, name, contents: all, notecards: (card) => notecards[card], delays },
      aroundOf(() => placement),
      () => script,
    );
    const script = startScript(source, {
      ...body,
      after: clock.after,
      onEvent: (event, values) => {
        body.onEvent(event, values);
        around.onEvent?.(placement, event, values);
      },
      onError: ({ message }) => void log.errors.push(`${name}: ${message}`),
    });
    const placement: Placement = {
      body,
      script,
      items: () => itemsNow,
      touch: (avatar: string) => script.send('touch_start', 1, avatar),
      pay: (avatar: string, amount: number): boolean => {
        const isPaid = move(avatar, owner, amount);
        if (isPaid) script.send('money', avatar, amount);
        return isPaid;
      },
      add: (item: { name: string; permissions?: number; type?: number }): void => {
        itemsNow.push({ type: 6, permissions: allPermissions, id: randomUUID(), ...item });
      },
      remove: (item: string): void => {
        const place = itemsNow.findIndex((one) => one.name === item);
        if (place >= 0) itemsNow.splice(place, 1);
      },
      changed: () => script.send('changed', 1),
      editNotecard: (card: string, lines: string[]): void => {
        notecards[card] = lines;
        placement.remove(card);
        itemsNow.push({ name: card, type: 7, permissions: allPermissions, id: randomUUID() });
        script.send('changed', 1);
      },
      freeze: script.freeze,
      take: (): void => {
        script.end();
        body.loseConnections();
        objects.delete(placement);
      },
    };
    objects.add(placement);
    script.begin();
    return placement;
  };
  return {
    log,
    balances,
    region,
    rez,
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
