import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import type { WebAnswer, WebRequest } from '../../../local/grid/world/object.ts';
import { createWorld } from '../../../local/grid/world/world.ts';

/** The made-up world keeps the limits that the platform documents. */

const owner = '11111111-2222-3333-4444-555555555555';
const ada = '22222222-2222-3333-4444-555555555555';

/** An object in a new world whose script begins with these statements. */
const place = (statements: string, more = '', notecards: Record<string, string[]> = {}, around: object = {}) => {
  const clock = virtualClock(1_900_000_000_000);
  const requests: { request: WebRequest; answer: (answer?: WebAnswer) => void }[] = [];
  const world = createWorld({
    clock,
    nameOf: (uuid) => (uuid === ada ? 'ada' : undefined),
    uuidOf: (name) => (name === 'ada' ? ada : undefined),
    send: (request, answer) => void requests.push({ request, answer }),
    urls: 1,
    ...around,
  });
  const script = `default { state_entry() { ${statements} } ${more} }`;
  const object = world.rez({ owner, name: 'box', script, notecards, items: [{ name: 'Lamp' }] });
  const said = () => world.log.said.map(({ text }) => text);
  return { clock, world, object, requests, said };
};

const json = (body: string): WebAnswer => ({ status: 200, type: 'application/json; charset=utf-8', body });
const told = 'http_response(key id, integer status, list more, string body) { llOwnerSay((string)status + body); }';
const counted = told.replace('+ body', '+ " " + (string)llStringLength(body)');

describe('forced delays', () => {
  test.each([
    ['an instant message', `llInstantMessage("${ada}", "hi");`, 2],
    ['an item', `llGiveInventory("${ada}", "Lamp");`, 2],
    ['a dialog', `llDialog("${ada}", "hi", [], 1);`, 1],
    ['a text box', `llTextBox("${ada}", "hi", 1);`, 1],
    ['the offer of a page', `llLoadURL("${ada}", "hi", "https://a.example");`, 0.1],
    ['a line of a notecard', 'llGetNotecardLine("card", 0);', 0.1],
    ['sleep', 'llSleep(1.5);', 1.5],
  ])('%s makes the script wait', (_, call, seconds) => {
    const { clock, said } = place(`${call} llOwnerSay("done");`);

    clock.advance(seconds - 0.01);
    const early = said();
    clock.advance(0.01);

    expect([early, said()]).toEqual([[], ['done']]);
  });
});

describe('the offer of a page', () => {
  const offer = (text: string, url: string) => `llLoadURL("${ada}", "${text}", "${url}");`;
  const address = `https://${'é'.repeat(247)}`;

  test('has at most 254 characters of text, and 255 of its address, and says nothing of the rest', () => {
    const { world } = place(offer('é'.repeat(255), `${address}x`));

    expect(world.log.pages).toEqual([{ to: ada, text: 'é'.repeat(254), url: address }]);
    expect([[...address].length, world.log.errors]).toEqual([255, []]);
  });

  test('needs a text, and an address of the web', () => {
    const { world, clock } = place(offer('', address) + offer('hi', 'secondlife:///app'));

    clock.advance(1);

    expect(world.log.pages).toEqual([]);
    expect(world.log.errors).toHaveLength(2);
  });

  test('reaches nobody who has left, nor anybody from an object of a group, and the script does not learn of it', () => {
    const left = place(offer('hi', address), '', {}, { isPresent: () => false });
    const { world, object, clock } = place('', `touch_start(integer n) { ${offer('hi', address)} }`);

    object.touch(ada);
    clock.advance(1);
    object.body.prim.isDeeded = true;
    object.touch(ada);
    clock.advance(1);

    expect([left.world.log.pages, world.log.pages.length, world.log.errors]).toEqual([[], 1, []]);
  });
});

test('no line can be read of a notecard that holds an item', () => {
  const lines = ['key = x', 'picture: \u{100000}'];
  const { clock, said } = place(
    'llGetNotecardLine("card", 0);',
    'dataserver(key query, string line) { llOwnerSay((string)(line == EOF)); }',
    { card: lines },
  );

  clock.advance(1);

  expect(said()).toEqual(['1']);
});

