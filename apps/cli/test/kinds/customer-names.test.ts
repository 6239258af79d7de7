import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { putResident } from '../../../../lib/operator/residents.ts';
import { customerKey, customerNameKey, storeResidentKey } from '../../../../lib/table/keys.ts';
import { remove } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { auditChecks } from '../../kinds/kinds.ts';

test('an audit tells of a name that is missing in the search, and of one that leads to nobody', async () => {
  const { store, call } = await startTestService();
  await keepHistory();
  const check = auditChecks.find(({ what }) => what === 'names in the search');
  const audit = async () => {
    const faults: string[] = [];
    await check?.check(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
    return faults;
  };
  const uuid = randomUUID();
  await putResident({ uuid, username: 'lost.name' }, ['found.name']);
  await call('PUT', `/v1/customers/${uuid}`, { discount: 1 });
  await catchUp();
  expect(await audit()).toEqual([]);

  await write(remove(customerNameKey(store, 'lost.name')));
  await putAll([{ ...customerNameKey(store, 'false.name'), uuid, username: 'lost.name' }]);

  expect(await audit()).toEqual([
    `customer ${uuid}: a search does not find lost.name.`,
    `customer ${uuid}: a search finds false.name, which is not their name.`,
  ]);
});

test('an audit reads the names of many customers together', async () => {
  const { store } = await startTestService();
  const check = auditChecks.find(({ what }) => what === 'names in the search');
  const uuids = Array.from({ length: 60 }, () => randomUUID());
  await putAll(
    uuids.flatMap((uuid) => [
      { ...customerKey(store, uuid), username: uuid.slice(0, 8) },
      { ...storeResidentKey(store, uuid), uuid, username: uuid.slice(0, 8), names: [] },
      { ...customerNameKey(store, uuid.slice(0, 8)), uuid, username: uuid.slice(0, 8) },
    ]),
  );
  let calls = 0;
  const stop = intercept((_, pass) => {
    calls += 1;
    return pass();
  });
  const faults: string[] = [];
  const checked = await check?.check(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  stop();

  expect([checked, faults]).toEqual([120, []]);
  expect(calls).toBeLessThan(30);
});
