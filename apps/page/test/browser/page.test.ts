import { randomUUID } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { source } from '../../../../lib/clock.ts';
import { endPages } from '../../../../lib/operator/end-pages.ts';
import { freeOfBarriers, phone, useDesk, wide } from '../../../desk/test/browser/desk.ts';
import { de } from '../../words/de.ts';
import { en } from '../../words/en.ts';

/** The customer's page against the real service, from the terminal's code to *Sign out*. */

const { service, open, forgive, call, resident } = useDesk();

const narrow = { viewport: { width: 320, height: 640 } };
const German = { ...phone, locale: 'de-DE' };

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

const newCode = async (uuid: string): Promise<string> =>
  (await call('POST', `/customers/${uuid}/actions/open-page`)).code;

const give = (uuid: string, delta: number, days?: number, type = '') =>
  call('POST', `/customers/${uuid}/actions/increment${type}-credit`, {
    delta,
    ...(days !== undefined && { expiresAt: inDays(days) }),
  });

const grant = (uuid: string, credit: number) =>
  call('POST', `/customers/${uuid}/actions/grant-gift-card`, { credit, transfer: false });

const newProduct = async (name: string): Promise<string> => (await call('POST', '/products', { name, price: 60 })).id;

/** A purchase whose delivery the store has not heard of. */
const buyUndelivered = async ({ uuid, username }: { uuid: string; username: string }, productId: string) => {
  const { id: store } = await call('GET', '/store');
  const at = new Date(Date.now() - 3_600_000).toISOString();
  await recordPurchase(store, { id: randomUUID(), buyer: { uuid, username }, productId, price: 60, at });
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const tokenIn = (page: Page) => page.evaluate(() => sessionStorage.getItem('page.token') ?? '');
const figure = (page: Page, text: string) => page.getByText(text.replace(' ', '\u00a0'), { exact: true }).first();

/** Opens the link of a new code, and presses *Open*. */
const enter = async (uuid: string, options: object = phone, language = en): Promise<Page> => {
  const page = await open(`/me#code=${await newCode(uuid)}`, options);
  await button(page, language.door.open).click();
  await page.getByRole('heading', { level: 2, name: language.lots.title }).waitFor();
  return page;
};

/** Calls a row of the page with its token, as somebody else with the same page would. */
const callAs = async (page: Page, method: string, path: string, body?: object): Promise<number> => {
  const init = { method, headers: { 'X-API-Key': await tokenIn(page) }, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`${service().baseUrl}/v1/me${path}`, init)).status;
};

/** Lets calls reach the service, and loses their answers until `found` is called. */
const loseAnswers = async (page: Page, path: string) => {
  const keys = new Set<string | undefined>();
  const lose = async (route: Route): Promise<void> => {
    keys.add(route.request().headers()['idempotency-key']);
    await route.fetch();
    await route.abort();
  };
  await page.route(path, lose);
  return { keys, found: () => page.unroute(path, lose) };
};

