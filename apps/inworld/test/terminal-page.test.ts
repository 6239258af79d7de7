import { afterAll, beforeAll, expect, test } from 'vitest';
import { presets } from '../../../lib/routes/key-presets.ts';
import { wholeTable } from '../../../test/support/service.ts';
import { openShop, owner, placeTerminal, type Shop, scriptOf } from './shop.ts';

/** The shipped terminal gives each customer the link to their own page, and nobody else. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

const avatar = (place: number): string => shop.local.residents[place]?.uuid ?? '';
const place = (notecard?: string[]) => placeTerminal(shop, notecard);
type Terminal = Awaited<ReturnType<typeof place>>;

const words = 'Your own page of this store. The link works once, for ten minutes.';

const codeIn = (url = ''): string => url.split('#code=')[1] ?? '';

const begin = async (code: string) => {
  const headers = { 'X-API-Key': code };
  const response = await fetch(`${shop.local.baseUrl}/v1/me/actions/begin`, { method: 'POST', headers });
  return { status: response.status, body: await response.json() };
};

/** Everything that anybody but these avatars, and anything but the answers to them, has seen or keeps. */
const elsewhere = ({ world: { log }, object: { body, script, items }, net }: Terminal, ...who: string[]): string => {
  const isOthers = ({ to, channel = 0 }: { to: string | undefined; channel?: number }): boolean =>
    to === undefined || !who.includes(to) || channel !== 0;
  return JSON.stringify([
    [log.said, log.pages].map((some: Parameters<typeof isOthers>[0][]) => some.filter(isOthers)),
    [log.messages, log.errors, log.dialogs, net.requests, items(), body.prim.notecards],
    [body.seen.text, [...body.seen.textures], [...body.linksetData], script.globals()],
  ]);
};

test('gives the link to who presses, in a window and in their chat alone, and it begins their page once', async () => {
  const terminal = await place();
  const { use, hears, world, until, object } = terminal;
  const [who, other] = [avatar(0), avatar(1)];
  const kept: unknown[] = [];

  await use(who, 'My page');
  object.touch(other);
  await until(() => {
    kept.push([...object.body.linksetData], object.body.seen.text);
    return world.log.pages.length > 0;
  });
  await hears(who, words);

  const [page] = world.log.pages;
  const code = codeIn(page?.url);
  const said = world.log.said.filter(({ text }) => text.includes(code));
  expect(page).toEqual({
    to: who,
    text: expect.stringContaining(words),
    url: `https://service.example/me#code=${code}`,
  });
  expect(said).toEqual([{ from: 'terminal', to: who, channel: 0, text: `${page?.text}\n${page?.url}` }]);
  expect(JSON.stringify(kept) + elsewhere(terminal, who)).not.toContain(code);
  expect(world.log.errors).toEqual([]);
  expect(await begin(code)).toMatchObject({ status: 200, body: { uuid: who } });
  expect(await begin(code)).toMatchObject({ status: 400 });
});

test('gives several who ask at once each their own link, and keeps none', async () => {
  const terminal = await place();
  const { use, world, until } = terminal;
  const many = Array.from({ length: 6 }, (_, i) => avatar(i + 10));

  for (const who of many) await use(who, 'My page');
  await until(() => world.log.pages.length === 6);

  const pages = new Map(world.log.pages.map(({ to, url }) => [to, codeIn(url)]));
  expect([...pages.keys()].sort()).toEqual([...many].sort());
  for (const [who, code] of pages) {
    expect(elsewhere(terminal, who)).not.toContain(code);
    expect((await begin(code)).body.uuid).toBe(who);
  }
});

