import { expect, test } from 'vitest';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';

/** Linked prims share a memory, which copies take along. Objects change their owner. L$ may be refused. */

const owner = '11111111-2222-3333-4444-555555555555';
const ada = '22222222-2222-3333-4444-555555555555';
const bo = '33333333-2222-3333-4444-555555555555';

const start = () => {
  const clock = virtualClock(1_900_000_000_000);
  const world = createWorld({ clock, nameOf: () => undefined, uuidOf: () => undefined, send: () => undefined });
  const rez = (statements: string, more = '') =>
    world.rez({
      ...{ owner, name: 'prim', notecards: {}, items: [] },
      script: `default { state_entry() { ${statements} } ${more} }`,
    });
  const said = () => {
    clock.advance(0);
    return world.log.said.splice(0).map(({ text }) => text);
  };
  return { clock, world, rez, said };
};

test('protected pairs are read, written and deleted with their pass alone, and take 32 bytes more', () => {
  const { rez, said } = start();

  rez(`integer free = llLinksetDataAvailable();
    list all = [llLinksetDataWriteProtected("a", "1", "p"), free - llLinksetDataAvailable()];
    all += [llLinksetDataWrite("a", "2"), llLinksetDataWriteProtected("a", "2", "q"), llLinksetDataWriteProtected("a", "1", "p")];
    all += [llLinksetDataRead("a"), llLinksetDataReadProtected("a", "q"), llLinksetDataReadProtected("a", "p")];
    all += [llLinksetDataDelete("a"), llLinksetDataDeleteProtected("a", "q"), llLinksetDataDeleteProtected("a", "p")];
    all += [llLinksetDataDelete("a"), llLinksetDataWrite("", "x"), free - llLinksetDataAvailable()];
    llOwnerSay(llDumpList2String(all, " "));`);

  expect(said()).toEqual(['0 34 3 3 5   1 3 3 0 4 2 0']);
});

test('a pass opens pairs that have none, since nothing says that it does not', () => {
  const { rez, said } = start();

  rez('llLinksetDataWrite("a", "open"); llOwnerSay(llLinksetDataReadProtected("a", "any"));');

  expect(said()).toEqual(['open']);
});

test('deletes what a pattern finds, but not what another pass protects', () => {
  const { rez, said } = start();

  rez(`llLinksetDataWrite("x1", "1"); llLinksetDataWriteProtected("x2", "1", "p"); llLinksetDataWrite("y", "1");
    llOwnerSay((string)llLinksetDataDeleteFound("^x", "")); llOwnerSay((string)llLinksetDataCountFound("x"));
    llOwnerSay((string)llLinksetDataDeleteFound("^x", "p")); llOwnerSay((string)llLinksetDataCountKeys());`);

  expect(said()).toEqual(['11', '1', '10', '1']);
});

test('linked prims share memory, and each script of the linkset hears each change of it, without what is protected', () => {
  const { rez, said, world } = start();
  const hears = 'linkset_data(integer a, string n, string v) { llOwnerSay((string)a + n + v); }';
  const writer = rez(
    '',
    `touch_start(integer n) { llLinksetDataWrite("a", "1"); llLinksetDataWriteProtected("b", "2", "p");
      llLinksetDataDelete("a"); llLinksetDataReset(); }`,
  );
  const reader = rez('', `${hears} touch_start(integer n) { llOwnerSay(llLinksetDataRead("a")); }`);

  world.link(writer, reader);
  writer.touch(ada);

  expect(said()).toEqual(['1a1', '1b', '2a', '0']);
});

test('a linkset remembers what its parts remembered, and its root prevails', () => {
  const { rez, said, world } = start();
  const root = rez(
    'llLinksetDataWrite("a", "root");',
    'touch_start(integer n) { llOwnerSay(llLinksetDataRead("a") + llLinksetDataRead("b")); }',
  );
  const child = rez('llLinksetDataWrite("a", "child"); llLinksetDataWrite("b", "too");');

  world.link(root, child);
  root.touch(ada);

  expect(said()).toEqual(['roottoo']);
  expect(root.body.prim.linkset.prims).toHaveLength(2);
});