describe('the way in', () => {
  test('takes the code out of the address before all else, and uses nothing up until somebody presses Open', async () => {
    const { uuid, username } = resident();
    const code = await newCode(uuid);
    const asked: string[] = [];
    for (let visit = 0; visit < 2; visit++) {
      const page = await open(`/me#code=${code}`, phone);
      page.on('request', (request) => asked.push(request.url()));
      await title(page, en.door.title).waitFor();
      expect([page.url(), await page.title()]).toEqual([`${service().baseUrl}/me`, en.title]);
    }
    expect(asked).toEqual([]);

    const page = await open(`/me#code=${code}`, phone);
    await button(page, en.door.open).click();

    await title(page, en.credit.yours(username)).waitFor();
    expect(await focused(page)).toBe(en.credit.yours(username));
    expect([page.url(), await page.title()]).toEqual([`${service().baseUrl}/me`, en.title]);
    expect(await page.evaluate(() => [history.length, location.hash, Object.keys(localStorage)])).toEqual([2, '', []]);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual(expect.arrayContaining(['page.token']));
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(code);
  });

  test('a reload goes on, before Open and after it; the tab alone knows the page', async () => {
    const { uuid } = resident();
    const page = await open(`/me#code=${await newCode(uuid)}`, phone);
    await page.reload();
    await button(page, en.door.open).click();
    await section(page, en.lots.title).waitFor();

    await page.reload();

    await section(page, en.lots.title).waitFor();
    expect(page.url()).toBe(`${service().baseUrl}/me`);
    const other = await page.context().newPage();
    await other.goto(`${service().baseUrl}/me`);
    await other.getByLabel(en.door.label).waitFor();
  });

  test('a pasted link or code opens it too, and what is no whole code is told before anything is sent', async () => {
    const { uuid } = resident();
    const page = await open('/me', phone);
    const field = page.getByLabel(en.door.label);
    for (const text of ['', 'https://store.example.com/me', `${(await newCode(uuid)).slice(0, 60)}`]) {
      await field.fill(text);
      await button(page, en.door.open).click();
      await page.getByText(en.door.noCode).waitFor();
      expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    }

    await field.fill(`Your page: https://store.example.com/prod/me#code=${await newCode(uuid)} `);
    await page.keyboard.press('Enter');

    await section(page, en.lots.title).waitFor();
    const broken = await open('/me#code=sis_me_live_x', phone);
    await broken.getByText(en.door.noCode).waitFor();
    expect(broken.url()).toBe(`${service().baseUrl}/me`);
  });

  test('a link that was used already, one that is over, and a token in its place: each says so, and takes another code', async () => {
    forgive(/status of 40[013]/);
    const { uuid } = resident();
    const code = await newCode(uuid);
    const first = await open(`/me#code=${code}`, phone);
    await button(first, en.door.open).click();
    await section(first, en.lots.title).waitFor();
    const page = await open(`/me#code=${code}`, phone);

    await button(page, en.door.open).click();

    await title(page, en.door.used.title).waitFor();
    await freeOfBarriers(page);
    expect(await focused(page)).toBe(en.door.used.title);
    const over = await open(`/me#code=${code.slice(0, -3)}abc`, phone);
    await button(over, en.door.open).click();
    await title(over, en.door.over.title).waitFor();
    await over.getByText(en.door.another).click();
    await freeOfBarriers(over);
    await over.getByLabel(en.door.label).fill(await tokenIn(first));
    await button(over, en.door.open).click();
    await title(over, en.door.over.title).waitFor();
    await over.getByLabel(en.door.label).fill(await newCode(uuid));
    await button(over, en.door.open).click();
    await section(over, en.lots.title).waitFor();
  });

  test('a link that is opened in the tab of a page leads to its own page, and the same link back to this one', async () => {
    const [one, other] = [resident(), resident()];
    const code = await newCode(one.uuid);
    const page = await open(`/me#code=${code}`, phone);
    await button(page, en.door.open).click();
    await title(page, en.credit.yours(one.username)).waitFor();

    await page.evaluate((hash) => location.assign(hash), `#code=${code}`);
    await title(page, en.credit.yours(one.username)).waitFor();
    await page.evaluate((hash) => location.assign(hash), `#code=${await newCode(other.uuid)}`);
    await button(page, en.door.open).click();

    await title(page, en.credit.yours(other.username)).waitFor();
    expect(page.url()).toBe(`${service().baseUrl}/me`);
  });

  test('works below a stage: all its addresses are relative to its own', async () => {
    const { uuid } = resident();
    const page = await open('/me', phone);
    const asked: string[] = [];
    await page.route('**/*', async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      const url = route.request().url().replace('/prod/', '/');
      await route.fulfill({ response: await route.fetch({ url }) });
    });

    await page.goto(`${service().baseUrl}/prod/me#code=${await newCode(uuid)}`);
    await button(page, en.door.open).click();
    await section(page, en.lots.title).waitFor();

    expect(page.url()).toBe(`${service().baseUrl}/prod/me`);
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((path) => !path.startsWith('/prod/'))).toEqual([]);
  });

  test('a lost answer keeps the code, also over a reload, and Open repeats the same request', async () => {
    forgive(/ERR_FAILED/);
    const { uuid } = resident();
    const page = await open(`/me#code=${await newCode(uuid)}`, phone);
    const { keys, found } = await loseAnswers(page, '**/v1/me/actions/begin');
    await button(page, en.door.open).click();
    await page.getByText(en.faults.openNoAnswer).waitFor();
    await freeOfBarriers(page);
    expect(keys.size).toBe(1);
    await found();
    await page.reload();

    await button(page, en.door.open).click();

    await section(page, en.lots.title).waitFor();
  });
});

