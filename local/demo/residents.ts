import { putResident, type Resident } from '../../lib/store/residents.ts';
import { demoUuid } from './made-up.ts';

const firstNames = 'ada bob cleo dara ezra faye gus hana ivo juno kai lena milo nora otis pia quin rhea sol tess'.split(
  ' ',
);
const lastNames = ['lovelace', 'linden', 'moonwall', 'resident'];

/** Residents whom no store has touched, with names of one and of two parts. */
export const untouchedResidents: readonly Resident[] = firstNames
  .flatMap((first) => lastNames.map((last) => (last === 'resident' ? first : `${first}.${last}`)))
  .map((username, index) => ({ uuid: demoUuid(1, index + 1), username }));

/** Residents who have to do with the demo store; the second was renamed twice. */
export const friends = [
  { uuid: demoUuid(2, 1), username: 'vera.vendor' },
  { uuid: demoUuid(2, 2), username: 'nova', formerNames: ['stella', 'stella.star'] },
  { uuid: demoUuid(2, 3), username: 'partner.builder' },
];

/** Writes the residents of the virtual world: the same at every start. */
export const seedResidents = async (): Promise<void> => {
  await Promise.all(untouchedResidents.map((resident) => putResident(resident)));
  await Promise.all(friends.map(({ formerNames, ...resident }) => putResident(resident, formerNames)));
};
