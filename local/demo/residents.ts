import type { Resident } from '../../lib/avatars/residents.ts';
import { now, source, timestamp } from '../../lib/clock.ts';
import { putResident, residentItems } from '../../lib/operator/residents.ts';
import { transact } from '../../lib/table/table.ts';

/** A made-up UUID from the kind of thing and its number. It is the same at every start. */
export const demoUuid = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-dede-4ede-8ede-${String(number).padStart(12, '0')}`;

export const day = 86_400_000;
export const inDays = (days: number): string => timestamp(now() + days * day);

/** Does something at another time. Nothing else may run meanwhile, since there is only one clock. */
export const at = async (millis: number, work: () => Promise<unknown>): Promise<void> => {
  const before = source.now;
  source.now = () => millis;
  try {
    await work();
  } finally {
    source.now = before;
  }
};

const firstNames = 'ada bob cleo dara ezra faye gus hana ivo juno kai lena milo nora otis pia quin rhea sol tess'.split(
  ' ',
);
const lastNames = ['lovelace', 'linden', 'moonwall', 'resident'];

/** Residents that no store has met, with one-part and two-part names. */
export const untouchedResidents: readonly Resident[] = firstNames
  .flatMap((first) => lastNames.map((last) => (last === 'resident' ? first : `${first}.${last}`)))
  .map((username, index) => ({ uuid: demoUuid(1, index + 1), username }));

/** Residents that the demo store knows. The second was renamed twice. */
export const friends = [
  { uuid: demoUuid(2, 1), username: 'vera.vendor' },
  { uuid: demoUuid(2, 2), username: 'nova', formerNames: ['stella', 'stella.star'] },
  { uuid: demoUuid(2, 3), username: 'partner.builder' },
];

/** Residents who have bought in the demo store lately. The last one is banned. */
export const buyers: readonly Resident[] = [
  'cora.marlowe',
  'gil.ashford',
  'dana.winterfall',
  'theo.brandt',
  'mina.frostwood',
  'kittyblue92',
  'orion.castaway',
  'rufus.stonecutter',
].map((username, index) => ({ uuid: demoUuid(2, index + 4), username }));

/** At most this many residents fit into a transaction: each takes two of its 100 items. */
const atOnce = 50;

/** Writes the residents of the virtual world. */
export const seedResidents = async (): Promise<void> => {
  const areNew = (residents: readonly Resident[]) =>
    transact(residents.flatMap((resident) => residentItems(resident, [resident.username], undefined)));
  const all = [...untouchedResidents, ...buyers];
  for (let start = 0; start < all.length; start += atOnce) {
    const some = all.slice(start, start + atOnce);
    // An interrupted run may have written some already.
    if (await areNew(some)) await Promise.all(some.map((resident) => putResident(resident)));
  }
  await Promise.all(friends.map(({ formerNames, ...resident }) => putResident(resident, formerNames)));
};
