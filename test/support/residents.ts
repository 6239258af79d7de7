import type { Resident } from '../../lib/avatars/residents.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { perProcess } from '../../lib/process.ts';

/** A test resident, whose UUID is made of a number. */
const resident = (number: number, username: string): Resident => ({
  uuid: `${String(number).padStart(8, '0')}-7e57-0000-0000-000000000000`,
  username,
});

export const ada = resident(1, 'ada.lovelace');
export const bob = resident(2, 'bob');
export const cleo = resident(3, 'cleo');

/** A well-formed UUID that no resident and no row has. */
export const unknownUuid = 'ffffffff-7e57-0000-0000-000000000000';

export const seedResidents = async (): Promise<void> => {
  for (const each of [ada, bob, cleo]) await putResident(each);
};

/** Each file starts to count again, so that its names do not depend on the files before it. */
const numbers = perProcess(() => ({ made: 0 }));

/**
 * Makes a resident that no store knows yet, so that tests do not see each other's customers. Missing fields are made
 * from a growing number.
 */
export const newResident = async (given: Partial<Resident> = {}, formerNames: string[] = []): Promise<Resident> => {
  const made = ++numbers().made;
  const uuid = `abcdef00-7e57-0000-0000-${String(made).padStart(12, '0')}`;
  const resident = { uuid, username: `resident${made}.tester`, ...given };
  await putResident(resident, formerNames);
  return resident;
};
