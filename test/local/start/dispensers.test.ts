import { expect, test } from 'vitest';
import { findDispenser, loseAddress, removalOf } from '../../../lib/delivery/dispensers.ts';
import { transact } from '../../../lib/table/table.ts';
import { startDispensers } from '../../../local/start/dispensers.ts';
import { placeDispenser } from '../../support/look-ups.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
process.env.DISPENSER_LOOPBACK = 'allowed';

/** The key with which the store's dispenser registered, and its address, once the stand-ins have registered. */
const placed = async (): Promise<{ keyId: string | undefined; url: string | undefined }> => {
  const dispensers = await startDispensers();
  const { keyId, url } = (await findDispenser(service.store)) ?? {};
  await dispensers.stop();
  return { keyId, url };
};

test('a box that was removed does not come back by itself, neither beside the service nor with its next start', async () => {
  const dispensers = await startDispensers();
  const box = await dispensers.ensure(service.otherStore);
  const before = await findDispenser(service.otherStore);
  await transact(removalOf(service.otherStore, 'main'));

  // The script registers again at each of its deliveries' turns, and within the hour.
  await expect(box?.registerAgain()).rejects.toThrow('was removed');
  await dispensers.stop();
  await (await startDispensers()).stop();

  expect([before?.keyId, await findDispenser(service.otherStore)]).toEqual(['stand-in', undefined]);
});

test('a store without a dispenser gets a stand-in; one whose own is lost does not, and waits for it', async () => {
  expect(await placed()).toEqual({ keyId: 'stand-in', url: expect.stringContaining('127.0.0.1') });

  await placeDispenser(service.store);
  const { url = '' } = (await findDispenser(service.store)) ?? {};
  await loseAddress(service.store, url, 'The region restarts.');

  expect(await placed()).toEqual({ keyId: 'test', url: undefined });
});
