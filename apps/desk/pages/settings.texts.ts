import { some } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.settings,
  store: 'The store',
  name: 'Name',
  state: 'State',
  isOpen: 'Open: vendors sell',
  isClosed: 'Closed: quotes and sales are refused',
  door: {
    open: 'Open the store',
    opened: 'The store is open.',
    close: 'Close the store',
    closeText: 'While the store is closed, vendors refuse to sell. Everything else goes on.',
    closedSaid: 'The store is closed.',
    closeReason: 'Reason (optional)',
  },
  key: 'This key',
  keyName: 'Key',
  ends: 'Ends',
  never: 'Never',
  scopes: (scopes: number) => `What it may do: ${some(scopes, 'scope', 'scopes')}`,
  end: {
    open: 'End this key',
    text: (name: string) =>
      `The key ${name} stops working within a minute, for ever and for every program that has it. You are signed out.`,
  },
  import: 'Import a file',
  importHelp: 'You see what would change before anything is written.',
  times: {
    title: 'Times',
    zone: 'Show times in',
    zones: { own: 'Your own time', utc: 'UTC', world: 'Second Life time' },
    help: 'On this device. Sums of days and months are of UTC, and a form takes your own time.',
  },
};
