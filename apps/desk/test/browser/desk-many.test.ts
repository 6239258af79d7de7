import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, service, forgive } = useDesk();

/** The value of a field for a day and time, this many days from now. */
const momentIn = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T10:00`;

describe.each(screens)('on a %s', (_, size) => {
  test('gives credit to customers who were chosen, each once whatever fails, and knows them the next time', async () => {
    const people = [resident(), resident()];
    const increment = (uuid: string) => `/customers/${uuid}/actions/increment-restricted-credit`;
    for (const { uuid } of people) await call('POST', increment(uuid), { delta: 10 });
    const run = `THANKS-${randomUUID().slice(0, 8)}`;
    const page = await signIn(size, '/customers');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const ask = async () => {
      for (const { username } of people)
        await page.getByRole('checkbox', { name: `Choose ${username}`, exact: true }).check();
      await page.getByText('2 customers are chosen.').waitFor();
      await press('Give credit');
      await page.getByLabel('L$ for each').fill('50');
      await page.getByLabel('Kind of credit').selectOption('restricted');
      await page.getByLabel('Name of this run').fill(run);
      await page.getByLabel('Reason').fill('Thank you');
    };
    await ask();
    await page.getByLabel('L$ for each').fill('0');
    await page.getByLabel('Reason').fill('');
    await press('Show what would change');
    await page.getByRole('alert').getByText('Enter a whole number, 1 or more.').waitFor();
    await freeOfBarriers(page);
    await page.getByLabel('L$ for each').fill('50');
    await press('Show what would change');
    await page.getByRole('alert').getByText('Enter a name for this run and a reason.').waitFor();
    await page.getByLabel('Reason').fill('Thank you');
    await press('Show what would change');
    await page.getByText('2 customers get L$\u00a0100 in all, 0 got it already, 0 cannot get it').waitFor();
    await page.getByText('L$\u00a010 → L$\u00a060').first().waitFor();
    await freeOfBarriers(page);
    // The service gives the first their credit, but no answer reaches the page.
    const cut = `**${increment(people[0]?.uuid ?? '')}`;
    await page.route(cut, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await press('Give L$\u00a0100');
    await page.getByRole('alert').getByText('Stopped.').waitFor();
    await page.unroute(cut);
    await press('Go on with 1 customer');
    await page.getByText('2 of 2 customers got it.').waitFor();
    await press('Back to the list');

    const changesOf = async (uuid: string) => (await call('GET', `/customers/${uuid}/credit/history`)).data;
    for (const { uuid } of people) {
      await expect.poll(async () => (await changesOf(uuid)).length, { timeout: 60_000 }).toBe(2);
      expect((await changesOf(uuid))[0]).toMatchObject({ amount: 50, restrictedCredit: 60, reference: run });
    }
    await page.getByText('are chosen.').waitFor({ state: 'detached' });
    await ask();
    await press('Show what would change');
    await page.getByText('0 customers get L$\u00a00 in all, 2 got it already, 0 cannot get it').waitFor();
    await press('Back to the list');
    await page.getByText('2 customers are chosen.').waitFor();
    forgive(/ERR_FAILED/);
  });

  test('sets a discount of products that were chosen by key, and leaves the one that somebody else has changed', async () => {
    const own = randomUUID().slice(0, 8);
    const make = (name: string, more: object = {}) =>
      call('POST', '/products', { name: `${name} ${own}`, item: 'Cape', price: 650, ...more });
    const stock = { limited: true, availableAmount: 3, listed: false };
    const [red, blue, hat] = [await make('Red cape', stock), await make('Blue cape'), await make('Hat')];
    const page = await signIn(size, `/products?search=cape+${own}`);
    await page.getByRole('row', { name: `Red cape ${own}` }).waitFor();

    // A phone shows no head of the list: there the first row brings the box.
    if (size === phone) await page.getByRole('checkbox', { name: `Choose Red cape ${own}` }).check();
    await page.getByRole('checkbox', { name: 'All on this page' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('2 products are chosen.').waitFor();
    await page.getByRole('searchbox', { name: 'Name or description' }).fill(`Hat ${own}`);
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: `Choose Hat ${own}` }).focus();
    await page.keyboard.press('Space');
    await page.getByText('3 products are chosen.').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Set discount' }).click();
    await page.getByRole('heading', { level: 1, name: 'Set the discount of 3 products' }).waitFor();
    await page.getByLabel('Percent').fill('120');
    await page.getByLabel('Ends').fill(momentIn(2));
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByRole('alert').getByText('Enter a number from 0 to 100.').waitFor();
    await freeOfBarriers(page);
    await page.getByLabel('Percent').fill('20');
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await page.getByText('3 products change, 0 stay as they are, 0 cannot be changed').waitFor();
    await page.getByText('never → ').first().waitFor();
    await freeOfBarriers(page);
    const { id: _, ...before } = await call('GET', `/products/${hat.id}`);
    await call('PUT', `/products/${hat.id}`, { ...before, discount: { type: 1, value: 5 } });
    await call('PUT', `/products/${blue.id}`, { name: `Blue cape ${own}`, item: 'Cape', price: 700 });
    await page.getByRole('button', { name: 'Set it for 3 products' }).click();

    await page.getByText('It is set for 2 of 3 products. 1 failed: see below.').waitFor();
    await page.getByText('Somebody has changed it meanwhile.').waitFor();
    const until = new Date(momentIn(2)).toISOString();
    const discount = { type: 0, value: 20, startDate: null, endDate: until };
    expect(await call('GET', `/products/${red.id}`)).toMatchObject({ discount, activePrice: 520, availableAmount: 3 });
    expect(await call('GET', `/products/${blue.id}`)).toMatchObject({ discount, activePrice: 560 });
    expect(await call('GET', `/products/${hat.id}`)).toMatchObject({ discount: { type: 1, value: 5 } });
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('row', { name: `Hat ${own}` }).waitFor();
    expect(await page.getByText('are chosen.').count()).toBe(0);
  });
});

test('a key that may not write chooses nothing', async () => {
  for (const [scope, path, name] of [
    ['customers:read', '/customers', 'Customers of the store'],
    ['products:read', '/products', 'Products of the store'],
  ] as const) {
    const page = await signIn(wide, path, service().keys[scope]);
    await page.getByRole('table', { name }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  }
});
