import { beforeAll, expect, test } from 'vitest';
import { findResident, forgetResidents } from '../../../lib/avatars/residents.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { metered, newMeter } from '../../../lib/table/meter.ts';
import { freshTable } from '../../support/service.ts';

const uuid = 'aaaaaaaa-0000-0000-0000-000000000001';
const other = 'aaaaaaaa-0000-0000-0000-000000000002';

beforeAll(freshTable);

test('old names still lead to the resident, and every answer has the current one', async () => {
  await putResident({ uuid, username: 'stella' });
  await putResident({ uuid, username: 'stella.star' });
  await putResident({ uuid, username: 'nova' });
  forgetResidents();

  for (const username of ['stella', 'stella.star', 'nova'])
    expect(await findResident('s', { username })).toEqual({ uuid, username: 'nova' });
  expect(await findResident('s', { uuid })).toEqual({ uuid, username: 'nova' });
  expect(await findResident('s', { username: 'nobody' })).toBeUndefined();
});

test('400s for a name that belongs to another resident, and changes nothing', async () => {
  await expect(putResident({ uuid: other, username: 'bob' }, ['stella'])).rejects.toMatchObject({
    status: 400,
    errors: ['The name stella belongs to another resident.'],
  });

  expect(await findResident('s', { uuid: other })).toBeUndefined();
  expect(await findResident('s', { username: 'bob' })).toBeUndefined();
});

test('a look-up is one call when cold and none when warm, also by UUID after one by name', async () => {
  forgetResidents();
  const calls = async (work: () => Promise<unknown>): Promise<number> => {
    const meter = newMeter(true);
    await metered(meter, work);
    return meter.calls;
  };

  expect(await calls(() => findResident('s', { username: 'stella' }))).toBe(1);
  expect(await calls(() => findResident('s', { username: 'stella' }))).toBe(0);
  expect(await calls(() => findResident('s', { uuid }))).toBe(0);
});