describe('what it shows', () => {
  test('credit, what ends next and when, bars, purchases, cards, discounts and history in words', async () => {
    const who = resident();
    const { uuid } = who;
    const lamp = await newProduct('Reading lamp');
    await give(uuid, 190, 26);
    await give(uuid, 620, 184);
    await give(uuid, 500);
    await give(uuid, 260, 90, '-restricted');
    await call('POST', '/sales', {
      id: randomUUID(),
      buyerIdentifier: uuid,
      productId: lamp,
      paid: 0,
      useCredit: true,
    });
    await buyUndelivered(who, await newProduct('Lost parcel'));
    await grant(uuid, 75);
    await call('PUT', `/customers/${uuid}`, { discount: 5, newsSubscriber: true });
    const coupon = await call('POST', '/coupons', { code: 'Cosy', discount: 10, ownerIdentifier: resident().uuid });
    const terms = { couponId: coupon.id, scope: 1, productId: lamp, expiresInHours: 72 };
    await call('POST', `/customers/${uuid}/actions/apply-coupon`, terms);

    const page = await enter(uuid);

    await figure(page, 'L$ 1,310').waitFor();
    await page.getByText(`and L$\u00a0200 for your own purchases`).waitFor();
    await page.getByText(/L\$\u00a0190 end on .*, in 26 days\. Credit that ends first is spent first\./).waitFor();
    expect(await section(page, en.lots.title).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/L\$\s190\s+until .* · 26 days/),
      expect.stringMatching(/L\$\s200\s+until .* · 3 months\s+for your own purchases/),
      expect.stringMatching(/L\$\s620\s+until .* · 6 months/),
      expect.stringMatching(/L\$\s500\s+does not end/),
    ]);
    const bought = section(page, en.products.title).getByRole('listitem');
    expect(await bought.filter({ hasText: 'Reading lamp' }).innerText()).toMatch(/today · delivered/);
    expect(await bought.filter({ hasText: 'Lost parcel' }).innerText()).toMatch(/today · not delivered/);
    expect(await page.locator('.button.is-main', { hasText: en.products.send }).count()).toBe(1);
    await section(page, en.cards.title).getByText('5% off everything').waitFor();
    await section(page, en.cards.title).getByText('10% off Reading lamp').waitFor();
    await section(page, en.cards.title)
      .getByText(/coupon Cosy, until \w+ \d+/)
      .waitFor();
    await section(page, en.history.title).getByText('Bought Reading lamp').waitFor();
    await section(page, en.history.title).getByText(en.history.given).first().waitFor();
    expect(await page.getByRole('switch').getAttribute('aria-checked')).toBe('true');
    await page.getByText(en.foot.what('Demo Store')).waitFor();
    await page.getByText(/It works until \d+:\d\d [AP]M, for (?:60|59) minutes more\./).waitFor();
    await freeOfBarriers(page);
    for (const [size, width] of [
      [narrow, 320],
      [wide, 1440],
    ] as const) {
      await page.setViewportSize(size.viewport);
      await freeOfBarriers(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });

  test('an avatar whom the store never touched has an empty page, which says what would be there', async () => {
    const page = await enter(resident().uuid);

    await figure(page, 'L$ 0').waitFor();
    for (const text of [en.lots.none, en.products.none, en.cards.none, en.history.none])
      await page.getByText(text).waitFor();
    expect(await page.getByText(en.credit.first).count()).toBe(0);
    await freeOfBarriers(page);
  });

  test('a closed store says so and works, and a ban changes nothing', async () => {
    const { uuid } = resident();
    await grant(uuid, 40);
    await call('POST', `/customers/${uuid}/actions/ban`);
    await call('POST', '/store/actions/close');
    try {
      const page = await enter(uuid);
      await page.getByText(en.credit.closed).waitFor();
      await freeOfBarriers(page);
      await button(page, en.cards.redeemOf('L$\u00a040')).click();
      await page.getByRole('dialog').getByRole('button', { name: en.cards.redeem }).click();
      await figure(page, 'L$ 40').waitFor();
    } finally {
      await call('POST', '/store/actions/open');
    }
  });

  test('Show more reads on where the list ended', async () => {
    const { uuid } = resident();
    for (let index = 1; index <= 12; index++) await give(uuid, index);
    const page = await enter(uuid);
    const rows = section(page, en.history.title).getByRole('listitem');
    await vi.waitFor(async () => expect(await rows.count()).toBe(8), 20_000);

    await button(page, en.moreOf(en.history.title)).click();

    await vi.waitFor(async () => expect(await rows.count()).toBe(12), 20_000);
    expect(await rows.last().innerText()).toContain('+L$\u00a01');
    expect(await button(page, en.moreOf(en.history.title)).count()).toBe(0);
  });

  test('the browser’s language chooses, the switch changes it and is kept, and the address says nothing', async () => {
    const { uuid, username } = resident();
    await give(uuid, 1340, 26);
    const page = await enter(uuid, German, de);
    const languageOf = () => page.evaluate(() => [document.documentElement.lang, document.title]);
    await title(page, de.credit.yours(username)).waitFor();
    await figure(page, 'L$ 1.340').waitFor();
    await page.getByText(/L\$\u00a01\.340 verfallen am .*, in 26 Tagen\./).waitFor();
    expect(await languageOf()).toEqual(['de', de.title]);
    await freeOfBarriers(page);

    await button(page, 'English').click();

    await title(page, en.credit.yours(username)).waitFor();
    expect(await languageOf()).toEqual(['en', en.title]);
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({ 'page.language': 'en' });
    await page.reload();
    await title(page, en.credit.yours(username)).waitFor();
    expect(page.url()).toBe(`${service().baseUrl}/me`);
  });
});

