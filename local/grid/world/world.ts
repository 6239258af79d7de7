import { newKey } from '../keys.ts';
import { Land, type Placement, type Surroundings } from './land.ts';
import type { Contents, Linkset, Prim } from './object.ts';
import { place, places } from './placement.ts';

/**
 * A made-up virtual world that runs the shipped scripts: avatars with L$, a region that gives out addresses and
 * restarts, objects with contents, chat, dialogs and payments.
 */

interface PlacedObject {
  owner: string;
  name: string;
  script: string;
  id?: string;
  /** The group to which it is set. */
  group?: string;
  /** The lines of each notecard. */
  notecards: Record<string, string[]>;
  items: { name: string; permissions?: number; type?: number; source?: string }[];
  /** Finds items that are not in the lists of contents. */
  contents?: Contents['find'];
}

const rez = (
  land: Land,
  { owner, name, script, notecards, items: others, contents, group = '', id = newKey() }: PlacedObject,
): Placement => {
  const scriptName = `${name}.lsl`;
  const items = [
    land.newItem(scriptName, { type: 10 }),
    ...Object.keys(notecards).map((card) => land.newItem(card, { type: 7 })),
    ...others.map((item) => land.newItem(item.name, item)),
  ];
  const all: Contents = {
    find: (item) => items.find((one) => one.name === item) ?? contents?.(item),
    list: () => items,
  };
  const linkset = land.newLinkset();
  const seen = { text: '', textures: new Map<number, string>() };
  const prim: Prim = { id, owner, isDeeded: false, group, name, contents: all, notecards, seen, linkset, pin: 0 };
  linkset.prims.push(prim);
  return place(land, { prim, items, scriptName, source: script });
};

/** Copies a prim with its contents into another linkset, and starts its scripts from the beginning. */
const copyPrim = (land: Land, prim: Prim, owner: string, linkset: Linkset): Placement[] => {
  const scripts = land.scriptsIn(prim);
  const items = [...(scripts[0]?.items() ?? [])];
  const contents: Contents = { find: (item) => items.find((one) => one.name === item), list: () => items };
  const seen = { text: prim.seen.text, textures: new Map(prim.seen.textures) };
  const notecards = { ...prim.notecards };
  const made: Prim = { ...prim, id: newKey(), owner, contents, notecards, seen, linkset };
  linkset.prims.push(made);
  return scripts.map((one) => {
    const { scriptName = '', source = '' } = places.get(one) ?? {};
    return place(land, { prim: made, items, scriptName, source });
  });
};

/**
 * Copies a whole object, as if it were dragged with the shift key or rezzed from the inventory. The copy has its own
 * prims and the same linkset data. Its scripts begin again. In the virtual world they continue, but all scripts of this
 * project reset themselves in `on_rez`, which comes next.
 */
const copy = (land: Land, original: Placement, owner: string): Placement[] => {
  const linkset = land.newLinkset();
  linkset.data.add(original.body.linksetData);
  linkset.payPrice = [...original.body.payPrice];
  const copies = original.body.prim.linkset.prims.flatMap((prim) => copyPrim(land, prim, owner, linkset));
  for (const { script } of copies) {
    script.send('on_rez', 0);
    if (owner !== original.body.owner) script.send('changed', 0x80);
  }
  return copies;
};

const link = (land: Land, placements: readonly Placement[]): void => {
  const linkset = land.newLinkset();
  linkset.payPrice = [...(placements[0]?.body.payPrice ?? [])];
  for (const { body } of placements) {
    const old = body.prim.linkset;
    linkset.data.add(old.data.pairs);
    for (const prim of old.prims) {
      prim.linkset = linkset;
      if (!linkset.prims.includes(prim)) linkset.prims.push(prim);
    }
  }
  for (const { script } of land.inLinkset(linkset)) script.send('changed', 0x20);
};

export const createWorld = (around: Surroundings) => {
  const land = new Land(around);
  const { log, balances, region, closed, groups, objects } = land;
  return {
    log,
    balances,
    region,
    closed,
    groups,
    rez: (placed: PlacedObject): Placement => rez(land, placed),
    copy: (original: Placement, owner = original.body.owner): Placement[] => copy(land, original, owner),
    /** Makes one object of the prims. The first is its root. Of linkset data with the same name, the root's stay. */
    link: (...placements: Placement[]): void => link(land, placements),
    /** The scripts that are in the prim now. */
    scriptsIn: ({ body }: Placement): Placement[] => land.scriptsIn(body.prim),
    restart: (): void => {
      land.start();
      for (const { body } of objects) body.loseConnections();
      for (const { script } of objects) script.send('changed', 0x400);
    },
    /** Saves the region while no script runs. The returned function restores it. Objects that came since stay. */
    save: (): (() => void) => {
      const saved = [...objects].map((one) => {
        const [script, body] = [one.script.save(), one.body.save()];
        return { one, script, body, items: [...one.items()], notecards: { ...one.body.prim.notecards } };
      });
      const memories = new Map(
        saved.map(({ one: { body } }) => [body.prim.linkset.data, body.prim.linkset.data.save()]),
      );
      return () => {
        land.start();
        for (const putBack of memories.values()) putBack();
        for (const { one, script, body, items, notecards } of saved) {
          if (!objects.has(one)) continue;
          script();
          body();
          one.items().splice(0, Number.POSITIVE_INFINITY, ...items);
          Object.assign(one.body.prim.notecards, notecards);
        }
        for (const { script } of objects) script.send('changed', 0x400);
      };
    },
    /** Passes a request from outside to the script with that address. */
    receive: (url: string, method: string, body: string, answer: (status: number, text: string) => void): void => {
      const placed = [...objects].find((one) => one.body.owns(url));
      if (placed) placed.body.receive(url, method, body, answer);
      else answer(404, 'cap not found');
    },
  };
};
