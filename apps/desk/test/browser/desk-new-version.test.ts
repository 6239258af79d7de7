import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, screens, useDesk } from './desk.ts';

const { call, signIn, resident, service, forgive } = useDesk();

const owners = 12;

/** The value of a field for a day and time. */
const localTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Moves the service's clock, and answers its time. */
const advance = async (seconds: number): Promise<Date> => {
  const body = JSON.stringify({ advanceSeconds: seconds });
  const response = await fetch(`${service().baseUrl}/_dev/clock`, { method: 'POST', body });
  return new Date((await response.json()).now);
};

describe.each(screens)('on a %s', (_, size) => {
  test('sends a new version to all owners, each once though an answer is lost and it is stopped', async () => {
    const permissions = { copy: true, modify: false, transfer: false };
    const product = await call('POST', '/products', { name: `Chair ${randomUUID()}`, price: 10, permissions });
    const people = Array.from({ length: owners }, () => resident());
    for (const { uuid } of people)
      await call('POST', '/sales', { id: randomUUID(), productId: product.id, buyerIdentifier: uuid, paid: 10 });
    const delivered = async (): Promise<number> =>
      (await call('GET', '/deliveries?state=delivered&limit=1000')).data.filter(
        ({ productId }: { productId: string }) => productId === product.id,
      ).length;
    // A delivery that ends after the clock has moved would bring the new version.
    await expect.poll(delivered, { timeout: 60_000 }).toBe(owners);
    const since = localTime(await advance(600));
    await advance(60);
    const page = await signIn(size, `/products/${product.id}/version`);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

    await page.getByLabel('The new version is in the box since').fill(since);
    await press('Show who has it');
    await page.getByText(`0 of ${owners} owners have it, ${owners} not sent yet.`).waitFor();
    await freeOfBarriers(page);
    // The service orders the delivery to one owner, but no answer reaches the page.
    forgive(/redeliver/);
    const cut = `**/customers/${people[3]?.uuid}/products/**`;
    await page.route(cut, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await press(`Send it to ${owners} owners`);
    await page.getByRole('alert').getByText('The service did not answer.').waitFor({ timeout: 60_000 });
    await page.unroute(cut);
    await page.getByRole('button', { name: /^Send it to/ }).click();
    await page.getByText(`${owners} of ${owners} owners have it.`).waitFor({ timeout: 60_000 });
    await freeOfBarriers(page);
    // The address leads back to the run, which has nothing left to do.
    await page.reload();
    await page.getByText(`${owners} of ${owners} owners have it.`).waitFor();
    expect(await page.getByRole('button', { name: /^Send it to/ }).count()).toBe(0);

    const sent = (await call('GET', '/deliveries?limit=1000')).data.filter(
      (one: { productId: string; saleId: string | null }) => one.productId === product.id && one.saleId === null,
    );
    expect(sent.map((one: { recipientUuid: string }) => one.recipientUuid).sort()).toEqual(
      people.map(({ uuid }) => uuid).sort(),
    );
  });
});
