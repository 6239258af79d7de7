/**
 * Faults to plant into the shipped scripts and the service. `npm run world -- --plant <name>` must find each:
 * docs/evidence/world.md.
 */
export const planted: Readonly<Record<string, { file: string; from: string; to: string }>> = {
  'pays what is not protected': {
    file: 'apps/inworld/vendor.lsl',
    from: '    if (llLinksetDataRead(entry)) return "";\n',
    to: '',
  },
  'takes what neighbours keep': {
    file: 'apps/inworld/vendor.lsl',
    from: 'return OPEN + (string)llGetKey() + ":";',
    to: 'return OPEN;',
  },
  'pays what another prim noted': {
    file: 'apps/inworld/vendor.lsl',
    from: 'if (stage != "D") value = "X" +',
    to: 'if (stage != "D") value = "S" +',
  },
  'pays in place of the former owner': {
    file: 'apps/inworld/vendor.lsl',
    from: 'gPass = llHMAC(gKey, (string)gOwner, "sha256");',
    to: 'gPass = llHMAC(gKey, "anybody", "sha256");',
  },
  'shares its prim with another script': {
    file: 'apps/inworld/vendor.lsl',
    from: 'gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;',
    to: 'gAlone = TRUE;',
  },
  'pays again after a doubt': {
    file: 'apps/inworld/vendor.lsl',
    from: 'else if (llListFindList(["',
    to: 'else if (llListFindList(["EXPIRED", "SERVICE_ERROR", "LINDENDOLLAR_BADCLOCKSKEW", "',
  },
  'waits for a result that never comes': {
    file: 'apps/inworld/vendor.lsl',
    from: 'now - gPayAt > PATIENCE) doubt(',
    to: 'FALSE) doubt(',
  },
  'does not tell that its memory was erased': {
    file: 'apps/inworld/vendor.lsl',
    from: 'complain("another script has erased',
    to: 'if (FALSE) complain("another script has erased',
  },
  'forgets the former key': {
    file: 'apps/inworld/vendor.lsl',
    from: 'keep(note, "F" + former);',
    to: '',
  },
  'answers one of two who touch it': {
    file: 'apps/inworld/vendor.lsl',
    from: 'for (i = 0; i < count; ++i)\n            touched(',
    to: 'for (i = 0; i < 1; ++i)\n            touched(',
  },
  'sleeps while anything is open': {
    file: 'apps/inworld/vendor.lsl',
    from: '(gOpen > 0 || gOther > 0 || gBuyer',
    to: '(gBuyer',
  },
  'pays again what it paid before its region came back': {
    file: 'apps/inworld/vendor.lsl',
    from: 'if (llGetSubString(owed, -10, -1) != llGetEnv("region_start_time"))',
    to: 'if (FALSE)',
  },
  'sells another product than an arrow shows': {
    file: 'apps/inworld/vendor.lsl',
    from: 'gProduct = gWanted;',
    to: 'gWanted = gProduct;',
  },
  'waits for a line of its notecard that never comes': {
    file: 'apps/inworld/vendor.lsl',
    from: '        if (gLineQuery)\n',
    to: '        if (FALSE)\n',
  },
  'cashier pays twice': {
    file: 'apps/inworld/cashier.lsl',
    from: '    gTransaction = llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));',
    to: '    llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));\n    gTransaction = llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));',
  },
  'cashier pays the wrong payee': {
    file: 'apps/inworld/cashier.lsl',
    from: 'llTransferLindenDollars((key)payeeOf(gValue)',
    to: 'llTransferLindenDollars(gOwner',
  },
  'cashier forgets after its death': {
    file: 'apps/inworld/cashier.lsl',
    from: 'else if (llGetSubString(entry, KIND, KIND) == "n") ++gOpen;',
    to: '',
  },
  'cashier pays again after its death': {
    file: 'apps/inworld/cashier.lsl',
    from: '            doubt(note, payoutOf(value), whatOf(value), BEFORE);\n            return note;',
    to: '            gLive = note;\n            gValue = "P" + (string)now + restOf(value);\n            gPayAt = 0;\n            gPayDay = today();',
  },
  'tells its owner the link to a page': {
    file: 'apps/inworld/terminal.lsl',
    from: '    llLoadURL(gWho, gAnswer, link);',
    to: '    llLoadURL(gWho, gAnswer, link);\n    complain(link);',
  },
  'keeps the link to a page': {
    file: 'apps/inworld/terminal.lsl',
    from: '    llLoadURL(gWho, gAnswer, link);',
    to: '    llLoadURL(gWho, gAnswer, link);\n    gOdd = link;',
  },
  'a page goes on after its end': {
    file: 'lib/store/pages.ts',
    from: "missing('endedAt'), above(",
    to: 'above(',
  },
  'keeps an address that died': {
    file: 'apps/inworld/dispenser.lsl',
    from: '    gUrlRequest = llRequestSecureURL();\n}',
    to: '    if (gUrl == "") gUrlRequest = llRequestSecureURL();\n    else register();\n}',
  },
  'waits for a queue that hangs': {
    file: 'lib/delivery/queue.ts',
    from: 'const bounded = () => ({ abortSignal: AbortSignal.timeout(sendMillis) });',
    to: 'const bounded = () => ({});',
  },
};

/** The text of a project file with the fault in it. Only one file has the fault. */
export const plant = (name: string, file: string, text: string): string => {
  const fault = planted[name];
  if (!fault || !file.endsWith(`/${fault.file}`)) return text;
  if (!text.includes(fault.from)) throw new Error(`${fault.file} has no place for the fault: ${fault.from}`);
  return text.replace(fault.from, fault.to);
};