describe('what it does', () => {
  test('asks before it redeems, and then shows the new credit and its history; the focus stays in place', async () => {
    const { uuid } = resident();
    await grant(uuid, 75);
    const page = await enter(uuid);
    const redeem = button(page, en.cards.redeemOf('L$\u00a075'));
    await redeem.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: en.cards.ask('L$\u00a075') }).waitFor();
    expect(await focused(page)).toBe(en.cancel);
    await freeOfBarriers(page);
    await page.keyboard.press('Escape');
    await vi.waitFor(async () => expect(await focused(page)).toBe(en.cards.redeem), 10_000);
    expect((await call('GET', `/customers/${uuid}/credit`)).credit).toBe(0);

    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: en.cards.redeem }).click();

    await status(page, en.cards.redeemed('L$\u00a075'));
    await figure(page, 'L$ 75').waitFor();
    await vi.waitFor(async () => expect(await focused(page)).toBe(en.cards.title), 10_000);
    await section(page, en.history.title).getByText(en.history.redeemed).waitFor();
    expect(await redeem.count()).toBe(0);
    await freeOfBarriers(page);
    await button(page, en.close).click();
    expect(await page.getByText(en.cards.redeemed('L$\u00a075')).count()).toBe(0);
  });

  test('redeems all cards, however many there are, in one go', async () => {
    const { uuid } = resident();
    for (let index = 1; index <= 23; index++) await grant(uuid, index);
    const page = await enter(uuid);

    await button(page, en.cards.redeemAll).click();
    await page.getByRole('dialog', { name: en.cards.askAll }).getByRole('button', { name: en.cards.redeem }).click();

    await status(page, en.cards.redeemed('L$\u00a0276'));
    await figure(page, 'L$ 276').waitFor();
    await page.getByText(en.cards.none).waitFor();
  });

  test('redeems once though no answer comes: pressing again repeats the request', async () => {
    forgive(/ERR_FAILED/);
    const { uuid } = resident();
    await grant(uuid, 30);
    await grant(uuid, 5);
    const page = await enter(uuid);
    const { keys, found } = await loseAnswers(page, '**/v1/me/giftcards/actions/redeem');
    const redeemAll = async () => {
      await button(page, en.cards.redeemAll).click();
      await page.getByRole('dialog').getByRole('button', { name: en.cards.redeem }).click();
    };
    await redeemAll();
    await status(page, en.faults.noAnswer);
    expect(keys.size).toBe(1);
    await found();

    await figure(page, 'L$ 35').waitFor();
    expect((await call('GET', `/customers/${uuid}/credit`)).credit).toBe(35);
    await grant(uuid, 2);
    await grant(uuid, 1);
    await page.reload();
    await redeemAll();
    // The first request is repeated, and its answer comes at last.
    await status(page, en.cards.redeemed('L$\u00a035'));
    await redeemAll();
    await figure(page, 'L$ 38').waitFor();
  });

  test('sends a purchase again, once in a minute, and says why not in words of its own', async () => {
    forgive(/status of 400/);
    const who = resident();
    const parcel = await newProduct('Lost parcel');
    await buyUndelivered(who, parcel);
    const page = await enter(who.uuid);
    const row = section(page, en.products.title).getByRole('listitem');
    const send = button(page, en.products.sendOf('Lost parcel'));

    await send.click();
    await status(page, en.products.sent('Lost parcel'));
    await vi.waitFor(async () => expect(await row.innerText()).toMatch(/on its way to you|today · delivered/), 10_000);
    await send.click();

    await status(page, en.faults.tooSoon);
    await freeOfBarriers(page);
    const { data } = await call('GET', '/deliveries?limit=1000');
    expect(data.filter(({ productId }: { productId: string }) => productId === parcel)).toHaveLength(1);
  });

  test('switches the news off and on, by the keyboard too', async () => {
    const { uuid } = resident();
    const page = await enter(uuid);
    const news = page.getByRole('switch', { name: en.news.label('Demo Store') });
    await news.focus();

    await page.keyboard.press('Space');

    await status(page, en.news.on);
    expect(await news.getAttribute('aria-checked')).toBe('true');
    expect((await call('GET', `/customers/${uuid}`)).newsSubscriber).toBe(true);
    await news.click();
    await status(page, en.news.off);
  });

  test('tells the end of its acts with the time until then', async () => {
    forgive(/status of 429/);
    const { uuid } = resident();
    const page = await enter(uuid);
    for (let index = 0; index < 20; index++) expect(await callAs(page, 'PUT', '', { newsSubscriber: true })).toBe(200);

    await page.getByRole('switch').click();

    await page.getByText(/This page has done all that one page may do, until it ends at \d+:\d\d/).waitFor();
  });
});

