import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  act,
  call,
  createProduct,
  get,
  hasResidents,
  nilUuid,
  resident,
  target,
  unique,
  unknownName,
  unknownUuid,
} from './target.ts';

/** Deliveries. Residents 45 and 46. */

describe('deliver', () => {
  const deliver = (id: string, body: unknown) => call('POST', `/v1/products/${id}/actions/deliver`, body);
  const path = (id: string) => `/v1/products/${id}/actions/deliver`;

  test('statuses 3: a malformed or unknown recipient is 400', async () => {
    const { id } = await createProduct();

    for (const recipientIdentifier of ['a..b', unknownName, unknownUuid, nilUuid, 5, null])
      expectProblem(await deliver(id, { recipientIdentifier }), 400, path(id));
  });

  test('defaults 10: the recipient is needed', async () => {
    const { id } = await createProduct();

    expectProblem(await deliver(id, { message: 'Hi' }), 400, path(id), [
      expect.stringMatching(/^recipientIdentifier is required/),
    ]);
  });

  test('deliver rule 1, silent 44: an inactive or unknown product is 404, for an unknown recipient too', async () => {
    const { id } = await createProduct({ active: false });

    for (const product of [id, unknownUuid])
      for (const recipientIdentifier of [resident(45).uuid, unknownName])
        expectProblem(await deliver(product, { recipientIdentifier }), 404, path(product));
  });

  describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
    test('deliver rule 2, lists 10, resource DeliverProductRequest: answers queued at once, with the sent note or ""', async () => {
      const { id } = await createProduct();

      const bare = await deliver(id, { recipientIdentifier: ` ${resident(45).username.toUpperCase()} ` });
      const note = await deliver(id, { recipientIdentifier: resident(45).uuid, message: ' Enjoy!\n\t🎁 ' });

      expect(bare.body).toMatchObject({ queued: true, message: '', recipientUuid: resident(45).uuid });
      expect(note.body).toMatchObject({ queued: true, message: 'Enjoy!\n\t🎁' });
    });

    test('text 23: a message has at most 1023 bytes of UTF-8, emoji included', async () => {
      const { id } = await createProduct();
      const send = (message: unknown) => deliver(id, { recipientIdentifier: resident(45).uuid, message });

      for (const fits of ['x'.repeat(1023), `${'🎁'.repeat(255)}xxx`]) expect((await send(fits)).status).toBe(200);
      for (const wrong of ['x'.repeat(1024), '🎁'.repeat(256), 'a\u0000b', 'a\u0007b', '\ud800', 5, null])
        expectProblem(await send(wrong), 400, path(id), [expect.stringMatching(/^message must be at most 1023 bytes/)]);
    });

    test('lists 6: delivers a product to a banned customer', async () => {
      const { id } = await createProduct();
      await act(resident(46).uuid, 'ban');

      expect((await deliver(id, { recipientIdentifier: resident(46).uuid })).body.queued).toBe(true);
    });

    test('silent 46: queues a delivery once for two requests under one Idempotency-Key', async () => {
      const { id } = await createProduct();
      const body = { recipientIdentifier: resident(45).uuid };
      const headers = { 'Idempotency-Key': unique('key').replace(' ', '-') };
      const send = () => call('POST', path(id), body, { headers });

      const answers = [await send(), await send()];

      expect(answers.map(({ status, body: answer }) => [status, answer.queued])).toEqual(Array(2).fill([200, true]));
      expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    });

    describe.runIf(target.local)('on the local service, whose dispenser shows its gifts', () => {
      test('lists 9, silent 46: a queued delivery arrives once after two requests under one Idempotency-Key', async () => {
        const { id } = await createProduct({ item: 'Lamp' });
        const [message, last] = [unique('For you'), unique('The last')];
        const recipientIdentifier = resident(45).uuid;
        const headers = { 'Idempotency-Key': unique('key').replace(' ', '-') };
        const gifts = async (note: string) =>
          (await get('/_dev/inbox')).body.deliveries.filter((gift: { message: string }) => gift.message === note);

        for (let i = 0; i < 2; i++) await call('POST', path(id), { recipientIdentifier, message }, { headers });
        await deliver(id, { recipientIdentifier, message: last });

        // Deliveries arrive in order, so all earlier ones have arrived too.
        await expect.poll(() => gifts(last), { timeout: 20_000 }).toHaveLength(1);
        expect(await gifts(message)).toMatchObject([{ item: 'Lamp', recipient: recipientIdentifier }]);
      });
    });
  });
});
