import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, pressInMore, pressTwice, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident } = useDesk();

const product = (fields: object = {}) =>
  call('POST', '/products', { name: `Coat ${randomUUID().slice(0, 6)}`, item: 'Coat', price: 650, ...fields });
const sell = (productId: string, buyerIdentifier: string, paid: number) =>
  call('POST', '/sales', { id: randomUUID(), productId, buyerIdentifier, paid });

/** Waits until the service has counted what it owes somebody. */
const owing = async (uuid: string) => {
  for (;;) {
    const { data } = await call('GET', '/payees?owed=true&limit=1000');
    const found = data.find(({ residentUuid }: { residentUuid: string }) => residentUuid === uuid);
    if (found) return found;
    await new Promise((end) => setTimeout(end, 100));
  }
};

describe.each(screens)('on a %s', (_, size) => {
  test('shows who is owed what, asks how what is unknown ended, corrects it, and notes a payment by hand', async () => {
    const { uuid, username } = resident();
    const { id } = await product({ profitShares: [{ userUuid: uuid, percent: 20 }] });
    await sell(id, resident().username, 650);
    expect(await owing(uuid)).toMatchObject({ owed: 130 });
    const page = await signIn(size, '/payouts');
    await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
    await page.getByRole('table', { name: 'Who is owed L$' }).getByText(username, { exact: true }).waitFor();
    await freeOfBarriers(page);

    if (size === phone) {
      await page.evaluate(() => location.assign('#/'));
      const told = page.getByRole('listitem').filter({ hasText: '1 payout may or may not have been paid.' });
      await told.getByRole('link', { name: 'Show' }).click();
      await page.getByRole('button', { name: 'It was paid' }).first().click();
      await page.getByText(/^The books will say that /).waitFor();
      await freeOfBarriers(page);
      await page.getByRole('button', { name: 'They were paid' }).click();
      await page.getByText(/^Noted: L\$\u00a0300 were paid to /).waitFor();
      expect((await call('GET', '/payouts?state=unknown')).data).toEqual([]);
      const [settled] = (await call('GET', '/payouts?state=paid')).data.filter(
        ({ amount }: { amount: number }) => amount === 300,
      );
      for (const [question, answer, state] of [
        ['You will owe', 'They were not paid', 'failed'],
        ['The books will say', 'They were paid', 'paid'],
      ] as const) {
        await page
          .getByRole('button', { name: `More: L$\u00a0300, ${settled.username}` })
          .first()
          .click();
        await page.getByRole('button', { name: 'Correct it' }).click();
        await page.getByText(new RegExp(`^${question}`)).waitFor();
        await page.getByRole('button', { name: answer }).click();
        await expect
          .poll(async () => (await call('GET', `/payouts?state=${state}`)).data)
          .toContainEqual(expect.objectContaining({ id: settled.id }));
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
    await pressInMore(page, 'Note a payment', username);
    await page.getByLabel('L$ that you paid').fill('30');
    await page.getByLabel('Reference').fill('By hand');
    await freeOfBarriers(page);
    await pressTwice(page.getByRole('button', { name: 'It is paid' }));

    await page.getByText(`Noted: you paid L$\u00a030 to ${username}.`).waitFor();
    expect(await owing(uuid)).toMatchObject({ owed: 100, paid: 30 });
    await page.getByRole('table', { name: 'Paid by month' }).waitFor();
    await page.getByRole('table', { name: 'All payouts' }).getByText('By hand').first().waitFor();
    await freeOfBarriers(page);
  });

  test('a refund may be paid by the cashier, and a list, a page and a file show what was earned', async () => {
    const { uuid, username } = resident();
    const { id, name } = await product();
    const sale = await sell(id, username, 700);
    const page = await signIn(size, `/sales?buyer=${username}`);
    await page.getByRole('table', { name: 'Sales of the store' }).getByText('L$\u00a0650').last().waitFor();
    expect(await page.getByText('Paid inworld').count()).toBe(0);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain('Price,Discount,Total,Credit,Paid,Given back,Shares,Commissions,Yours,Reference');
    expect(text).toContain(`completed,${name},${username},650,0,650,0,650,0,0,0,650,`);
    await page.evaluate((hash) => location.assign(hash), `#/sales/${sale.id}`);
    await page.getByText('Yours', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByLabel('The cashier pays it back').check();
    await page.getByText('The cashier pays L$\u00a0650 back to the buyer.').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();

    await page.getByText('Refunded. You owe the buyer L$\u00a0650').waitFor();
    expect(await call('GET', `/sales/${sale.id}`)).toMatchObject({ state: 'refunded', payOut: true });
    expect(await owing(uuid)).toMatchObject({ owed: 650 });
  });
});

test('the state of the payouts that are shown stays in the address', async () => {
  const page = await signIn(wide, '/payouts');
  await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption('paid');
  await page.getByRole('table', { name: 'All payouts' }).waitFor();

  expect(page.url()).toContain('state=paid');
});