describe('the way out', () => {
  /** Nothing of the person or of the store is on the screen or kept. */
  const isForgotten = async (page: Page, username: string): Promise<void> => {
    const left = await page.evaluate(() => [document.body.innerText, JSON.stringify({ ...sessionStorage })]);
    expect(left.join()).not.toMatch(new RegExp(`${username}|Demo Store|L\\$\\u00a0|sis_me_`));
    await freeOfBarriers(page);
  };

  test('Sign out ends the page for everybody, and leaves nothing on the screen', async () => {
    const { uuid, username } = resident();
    await give(uuid, 12);
    const page = await enter(uuid);
    const token = await tokenIn(page);

    await button(page, en.foot.signOut).click();

    await title(page, en.door.left.title).waitFor();
    await isForgotten(page, username);
    const again = await fetch(`${service().baseUrl}/v1/me`, { headers: { 'X-API-Key': token } });
    expect(again.status).toBe(401);
    await page.reload();
    await page.getByLabel(en.door.label).waitFor();
  });

  test('a read that is answered after Sign out shows nothing', async () => {
    const { uuid, username } = resident();
    await grant(uuid, 9);
    const page = await enter(uuid);
    await button(page, en.cards.redeemOf('L$\u00a09')).click();
    await page.getByRole('dialog').getByRole('button', { name: en.cards.redeem }).click();
    await figure(page, 'L$ 9').waitFor();
    const asked = Promise.withResolvers<void>();
    const signedOut = Promise.withResolvers<void>();
    // The page looks once more for what follows an act by a moment.
    await page.route('**/v1/me/products?*', async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await signedOut.promise;
      await route.fulfill({ response });
    });
    await asked.promise;
    await button(page, en.foot.signOut).click();
    await title(page, en.door.left.title).waitFor();

    const answered = page.waitForResponse('**/v1/me/products?*');
    signedOut.resolve();
    await answered;

    await isForgotten(page, username);
  });

  test('Sign out without an answer forgets everything too, and says that the page ends by itself', async () => {
    forgive(/ERR_FAILED/);
    const { uuid, username } = resident();
    const page = await enter(uuid);
    await page.route('**/v1/me/actions/end', (route) => route.abort());

    await button(page, en.foot.signOut).click();

    await page.getByText(/the page itself ends at/).waitFor();
    await isForgotten(page, username);
  });

  test('a page that was erased or ended elsewhere is over at its next call, and nothing of it stays', async () => {
    forgive(/status of 401/);
    for (const how of ['erased', 'ended']) {
      const { uuid, username } = resident();
      await give(uuid, 77);
      const page = await enter(uuid);
      await figure(page, 'L$ 77').waitFor();
      const { id: store } = await call('GET', '/store');
      if (how === 'erased') await endPages(store, uuid);
      else expect(await callAs(page, 'POST', '/actions/end')).toBe(204);

      await page.getByRole('switch').click();

      await title(page, en.door.ended.title).waitFor();
      expect(await focused(page)).toBe(en.door.ended.title);
      await isForgotten(page, username);
    }
  });

  test('when its hour is over, the page goes by itself', async () => {
    forgive(/status of 401/);
    const { uuid, username } = resident();
    await give(uuid, 5);
    const page = await open(`/me#code=${await newCode(uuid)}`, phone);
    await page.clock.install();
    await button(page, en.door.open).click();
    await section(page, en.lots.title).waitFor();
    const before = source.now;
    source.now = () => before() + 3_600_000;
    try {
      await page.clock.fastForward(3_601_000);
      await title(page, en.door.ended.title).waitFor();
    } finally {
      source.now = before;
    }
    await isForgotten(page, username);
  });

  test('a page that was read too often says until when', async () => {
    forgive(/status of 429/);
    const { uuid } = resident();
    const page = await enter(uuid);
    for (let index = 0; index < 300; index++) await callAs(page, 'GET', '');

    await page.reload();

    await title(page, en.door.tooOften.title).waitFor();
    await page.getByText(/It shows nothing more until \d+:\d\d/).waitFor();
    await freeOfBarriers(page);
  });

  test('a store that does not answer can be asked again, and the page is still there', async () => {
    forgive(/ERR_FAILED/);
    const { uuid } = resident();
    const page = await enter(uuid);
    await page.route('**/v1/me**', (route) => route.abort());
    await page.reload();
    await title(page, en.door.lost.title).waitFor();
    await freeOfBarriers(page);
    await page.unroute('**/v1/me**');

    await button(page, en.again).click();

    await section(page, en.lots.title).waitFor();
  });
});
