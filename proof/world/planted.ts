import type { Sources } from './mall.ts';

/**
 * Faults to plant into the shipped scripts. `npm run world -- --plant <name>` must find each: docs/evidence/world.md.
 */

interface Planted {
  script: keyof Sources;
  from: string;
  to: string;
}

export const planted: Readonly<Record<string, Planted>> = {
  'pays what is not protected': {
    script: 'vendor',
    from: '    if (llLinksetDataRead(entry) != "") return "";\n',
    to: '',
  },
  'takes what neighbours keep': {
    script: 'vendor',
    from: 'return OPEN + (string)llGetKey() + ":";',
    to: 'return OPEN;',
  },
  'pays what another prim noted': {
    script: 'vendor',
    from: '"X" + value);\n                if (isDone) ++gOpen;',
    to: '"S" + value);\n                if (isDone) ++gOpen;',
  },
  'pays in place of the former owner': {
    script: 'vendor',
    from: 'gPass = llHMAC(gKey, (string)gOwner, "sha256");',
    to: 'gPass = llHMAC(gKey, "anybody", "sha256");',
  },
  'shares its prim with another script': {
    script: 'vendor',
    from: 'gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;',
    to: 'gAlone = TRUE;',
  },
  'pays again after a doubt': {
    script: 'vendor',
    from: 'else if (data != "" && llSubStringIndex("',
    to: 'else if (data != "" && llSubStringIndex("EXPIRED SERVICE_ERROR LINDENDOLLAR_BADCLOCKSKEW ',
  },
  'waits for a result that never comes': {
    script: 'vendor',
    from: 'now - gPayAt > PATIENCE) doubt(',
    to: 'FALSE) doubt(',
  },
  'does not tell that its memory was erased': {
    script: 'vendor',
    from: 'if (gOpen > 0) complain("another script has erased',
    to: 'if (FALSE) complain("another script has erased',
  },
  'forgets the former key': {
    script: 'vendor',
    from: 'else keep(formerName(), "F" + gFormer);',
    to: '',
  },
  'answers one of two who touch it': {
    script: 'vendor',
    from: 'for (i = 0; i < count; ++i) touched(',
    to: 'for (i = 0; i < 1; ++i) touched(',
  },
  'sleeps while anything is open': {
    script: 'vendor',
    from: 'if (gOpen > 0 || gOther > 0 || gBuyer != NULL_KEY || !gReady) llSetTimerEvent(TICK);',
    to: 'if (gBuyer != NULL_KEY || !gReady) llSetTimerEvent(TICK);',
  },
  'keeps an address that died': {
    script: 'dispenser',
    from: '    gUrlRequest = llRequestSecureURL();\n}',
    to: '    if (gUrl == "") gUrlRequest = llRequestSecureURL();\n    else register();\n}',
  },
};

/** The scripts with that fault in them. */
export const plant = (sources: Sources, name: string): Sources => {
  const fault = planted[name];
  if (!fault) throw new Error(`There is no fault "${name}" to plant: ${Object.keys(planted).join(', ')}.`);
  const { script, from, to } = fault;
  if (!sources[script].includes(from)) throw new Error(`${script}.lsl has no place for the fault "${name}".`);
  return { ...sources, [script]: sources[script].replace(from, to) };
};
