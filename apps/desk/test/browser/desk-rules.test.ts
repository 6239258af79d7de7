import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, pressTwice, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, forgive } = useDesk();

const aProduct = (price = 800) =>
  call('POST', '/products', { name: `Lamp ${randomUUID().slice(0, 8)}`, item: 'Lamp', price });

const noRules = { groupDiscount: 0, tiers: [], bonus: { percent: 0, groupPercent: 0 } };

describe.each(screens)('on a %s', (_, size) => {
  test('sets group, tiers and bonus under a preview in words, which the next quote follows', async () => {
    await call('PUT', '/store/rules', noRules);
    const page = await signIn(size, '/rules');
    await page.getByLabel('Discount in percent').fill('10');
    for (const [place, from, percent] of [
      [0, '1000', '5'],
      [1, '2000', '50'],
      [2, '10000', '15'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a tier' }).click();
      await page.getByLabel('Spent in the last year, at least').nth(place).fill(from);
      await page.locator('.tier').nth(place).getByLabel('Discount in percent').fill(percent);
    }
    await page.getByText('pays L$\u00a0400 for a product of L$\u00a0800.').waitFor();
    await page.getByRole('button', { name: 'Remove tier 2' }).click();
    await page.getByLabel('For the group in percent').fill('5');
    await page
      .getByText(
        'A member of the group who spent L$\u00a05,000 pays L$\u00a0720 for a product of L$\u00a0800, and gets L$\u00a036 of restricted credit back.',
      )
      .waitFor();
    await page.getByLabel('Days until it expires').fill('30');
    await page.getByText(/^A member .* back until .*\.$/).waitFor();
    await page.getByLabel('Wears the tag of the group').uncheck();
    await page.getByText('Somebody who spent L$\u00a05,000 pays L$\u00a0760 for a product of L$\u00a0800.').waitFor();
    await freeOfBarriers(page);
    await pressTwice(page.getByRole('button', { name: 'Save the rules' }));

    await page.getByText('Saved. The next quote or sale follows these rules.').waitFor();
    expect(await call('GET', '/store/rules')).toEqual({
      groupDiscount: 10,
      tiers: [
        { from: 1000, percent: 5 },
        { from: 10_000, percent: 15 },
      ],
      bonus: { percent: 0, groupPercent: 5, type: 'restricted', expiresInDays: 30 },
    });
    const { id } = await aProduct();
    const quote = { productId: id, buyerIdentifier: resident().username, inGroup: true };
    expect(await call('POST', '/quotes', quote)).toMatchObject({ toPay: 720, bonus: 36 });
  });

  test('a product sells gift cards, and its page says of which credit', async () => {
    const { id } = await aProduct(500);
    const page = await signIn(size, `/products/${id}`);
    const card = page.locator('details', { hasText: 'Gift card' });
    await card.getByText('Sales make no gift card.').click();
    await card.getByLabel('Credit on the card, in L$').fill('500');
    await freeOfBarriers(page);
    await card.getByRole('button', { name: 'Set the gift card' }).click();
    await page.getByText('Each sale makes a gift card of L$\u00a0500 now.').waitFor();
    expect(await call('GET', `/products/${id}/giftcard`)).toEqual({ credit: 500, texture: null });

    await card.getByLabel('Credit on the card, in L$').fill('');
    await card.getByRole('button', { name: 'Set the gift card' }).click();

    await page.getByText('Sales make no gift card any more.').waitFor();
    expect(await call('GET', `/products/${id}/giftcard`)).toMatchObject({ credit: 0 });
  });
});

test('a sale by hand to a member of the group has its price and bonus, which the sale and the reports show', async () => {
  await call('PUT', '/store/rules', { groupDiscount: 25, bonus: { percent: 10 } });
  const { id, name } = await aProduct(90_000);
  const { username } = resident();
  const page = await signIn(wide, `/products/${id}`);
  await page.getByRole('button', { name: 'Sell', exact: true }).click();
  await page.getByLabel('Buyer: name or UUID').fill(username);
  await page.getByLabel('The buyer wears the tag of the group').check();
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByText('Discount of the group, 25 %').waitFor();
  await page.getByRole('button', { name: 'L$\u00a067,500 was paid: sell' }).click();

  // The preview shows the bonus too.
  await page.getByText(`Sold ${name}. Its delivery is on the way.`).waitFor();
  await page.getByText('Bonus: credit for the buyer').waitFor();
  await page.getByText('L$\u00a06,750').waitFor();
  expect(await call('GET', `/customers/${username}/credit`)).toMatchObject({ restrictedCredit: 6750 });
  await page.evaluate(() => location.assign('#/reports'));
  await page.getByRole('row', { name: new RegExp(`^${name} .*67,500.*6,750`) }).waitFor();
  await page.getByRole('columnheader', { name: 'Credit given' }).waitFor();
  await call('PUT', '/store/rules', noRules);
});

test('says beside the field what a rule takes, and keeps the rules until it does', async () => {
  await call('PUT', '/store/rules', { ...noRules, groupDiscount: 3, tiers: [{ from: 5, percent: 1 }] });
  const page = await signIn(wide, '/rules');
  await page.getByLabel('Discount in percent').first().fill('101');
  await page.getByText('Complete the numbers to see what buyers pay.').waitFor();
  await page.getByRole('button', { name: 'Add a tier' }).click();
  await page.getByRole('button', { name: 'Save the rules' }).click();

  const faults = page.locator('.field .error');
  await faults.first().waitFor();
  expect(await faults.allInnerTexts()).toEqual([
    'Enter a number from 0 to 100.',
    'Enter a whole number, 1 or more.',
    'Enter a number from 0 to 100.',
  ]);
  await freeOfBarriers(page);
  await page.getByLabel('Discount in percent').first().fill('4');
  await page.getByLabel('Spent in the last year, at least').nth(1).fill('5');
  await page.locator('.tier').nth(1).getByLabel('Discount in percent').fill('2');
  await page.getByRole('button', { name: 'Save the rules' }).click();
  await page.getByRole('alert').getByText('Two tiers begin at the same amount: change one.').waitFor();

  forgive(/status of 400/);
  expect(await call('GET', '/store/rules')).toMatchObject({ groupDiscount: 3 });
  await call('PUT', '/store/rules', noRules);
});

test('a tier that is added and saved within one frame is sent with the others', async () => {
  await call('PUT', '/store/rules', noRules);
  const page = await signIn(wide, '/rules');
  await page.getByRole('button', { name: 'Save the rules' }).waitFor();

  // A busy browser may let both clicks come before its next frame.
  await page.evaluate(async () => {
    const press = (text: string) =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === text)?.click();
    press('Add a tier');
    while (!document.querySelector('.tier')) await Promise.resolve();
    press('Save the rules');
  });

  await page.locator('.tier .error').first().waitFor();
  forgive(/status of 400/);
  expect(await call('GET', '/store/rules')).toMatchObject({ tiers: [] });
});

test('where somebody else has saved rules meanwhile, nothing is lost: the person chooses', async () => {
  await call('PUT', '/store/rules', { ...noRules, groupDiscount: 3, tiers: [{ from: 5, percent: 1 }] });
  const page = await signIn(wide, '/rules');
  await page.getByLabel('Discount in percent').first().fill('10');
  await call('PUT', '/store/rules', { ...noRules, groupDiscount: 3, tiers: [{ from: 2000, percent: 20 }] });

  await page.getByRole('button', { name: 'Save the rules' }).click();

  await page.getByRole('heading', { name: 'Somebody changed this meanwhile' }).waitFor();
  await page.getByText('from L$\u00a02,000: 20 %').waitFor();
  await freeOfBarriers(page);
  expect(await call('GET', '/store/rules')).toMatchObject({ groupDiscount: 3 });
  await page.getByRole('button', { name: 'Save my changes' }).click();
  await page.getByText('Saved. The next quote or sale follows these rules.').waitFor();
  expect(await call('GET', '/store/rules')).toMatchObject({ groupDiscount: 10, tiers: [{ from: 2000, percent: 20 }] });
  await expect.poll(() => page.getByLabel('Spent in the last year, at least').inputValue()).toBe('2000');
  await call('PUT', '/store/rules', noRules);
});
