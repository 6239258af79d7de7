import type { Sources } from './mall.ts';

/**
 * Faults to plant into the shipped scripts. `npm run world -- --plant <name>` must find each: docs/evidence/README.md.
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
    from: '"X" + value);',
    to: '"S" + value);',
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
    from: 'keep(formerName(), "F" + former);',
    to: '',
  },
  'answers one of two who touch it': {
    script: 'vendor',
    from: 'for (i = 0; i < count; ++i) touched(',
    to: 'for (i = 0; i < 1; ++i) touched(',
  },
  'sleeps while anything is open': {
    script: 'vendor',
    from: '(gOpen > 0 || gOther > 0 || gBuyer != NULL_KEY || gChangesAt != "")) pause = TICK;',
    to: '(gBuyer != NULL_KEY || gChangesAt != "")) pause = TICK;',
  },
  'cashier pays twice': {
    script: 'cashier',
    from: '    gTransaction = llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));',
    to: '    llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));\n    gTransaction = llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));',
  },
  'cashier pays the wrong payee': {
    script: 'cashier',
    from: 'llTransferLindenDollars((key)payeeOf(gValue)',
    to: 'llTransferLindenDollars(gOwner',
  },
  'cashier forgets after its death': {
    script: 'cashier',
    from: 'else if (llGetSubString(entry, KIND, KIND) == "n") ++gOpen;',
    to: '',
  },
  'cashier pays again after its death': {
    script: 'cashier',
    from: '            doubt(note, payoutOf(value), whatOf(value), BEFORE);\n            return note;',
    to: '            gLive = note;\n            gValue = "P" + (string)now + restOf(value);\n            gPayAt = 0;\n            gPayDay = today();',
  },
  'keeps an address that died': {
    script: 'dispenser',
    from: '    gUrlRequest = llRequestSecureURL();\n}',
    to: '    if (gUrl == "") gUrlRequest = llRequestSecureURL();\n    else register();\n}',
  },
};

/** Faults to plant into the code of the service. */
export const plantedInService: Readonly<Record<string, { file: string; from: string; to: string }>> = {
  'waits for a queue that hangs': {
    file: 'lib/delivery/queue.ts',
    from: 'const bounded = () => ({ abortSignal: AbortSignal.timeout(sendMillis) });',
    to: 'const bounded = () => ({});',
  },
};

const planting = (text: string, { from, to }: { from: string; to: string }, place: string): string => {
  if (!text.includes(from)) throw new Error(`${place} has no place for the fault: ${from}`);
  return text.replace(from, to);
};

/** The code of a module of the service with that fault in it; undefined for one that stays as it is. */
export const plantInService = (name: string, url: string, textOf: () => string): string | undefined => {
  const fault = plantedInService[name];
  return fault && url.endsWith(`/${fault.file}`) ? planting(textOf(), fault, fault.file) : undefined;
};

/** The scripts with that fault in them, as they are where it is one of the service. */
export const plant = (sources: Sources, name: string): Sources => {
  if (plantedInService[name]) return sources;
  const fault = planted[name];
  const names = [...Object.keys(planted), ...Object.keys(plantedInService)];
  if (!fault) throw new Error(`There is no fault "${name}" to plant: ${names.join(', ')}.`);
  const { script } = fault;
  return { ...sources, [script]: planting(sources[script], fault, `${script}.lsl`) };
};