test('a copy has prims of its own, the memory of the original and the event on_rez', () => {
  const { rez, said, world } = start();
  const original = rez(
    '',
    `touch_start(integer n) { llLinksetDataWrite("a", (string)llGetKey()); }
     on_rez(integer p) { llOwnerSay(llLinksetDataRead("a")); llOwnerSay((string)llGetKey()); }`,
  );
  original.touch(ada);

  const [copy] = world.copy(original);

  expect(said()).toEqual([original.body.id, copy?.body.id]);
  expect(copy?.body.id).not.toBe(original.body.id);
});

test('all scripts of a prim hear a payment, and count among its contents', () => {
  const { rez, said, world } = start();
  const hears = 'money(key who, integer amount) { llOwnerSay(llGetScriptName() + (string)amount); }';
  const prim = rez('', `${hears} changed(integer c) { llOwnerSay((string)llGetInventoryNumber(INVENTORY_SCRIPT)); }`);
  world.balances.set(ada, 10);

  const other = prim.drop('second', `default { state_entry() { } ${hears} }`);
  prim.pay(ada, 3);
  other.take();

  expect(said()).toEqual(['2', 'prim.lsl3', 'second3', '1']);
});

const pays = `money(key who, integer amount) { llTransferLindenDollars(who, amount); }
  touch_start(integer n) { llTransferLindenDollars(llDetectedKey(0), -1); }
  transaction_result(key id, integer ok, string data) { llOwnerSay((string)ok + data); }`;

test('a new owner has allowed nothing, and a group cannot', () => {
  const { rez, said, world, clock } = start();
  const prim = rez(
    `llRequestPermissions("${owner}", PERMISSION_DEBIT);`,
    `changed(integer c) { llOwnerSay((string)c); } ${pays}`,
  );
  world.log.dialogs[0]?.answer('Allow');
  world.balances.set(ada, 10);

  prim.giveTo(bo);
  prim.pay(ada, 1);
  const sold = said();
  prim.giveTo(bo, true);
  prim.body.grant(2);
  prim.pay(ada, 1);
  clock.advance(1);

  expect(sold).toEqual(['128', '0MISSING_PERMISSION_DEBIT']);
  expect(said()).toEqual(['128', '0GROUP_OWNED']);
  expect(world.balances.get(bo)).toBe(2);
});

test('refuses L$ with the tags of the platform', () => {
  const { rez, said, world } = start();
  const prim = rez(`llRequestPermissions("${owner}", PERMISSION_DEBIT);`, pays);
  world.log.dialogs[0]?.answer('Allow');
  world.balances.set(ada, 100);

  prim.touch(ada);
  world.balances.set(owner, -100);
  prim.pay(ada, 1);
  const poor = said();
  world.balances.set(owner, 100);
  world.closed.add(ada);
  prim.pay(ada, 1);
  const closed = said();
  world.region.hasNoTransfers = true;
  prim.pay(ada, 1);

  expect([poor, closed, said()]).toEqual([
    ['0INVALID_AMOUNT', '0LINDENDOLLAR_INSUFFICIENTFUNDS'],
    ['0LINDENDOLLAR_ENTITYDOESNOTEXIST'],
    ['0TRANSFERS_DISABLED'],
  ]);
});

test('30 transfers in 30 seconds are for all objects of an owner together', () => {
  const { rez, said, world } = start();
  const prims = [1, 2].map(() => rez(`llRequestPermissions("${owner}", PERMISSION_DEBIT);`, pays));
  for (const { answer } of world.log.dialogs) answer('Allow');
  world.balances.set(ada, 100);

  for (let n = 0; n < 31; n++) prims[n % 2]?.pay(ada, 1);

  const results = said();
  expect(results).toHaveLength(31);
  expect(results.filter((text) => text === '0THROTTLED')).toHaveLength(1);
});

