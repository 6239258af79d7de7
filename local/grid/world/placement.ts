import { startScript } from '../lsl/script.ts';
import { aroundOf } from './around.ts';
import { createBody } from './body.ts';
import type { Land, Placement } from './land.ts';
import type { Item, Prim } from './object.ts';

/** Puts scripts into prims. */

/** A script, with its prim and the prim's contents. */
interface ScriptSetting {
  prim: Prim;
  items: Item[];
  scriptName: string;
  /** The source, which a copy of the object runs too. */
  source: string;
}

/** The setting of each placed script, for making copies. */
export const places = new WeakMap<Placement, ScriptSetting>();

/** Makes the state of a script, and compiles the script. */
const start = (land: Land, { prim, scriptName, source }: ScriptSetting, placed: () => Placement) => {
  const body = createBody(
    { prim, scriptName, delays: land.around.delays ?? true },
    { ...aroundOf(land, placed), loadScript: (...load) => loadScript(land, placed(), ...load) },
    () => script,
  );
  const script = startScript(source, {
    functions: body.functions,
    waited: () => body.waited(),
    after: land.clock.after,
    onState: (isReset) => body.onState(isReset),
    onEvent: (event, values) => {
      body.onEvent(event, values);
      land.around.onEvent?.(placed(), event, values);
    },
    onError: ({ message }) => void land.log.errors.push(`${prim.name}: ${message}`),
  });
  return { body, script };
};

/** The acts of avatars with the contents of a prim. */
const handling = (land: Land, { prim, items }: ScriptSetting, tell: Placement['tell']) => {
  const remove = (item: string): void => {
    const index = items.findIndex((one) => one.name === item);
    if (index >= 0) items.splice(index, 1);
  };
  return {
    items: () => items,
    add: ({ name, ...more }: { name: string }) => void items.push(land.newItem(name, more)),
    remove,
    editNotecard: (card: string, lines: string[]) => {
      prim.notecards[card] = lines;
      remove(card);
      items.push(land.newItem(card, { type: 7 }));
      tell('changed', 1);
    },
    drop: (name: string, dropped: string) => {
      items.push(land.newItem(name, { type: 10 }));
      const other = place(land, { prim, items, scriptName: name, source: dropped });
      tell('changed', 1);
      return other;
    },
  };
};

const unlink = (prim: Prim): void => {
  const { prims } = prim.linkset;
  prims.splice(prims.indexOf(prim), 1);
};

/** A script takes the place of another of its name, which ends at once, and begins. */
const replace = (land: Land, old: Placement, source: string): void => {
  const at = places.get(old);
  if (!at) return;
  old.script.end();
  old.body.loseConnections();
  land.objects.delete(old);
  place(land, { ...at, source });
};

/**
 * Puts a script from one prim's contents into another prim. It replaces the script of the same name, if there is one.
 * False without the other prim's pin, for another owner, and for a script that the contents do not have.
 */
const loadScript = (land: Land, from: Placement, prim: string, name: string, pin: number): boolean => {
  const [there] = [...land.objects].filter(({ body }) => body.id === prim);
  const source = from.items().find((item) => item.name === name)?.source;
  if (!there || source === undefined || pin === 0 || there.body.prim.pin !== pin) return false;
  if (there.body.owner !== from.body.owner) return false;
  const old = land.scriptsIn(there.body.prim).find(({ body }) => body.scriptName === name);
  if (old) replace(land, old, source);
  else there.drop(name, source);
  return true;
};

/** Puts a script into a prim and starts it. */
export const place = (land: Land, at: ScriptSetting): Placement => {
  const { prim, scriptName } = at;
  const { body, script } = start(land, at, () => placement);
  const tell = (event: string, ...values: unknown[]): boolean =>
    land
      .scriptsIn(prim)
      .map((one) => one.script.send(event, ...values))
      .includes(true);
  /** The prim's scripts that handle this event of an avatar; else it goes to the root of the object. */
  const receivers = (event: string): Placement[] => {
    const own = land.scriptsIn(prim).filter((one) => one.script.handles(event));
    return own.length > 0 ? own : land.scriptsIn(prim.linkset.prims[0] ?? prim);
  };
  const placement: Placement = {
    ...handling(land, at, tell),
    body,
    script,
    tell,
    touch: (...avatars) =>
      (land.around.collapsesTouches === true && script.awaits('touch_start')) ||
      receivers('touch_start')
        .map((one) => one.script.send('touch_start', avatars.length, avatars, prim))
        .includes(true),
    pay: (avatar, amount) => {
      const isPaid = land.move(avatar, prim.owner, amount);
      if (isPaid) for (const one of receivers('money')) one.script.send('money', avatar, amount);
      return isPaid;
    },
    changed: () => tell('changed', 1),
    freeze: (on) => script.freeze(on),
    take: () => {
      script.end();
      body.loseConnections();
      land.objects.delete(placement);
      placement.remove(scriptName);
      if (land.scriptsIn(prim).length === 0) unlink(prim);
      else tell('changed', 1);
    },
    giveTo: (owner, isDeeded = false) => {
      for (const one of land.inLinkset(prim.linkset)) {
        Object.assign(one.body.prim, { owner, isDeeded });
        one.body.forgetPermissions();
        one.script.send('changed', 0x80);
      }
    },
  };
  places.set(placement, at);
  land.objects.add(placement);
  script.begin();
  return placement;
};
