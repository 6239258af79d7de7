import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forgetResidents, type Resident } from '../../../../lib/avatars/residents.ts';
import { source } from '../../../../lib/clock.ts';
import { sweep } from '../../../../lib/credit/sweep.ts';
import { putResident } from '../../../../lib/operator/residents.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { checkNames } from '../../kinds/residents.ts';
import { importText } from '../support/import-files.ts';

/** Names that the operator imports, for a store or for all, and the audit of their copies. */

const dir = tempDir();
let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});
beforeEach(() => {
  source.now = () => Date.now();
  forgetResidents();
});

let made = 0;
/** An avatar whom nobody was told of. */
const stranger = (): Resident => {
  made += 1;
  return { uuid: randomUUID(), username: `stranger${made}.walker` };
};

const tell = ({ uuid, username }: Resident) => service.call('PUT', `/v1/residents/${uuid}`, { username });

const customer = async (who: string, call = service.call) => (await call('GET', `/v1/customers/${who}`)).body;

const importResidents = (...rows: string[]) =>
  importText(service.store, dir, 'residents.csv', ['uuid,username,formerNames,source', ...rows].join('\n'));

const runSweep = () => sweep('sweep');

/** The sentences of the audit about names. */
const nameFaults = async (): Promise<string[]> => {
  const faults: string[] = [];
  await checkNames(service.store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  return faults;
};

describe('the operator’s word', () => {
  test('wins over what a store was told of a UUID, and reaches the copies', async () => {
    const told = stranger();
    await tell(told);
    await service.call('POST', `/v1/customers/${told.uuid}/actions/increment-credit`, { delta: 7 });

    await importResidents(`${told.uuid},the.operators,,`);

    expect(await customer(told.uuid)).toMatchObject({ username: 'the.operators', credit: 7 });
    for (const name of [told.username, 'the.operators'])
      expect(await customer(name)).toMatchObject({ uuid: told.uuid, username: 'the.operators' });
  });

  test('moves a name of a store to another avatar, whose copies follow', async () => {
    const [loser, winner] = [stranger(), stranger()];
    await tell(loser);
    await service.call('POST', `/v1/customers/${loser.uuid}/actions/increment-credit`, { delta: 7 });

    await importResidents(`${winner.uuid},${loser.username},,`);
    await runSweep();

    expect(await customer(loser.username)).toMatchObject({ uuid: winner.uuid, credit: 0 });
    expect(await customer(loser.uuid)).toMatchObject({ uuid: loser.uuid, username: loser.uuid, credit: 7 });
    expect(await nameFaults()).toEqual([]);
  });
});

describe('residents of one store', () => {
  test('are exported and imported as such', async () => {
    const [told, nameless] = [stranger(), stranger()];

    const report = await importResidents(
      `${told.uuid},${told.username},was.${told.username.split('.')[0]},store`,
      `${nameless.uuid},${nameless.uuid},,store`,
    );

    expect(report).toMatchObject({ imported: true, created: 2 });
    expect(await customer(`was.${told.username.split('.')[0]}`)).toMatchObject(told);
    expect(await customer(nameless.uuid)).toMatchObject({ uuid: nameless.uuid, username: nameless.uuid });
    expect(await customer(told.uuid, service.callOther)).toMatchObject({ status: 404 });
    expect(await importResidents(`${told.uuid},${told.username},,store`)).toMatchObject({ unchanged: 1 });
  });

  test('never take a name from another of the store', async () => {
    const [holder, told] = [stranger(), stranger()];
    await tell(holder);

    const report = await importResidents(`${told.uuid},${holder.username},,store`);

    expect(report).toMatchObject({ created: 1 });
    expect(await customer(holder.username)).toMatchObject({ uuid: holder.uuid });
    expect(await customer(told.uuid)).toMatchObject({ username: told.uuid });
  });

  test('never take a name from the operator’s', async () => {
    const [known, told] = [await newResident(), stranger()];

    await importResidents(`${told.uuid},${known.username},,store`);

    expect(await customer(known.username)).toMatchObject({ uuid: known.uuid });
    expect(await customer(told.uuid)).toMatchObject({ username: told.uuid });
  });
});

test('the audit finds a copy of a name that is not the resident’s, until a sweep has followed the rename', async () => {
  const { uuid, username } = await newResident();
  await customer(uuid);
  const coupon = (await service.call('POST', '/v1/coupons', { code: username, ownerIdentifier: uuid })).body.id;
  const card = (await service.call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5 })).body.id;
  const renamed = `renamed.${username.split('.')[0]}`;

  await putResident({ uuid, username: renamed });

  expect(await nameFaults()).toEqual([
    `customer ${uuid}: is called ${username} instead of ${renamed}.`,
    `coupon ${coupon}: its owner is called ${username} instead of ${renamed}.`,
    `gift card ${card}: its owner is called ${username} instead of ${renamed}.`,
  ]);
  await runSweep();
  expect(await nameFaults()).toEqual([]);
});