test('speaks to one avatar at a time, and to no other prim or script', () => {
  const spoken = scriptOf('terminal').match(/\bll\w*(?:Say|Shout|Whisper|Message|Linked|Email|SayTo)\(\w+/g);

  expect([...new Set(spoken)].sort()).toEqual([
    'llInstantMessage(llGetOwner',
    'llOwnerSay(TITLE',
    'llRegionSayTo(gWho',
    'llRegionSayTo(id',
  ]);
});

test('gives an avatar who has left the region nothing, and says nothing of it elsewhere', async () => {
  const terminal = await place();
  const { use, net, until, absent, world, clock } = terminal;
  const who = avatar(2);

  await use(who, 'My page');
  absent.add(who);
  await until(() => net.requests.some((request) => request.endsWith('/open-page')));
  clock.advance(5);

  expect([world.log.pages, world.log.said, world.log.messages]).toEqual([[], [], []]);
  expect(elsewhere(terminal)).not.toContain('sis_me_');
});

test('gives the link in chat where an object of a group may show no window', async () => {
  const { use, hears, object, world, until, net } = await place();
  object.giveTo(owner, true);
  await until(() => net.requests.length === 2);

  await use(avatar(3), 'My page');
  await hears(avatar(3), 'https://service.example/me#code=sis_me_');

  expect(world.log.pages).toEqual([]);
});

test('offers no page where its key may open none, and opens none for who says the word', async () => {
  const scopes = presets.terminal.scopes.filter((scope) => scope !== 'pages:open');
  const { object, world, net, until, use, hears } = await place([
    'service = https://service.example',
    `key = ${await shop.issue(scopes)}`,
  ]);
  object.touch(avatar(4));
  await until(() => world.log.dialogs.length > 0);
  const buttons = world.log.dialogs[0]?.buttons;

  await use(avatar(4), 'My page');
  await use(avatar(4), 'Balance');
  await hears(avatar(4), 'Your store credit');

  expect(buttons).not.toContain('My page');
  expect(net.requests.filter((request) => request.endsWith('/open-page'))).toEqual([]);
});

test.each([
  [172, 255],
  [173, undefined],
])('with an address of %d signs the link has %s', async (length, signs) => {
  const address = 'https://service.example/long'.padEnd(length, '-');
  const { object, world, until, use, isTold } = await place([
    `service = ${address}`,
    `key = ${await shop.keyOf('terminal')}`,
  ]);
  object.touch(avatar(5));
  await until(() => world.log.dialogs.length > 0);
  const isOffered = world.log.dialogs[0]?.buttons.includes('My page');

  if (isOffered) {
    await use(avatar(5), 'My page');
    await until(() => world.log.pages.length > 0);
    expect((await begin(codeIn(world.log.pages[0]?.url))).status).toBe(200);
  } else await isTold('Terminal: the address in the notecard is too long for My page.');

  expect([isOffered, world.log.pages[0]?.url.length]).toEqual([signs !== undefined, signs]);
  expect(world.log.messages).toHaveLength(signs === undefined ? 1 : 0);
});

test('an answer that is lost is asked for again at a button, and opens one page', async () => {
  const { use, choose, until, net, world } = await place();
  const who = avatar(6);
  const pages = async () => (await wholeTable(`${shop.store}#PAGES`)).length;
  const before = await pages();

  net.loses = true;
  await use(who, 'My page');
  await until(() => world.log.dialogs.some(({ text }) => text.includes('does not answer')));
  net.loses = false;
  await choose('The store does not answer. Please wait half a minute', 'Again');
  await until(() => world.log.pages.length > 0);

  expect((await pages()) - before).toBe(1);
  expect((await begin(codeIn(world.log.pages[0]?.url))).body.uuid).toBe(who);
});

test('says in plain words why there is no page: for nobody, too often, a fault, a key that is refused', async () => {
  const { use, hears, until, net, world } = await place();
  await use(owner, 'My page');
  await hears(owner, 'The store does not know you yet.');
  for (const status of [429, 500]) {
    net.status = status;
    await use(avatar(7), 'My page');
    await until(() => world.log.dialogs.some(({ text }) => text.includes('The store does not answer. Please wait')));
    world.log.dialogs.length = 0;
  }
  net.status = 415;
  await use(avatar(7), 'My page');
  await hears(avatar(7), 'its owner is told');

  expect(world.log.pages).toEqual([]);
});

test('has memory for the longest link, while as many as it serves choose', async () => {
  const { object, use, until, world } = await place([
    `service = ${'https://service.example/long'.padEnd(172, '-')}`,
    `key = ${await shop.keyOf('terminal')}`,
  ]);
  for (let at = 20; at < 25; at++) object.touch(avatar(at));

  await use(avatar(25), 'My page');
  await until(() => world.log.pages.length > 0);

  expect(object.script.memory().peak).toBeLessThan(62_000);
});
