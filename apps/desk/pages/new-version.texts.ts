import { count, some } from '../format.ts';

export const t = {
  title: 'Send a new version',
  intro:
    'Everybody who bought this product gets the new version, each once. Put it into the box first, under the same item name.',
  noCopy: 'The product is not for copying, so nobody gets it a second time.',
  since: 'The new version is in the box since',
  sinceHelp: 'A customer who got the product from the box later has the new version.',
  tooLong: 'Enter a time of the last 30 days: the deliveries before it are not kept here.',
  missing: 'Enter a day and a time.',
  show: 'Show who has it',
  none: 'Nobody has bought this product yet.',
  caption: 'Owners of the product',
  sums: (owners: number, has: number, coming: number, failed: number, missing: number): string =>
    [
      `${count(has)} of ${some(owners, 'owner')} ${has === 1 ? 'has' : 'have'} it`,
      ...(coming > 0 ? [`${count(coming)} on its way`] : []),
      ...(failed > 0 ? [`${count(failed)} failed`] : []),
      ...(missing > 0 ? [`${count(missing)} not sent yet`] : []),
    ].join(', '),
  note: 'Note that comes with it',
  noteHelp: 'At most 1,023 bytes. Leave it empty if you need none.',
  send: (owners: number): string => `Send it to ${some(owners, 'owner')}`,
  sending: (has: number, owners: number): string =>
    `Sending: ${count(has)} of ${some(owners, 'owner')} ${has === 1 ? 'has' : 'have'} it.`,
  stop: 'Stop',
  stopped: 'Press the button again: it goes on, and sends nothing twice.',
  away: 'The box does not answer. When it is back, press the button again.',
  owner: 'Owner',
  state: 'New version',
  states: { has: 'Has it', coming: 'On its way', failed: 'Failed', missing: 'Not sent yet' },
  why: 'Why',
  waits: 'Its delivery waits for the box.',
  /** The end of a run that no answer came to. */
  broken: 'The service did not answer. Press the button again: it goes on, and sends nothing twice.',
};