describe('the object and its region', () => {
  const group = '55555555-2222-3333-4444-555555555555';
  const groups = `llOwnerSay((string)llSameGroup("${ada}") + (string)llSameGroup(NULL_KEY));`;

  test('an avatar without a tag is in the group of a prim that is set to none, as the null key is', () => {
    const { clock, world, object, said } = place('', `touch_start(integer n) { ${groups} }`);

    object.touch(ada);
    world.groups.set(ada, group);
    object.touch(ada);
    object.body.prim.group = group;
    object.touch(ada);
    clock.advance(1);

    expect(said()).toEqual(['11', '01', '10']);
  });

  test('says the time to the microsecond, its place, and the addresses that are left', () => {
    const { said } = place(
      'llOwnerSay(llGetTimestamp()); llOwnerSay((string)llGetPos()); llRequestSecureURL(); llOwnerSay((string)llGetFreeURLs());',
      'http_request(key id, string method, string body) { llOwnerSay((string)llGetFreeURLs()); }',
    );

    expect(said()).toEqual(['2030-03-17T17:46:40.000000Z', '<128.00000, 64.00000, 22.00000>', '1']);
  });
});

describe('a request to the web', () => {
  test('is one of 25 in 20 seconds; beyond, nothing is sent, and the key is null', () => {
    const { clock, requests, said, world } = place(
      'integer i; for (i = 0; i < 26; ++i) if (!(llHTTPRequest("https://a.example", [], "") != NULL_KEY)) llOwnerSay((string)i);',
      'timer() { } touch_start(integer n) { llHTTPRequest("https://a.example", [], ""); }',
    );
    const first = requests.length;

    clock.advance(20);
    expect([first, said()]).toEqual([25, ['25']]);
    expect(world.log.errors).toHaveLength(1);
  });

  test.each([
    ['', 2048],
    ['HTTP_BODY_MAXLENGTH, 16384', 16_384],
    ['HTTP_BODY_MAXLENGTH, 99999', 16_384],
  ])('with [%s] takes %i bytes of the answer, and no half character', (options, bytes) => {
    const { requests, said } = place(`llHTTPRequest("https://a.example", [${options}], "");`, counted);

    requests[0]?.answer(json('x'.repeat(bytes - 1) + 'ä'.repeat(9)));

    expect(said()).toEqual([`200 ${bytes - 1}`]);
  });

  test('hides an answer of a type that it does not know behind 415', () => {
    const { requests, said } = place('llHTTPRequest("https://a.example", [], "");', told);

    requests[0]?.answer({ status: 400, type: 'application/problem+json', body: '{}' });

    expect(said()).toEqual(['415Unsupported or unknown Content-Type.']);
  });

  test('is 499 without a connection, with a space in the address, and after 60 seconds', () => {
    const { requests, said, clock } = place(
      'llHTTPRequest("https://a.example", [], ""); llHTTPRequest("https://a.example/ b", [], ""); llHTTPRequest("https://b.example", [], "");',
      told,
    );

    requests[0]?.answer(undefined);
    clock.advance(59);
    const early = said().length;
    clock.advance(1);

    expect([early, said()]).toEqual([2, ['499', '499', '499']]);
  });

  test('carries the headers of the region and its own', () => {
    const { requests } = place(
      'llHTTPRequest("https://a.example", [HTTP_METHOD, "PUT", HTTP_CUSTOM_HEADER, "X-A", "b"], "body");',
    );

    expect(requests[0]?.request).toMatchObject({ method: 'PUT', body: 'body', url: 'https://a.example' });
    expect(requests[0]?.request.headers).toMatchObject({ 'X-SecondLife-Shard': 'Production', 'X-A': 'b' });
  });

  test('is never answered if the region restarts meanwhile', () => {
    const { requests, said, clock, world } = place('llHTTPRequest("https://a.example", [], "");', told);

    world.restart();
    requests[0]?.answer(json('late'));
    clock.advance(100);

    expect(said()).toEqual([]);
  });
});