test('avatars who touch at one moment come in one event', () => {
  const { rez, said } = start();
  const prim = rez(
    '',
    'touch_start(integer n) { llOwnerSay((string)n + (string)(llDetectedKey(0) == llDetectedKey(1)) + (string)llDetectedKey(1)); }',
  );

  prim.touch(ada, bo);

  expect(said()).toEqual([`20${bo}`]);
});

test('an address can die without a word', () => {
  const { rez, said, world, clock } = start();
  const prim = rez('llRequestSecureURL();', 'http_request(key id, string method, string body) { llOwnerSay(body); }');
  clock.advance(0);
  const [url = ''] = said();
  const answers: number[] = [];

  prim.body.loseUrls();
  world.receive(url, 'POST', 'x', (status) => void answers.push(status));

  expect(answers).toEqual([404]);
  expect(said()).toEqual([]);
});

test('a link message reaches the scripts of the prims that it is for, with the number of its sender', () => {
  const { rez, said, world } = start();
  const hears =
    'link_message(integer s, integer n, string t, key k) { llOwnerSay(llGetScriptName() + (string)s + t); }';
  const send = (link: string) => `llMessageLinked(${link}, 7, "${link}", NULL_KEY);`;
  const links = ['LINK_SET', 'LINK_ALL_OTHERS', 'LINK_ALL_CHILDREN', 'LINK_THIS', 'LINK_ROOT', '3', '4'];
  const prims = [1, 2, 3].map((n) =>
    rez('', `${hears} ${n === 2 ? `touch_start(integer c) { ${links.map(send).join(' ')} }` : ''}`),
  );
  world.link(...prims);

  prims[1]?.touch(ada);

  const heard = said().map((text) => text.replace('prim.lsl2', ''));
  expect(links.map((link) => heard.filter((text) => text === link).length)).toEqual([3, 2, 2, 1, 1, 1, 0]);
});

test('a touch and a payment go to the root, with the number of the prim, where the prim handles neither', () => {
  const { rez, said, world } = start();
  const all = `touch_start(integer n) { llOwnerSay(llGetLinkName(llDetectedLinkNumber(0)) + (string)llDetectedLinkNumber(0)); }
    money(key who, integer amount) { llOwnerSay((string)amount); }`;
  const [root, deaf, own] = [rez('', all), rez(''), rez('', 'touch_start(integer n) { llOwnerSay("own"); }')];
  world.link(root, deaf, own);
  world.balances.set(ada, 100);

  for (const prim of [root, deaf, own]) prim.touch(ada);
  deaf.pay(ada, 60);

  expect(said()).toEqual(['prim1', 'prim2', 'own', '60']);
});

test('a script is put into another prim only with its pin and by its owner, and takes the place of its namesake', () => {
  const { rez, said, world, clock } = start();
  const target = rez('llSetRemoteScriptAccessPin(42); llLinksetDataWrite("kept", "yes");');
  const source = 'default { state_entry() { llOwnerSay("new " + llLinksetDataRead("kept")); } }';
  const loader = (pin: number, by = owner): void => {
    world.rez({
      ...{ owner: by, name: 'loader', notecards: {}, items: [{ name: 'prim.lsl', type: 10, source }] },
      script: `default { state_entry() { llRemoteLoadScriptPin("${target.body.id}", "prim.lsl", ${pin}, TRUE, 0); } }`,
    });
    clock.advance(1);
  };

  loader(41);
  loader(42, bo);
  const [before, errors] = [said(), world.log.errors.length];
  loader(42);

  expect([before, errors]).toEqual([[], 2]);
  expect(said()).toEqual(['new yes']);
  expect(world.scriptsIn(target)).toHaveLength(1);
  expect(target.script.send('timer')).toBe(false);
});
