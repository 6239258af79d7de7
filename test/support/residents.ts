import { putResident, type Resident } from '../../lib/store/residents.ts';

/** A resident of the tests: the UUID is made of a number. */
const resident = (number: number, username: string): Resident => ({
  uuid: `${String(number).padStart(8, '0')}-7e57-0000-0000-000000000000`,
  username,
});

export const ada = resident(1, 'ada.lovelace');
export const bob = resident(2, 'bob');
export const cleo = resident(3, 'cleo');

/** A well-formed UUID that is nobody's and nothing's. */
export const unknownUuid = 'ffffffff-7e57-0000-0000-000000000000';

export const seedResidents = async (): Promise<void> => {
  for (const each of [ada, bob, cleo]) await putResident(each);
};