describe('a request from outside', () => {
  const serving = `http_request(key id, string method, string body) {
    if (method == URL_REQUEST_GRANTED || method == URL_REQUEST_DENIED) { llOwnerSay(method); gUrl = body; }
    else if (body != "hold") llHTTPResponse(id, 200, (string)llStringLength(body));
  } touch_start(integer n) { llRequestSecureURL(); }`;
  const open = () => {
    const placed = place('llRequestSecureURL();', serving.replace('gUrl = body;', 'llOwnerSay(body);'));
    placed.clock.advance(0);
    const url = placed.said()[1] ?? '';
    const answers: string[] = [];
    const send = (body: string) =>
      placed.world.receive(url, 'POST', body, (status, text) => answers.push(`${status} ${text}`));
    return { ...placed, url, send, answers };
  };

  test('is cut to 2,048 bytes', () => {
    const { send, answers } = open();

    send('x'.repeat(3000));

    expect(answers).toEqual(['200 2048']);
  });

  test('is one of 64 that wait, and ends after 25 seconds', () => {
    const { send, answers, clock } = open();

    for (let i = 0; i < 65; i++) send('hold');
    const full = [...answers];
    clock.advance(25);

    expect(full).toEqual(['503 Service Unavailable']);
    expect(answers.slice(1)).toEqual(Array(64).fill('504 Gateway Timeout'));
  });

  test('finds nobody after a restart of the region or a reset of the script', () => {
    const [restarted, reset] = [open(), open()];

    restarted.world.restart();
    reset.object.script.begin();
    for (const { send } of [restarted, reset]) send('x');

    expect([restarted.answers, reset.answers]).toEqual([['404 cap not found'], ['404 cap not found']]);
  });

  test('needs an address, of which a region has so many', () => {
    const { object, clock, said } = open();

    object.touch(ada);
    clock.advance(0);

    expect(said()).toContain('URL_REQUEST_DENIED');
  });
});

describe('what a script says', () => {
  test.each([
    ['a text of 513 bytes', `llDialog("${ada}", llGetSubString(LONG, 0, 512), [], 1);`],
    ['13 buttons', `llDialog("${ada}", "hi", ["1","2","3","4","5","6","7","8","9","10","11","12","13"], 1);`],
    ['a button of 25 bytes', `llDialog("${ada}", "hi", ["1234567890123456789012345"], 1);`],
    ['an empty button', `llDialog("${ada}", "hi", [""], 1);`],
  ])('is no dialog with %s', (_, call) => {
    const { world } = place(call.replace('LONG', JSON.stringify('x'.repeat(600))));

    expect([world.log.dialogs, world.log.errors.length]).toEqual([[], 1]);
  });

  test('a dialog of 12 buttons of 24 bytes is answered on its channel, heard by whom it is for', () => {
    const button = 'x'.repeat(24);
    const buttons = JSON.stringify(Array(12).fill(button));
    const { world } = place(
      `llListen(-7, "", "${ada}", ""); llDialog("${ada}", "hi", ${buttons}, -7);`,
      'listen(integer c, string n, key id, string text) { llOwnerSay(n + text); }',
    );
    world.log.dialogs[0]?.answer(button);

    expect(world.log.dialogs[0]?.buttons).toHaveLength(12);
  });

  test('an instant message ends at 1,023 bytes', () => {
    const { world } = place(`llInstantMessage("${ada}", "${'ä'.repeat(600)}");`);

    expect(world.log.messages).toEqual([{ to: ada, text: 'ä'.repeat(511) }]);
  });
});

describe('L$', () => {
  const transfers = `money(key from, integer amount) { llTransferLindenDollars(from, amount); }
    transaction_result(key id, integer ok, string data) { llOwnerSay((string)ok + data); }`;

  test('that are paid are the owner’s, and the event has an avatar and an amount alone', () => {
    const { world, object, said } = place(
      '',
      'money(key from, integer amount) { llOwnerSay((string)[from, amount]); }',
    );
    world.balances.set(ada, 10);

    const paid = [object.pay(ada, 7), object.pay(ada, 7)];

    expect(paid).toEqual([true, false]);
    expect([world.balances.get(ada), world.balances.get(owner)]).toEqual([3, 7]);
    expect(said()).toEqual([`${ada}7`]);
  });

  test('are given back only with the permission that the owner granted', () => {
    const { world, object, said, clock } = place(`llRequestPermissions("${owner}", PERMISSION_DEBIT);`, transfers);
    world.balances.set(ada, 10);

    object.pay(ada, 4);
    clock.advance(0);
    world.log.dialogs[0]?.answer('Allow');
    object.pay(ada, 6);
    clock.advance(0);

    expect(said()).toEqual(['0MISSING_PERMISSION_DEBIT', `1${ada},6`]);
    expect([world.balances.get(ada), world.balances.get(owner)]).toEqual([6, 4]);
  });
});

test('linkset data hold 131,072 bytes and survive a reset', () => {
  const { object, world } = place(
    'integer i; for (i = 100000; llLinksetDataWrite((string)i, VALUE) == LINKSETDATA_OK; ++i);'.replace(
      'VALUE',
      JSON.stringify('x'.repeat(1018)),
    ),
  );
  const { size } = object.body.linksetData;

  object.script.begin();

  expect([size, object.body.linksetData.size, world.log.errors]).toEqual([128, 128, []]);
});

test('a line of a notecard has 1,024 bytes at most', () => {
  const { said, clock } = place(
    'llGetNotecardLine("card", 0); llGetNotecardLine("card", 1);',
    'dataserver(key id, string line) { llOwnerSay((string)llStringLength(line) + (string)(line == EOF)); }',
    { card: ['x'.repeat(2000)] },
  );

  clock.advance(1);

  expect(said()).toEqual(['10240', '31']);
});

test('an item that may not be copied is gone once it is given, and one that may not be transferred stays', () => {
  const { world, object } = place(
    '',
    `touch_start(integer n) { llGiveInventory(llDetectedKey(0), "Single"); llGiveInventory(llDetectedKey(0), "Kept"); }`,
  );
  object.add({ name: 'Single', permissions: 0x2000 });
  object.add({ name: 'Kept', permissions: 0x8000 });

  object.touch(ada);
  object.touch(ada);

  expect(world.log.given).toEqual([{ to: ada, item: 'Single' }]);
});

test('the pay price of an object is its root’s, whatever its other prims say', () => {
  const said = 'touch_start(integer n) { llSetPayPrice(PAY_HIDE, [7, PAY_HIDE, PAY_HIDE, PAY_HIDE]); }';
  const { clock, world, object } = place('llSetPayPrice(PAY_HIDE, [100, PAY_HIDE, PAY_HIDE, PAY_HIDE]);');
  const script = `default { state_entry() {} ${said} }`;
  const child = world.rez({ owner, name: 'child', script, notecards: {}, items: [] });
  world.link(object, child);

  child.touch(ada);
  clock.advance(1);

  expect([object.body.payPrice[1], child.body.payPrice[1]]).toEqual([100, 100]);
});

test('messages and gifts beyond the limits of an owner are dropped, and a gift that is declined is lost', () => {
  const statements = `integer i; for (i = 0; i < 2600; ++i) llInstantMessage("${ada}", "hi");
    for (i = 0; i < 5100; ++i) llGiveInventory("${ada}", "Lamp");`;
  const { clock, world } = place(statements, '', {}, { delays: false });
  const declined = place(`llGiveInventory("${ada}", "Lamp");`, '', {}, { takesGift: () => false });
  clock.advance(1);

  expect([world.log.messages.length, world.log.given.length]).toEqual([2500, 5000]);
  expect(declined.world.log.given).toEqual([]);
});

test.each([
  [false, 3],
  [true, 1],
])('touches of a script that is busy may collapse (%s)', (collapsesTouches, events) => {
  const touch = 'touch_start(integer n) { llOwnerSay((string)n); llSleep(5.0); }';
  const { clock, object, said } = place('', touch, {}, { collapsesTouches });

  object.touch(ada);
  clock.advance(1);
  for (let n = 0; n < 3; n++) object.touch(ada);
  clock.advance(60);

  expect(said()).toHaveLength(1 + events);
});

test('a region comes back with what its scripts knew and kept, and says that it has started', () => {
  const events = `touch_start(integer n) { ++count; llLinksetDataWrite("n", (string)count); llSetTimerEvent(9.0); }
    changed(integer c) { if (c & CHANGED_REGION_START) llOwnerSay((string)count + llLinksetDataRead("n") + llGetEnv("region_start_time")); }`;
  const { clock, world } = place('');
  const script = `integer count; default { state_entry() {} ${events} }`;
  const object = world.rez({ owner, name: 'counter', script, notecards: {}, items: [] });
  object.touch(ada);
  clock.advance(10);
  const comeBack = world.save();
  object.touch(ada);
  object.touch(ada);
  clock.advance(10);

  comeBack();
  clock.advance(1);

  expect(world.log.said.map(({ text }) => text)).toEqual(['111900000020']);
  expect([object.body.timer(), object.body.linksetData.get('n')?.value]).toEqual([9, '1']);
});
